#!/usr/bin/env python3
"""Counts the double-precision instructions that one iteration of the loop holds, in each kernel of a build.

    cmake --preset cuda -B build/lines -DCMAKE_CUDA_FLAGS=-lineinfo -DCMAKE_CUDA_ARCHITECTURES=87 -DNDT_TESTS=OFF
    cmake --build build/lines --target ndt-bench
    tests/gpu/double_instructions.py build/lines/bin/ndt-bench [--kernel REGEX]

It disassembles the code with nvdisasm, which tells for each instruction its line and where that line was inlined. An
instruction belongs to the loop if the body of the loop is among those places. Needs no GPU, but the code of the GPU in question:
CMAKE_CUDA_ARCHITECTURES is 86 or 89 for GeForce RTX 30 and 40, 87 for Jetson Orin.
"""
import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]

# The functions of an iteration, together with what is inlined into them.
LOOP = {"persistent_align", "pass_kernel", "advance_over"}
ALL_WARPS = None


@dataclass(frozen=True)
class Part:
    """A part of an iteration: its functions, and how many warps of a block run them."""
    name: str
    functions: frozenset
    warps: int | None


def part(name, functions, warps):
    return Part(name, frozenset(functions.split()), warps)


PARTS = (
    part("points", "share_of_tile sum_tiles chunk_share add_scan_points", ALL_WARPS),
    part("sums of warps", "warp_column_sums", ALL_WARPS),
    part("sums of a block", "sum_chunks sum_groups sum_block", 2),  # a thread for each of some 40 columns
    part("exchange", "gather hand_out arrive_last", 10),  # of 16 groups, a thread for two columns
    part("fold", "fold_groups", 2),
    part("fold of a pass", "fold", ALL_WARPS),
    part("derivatives", "derivatives_at derivatives_of add_regularisation", 1),
    part("LDLT", "solve_symmetric solve_positive_definite solve_scaled", 1),
    part("direction", "line_from find_step", 1),
    part("trial pose", "go_to_trial go_on set_trial set_motion moved trial_ahead PoseMotion", 1),
    part("commit", "commit enter_found", 1),
    part("decisions", "propose take accept advance_over", 1),
    part("the rest", " ".join(LOOP), ALL_WARPS),
)

# Arithmetic and comparisons in double (DADD, DFMA, DSETP, ...), conversions from and to it, and the seeds of 1/x and 1/sqrt(x).
DOUBLE = re.compile(r"D[A-Z]+\b(?<!DEPBAR)|\w+\.(\w+\.)*F64\b|MUFU\.(RCP|RSQ)64H")


@dataclass(frozen=True)
class Instruction:
    target: str    # sm_90
    kernel: str    # symbol
    function: str  # symbol; the kernel's own but for functions that are called
    opcode: str
    places: tuple  # (path, line), innermost first


def instructions(text):
    """Reads the instructions in the lines that nvdisasm -c -gi prints."""
    target = kernel = function = ""
    places, complete = [], True
    for line in text:
        if match := re.match(r'\s*//## File "([^"]*)", line (\d+)', line):
            places = [] if complete else places
            places.append((match[1], int(match[2])))
            complete = False
        elif match := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\w+\s+)?([A-Z][\w.]*)", line):
            complete = True
            yield Instruction(target, kernel, function, match[1], tuple(places))
        elif match := re.match(r"\s*\.section\s+\.text\.([^,\s]+)", line):
            kernel = function = match[1]
            places = []
        elif match := re.match(r"\s*\.type\s+(\S+),@function", line):
            function = match[1]
        elif match := re.match(r"\s*\.target\s+(\w+)", line):
            target = match[1]


def readable(symbol):
    """The name of a function from its symbol, with the arguments of its template: grid_kernel<ClampedSteps>."""
    own = symbol.split("$")[-1]
    match = re.match(r"_ZN?", own)
    if not match:
        return own
    at, name = match.end(), own
    while digits := re.match(r"(?:NS_|\d_)?(\d+)", own[at:]):
        at += digits.end()
        name, at = own[at:at + int(digits[1])], at + int(digits[1])
    arguments = re.findall(r"ClampedSteps|TrustRegion", own[at:]) + re.findall(r"Li(\d+)E", own[at:])
    return f"{name}<{', '.join(arguments)}>" if arguments else name


def part_of(functions):
    """The part of the innermost function that has one; but what commit() derives again is commit()'s."""
    return next(p for f in (["commit"] if "commit" in functions else functions) for p in PARTS if f in p.functions)


class Sources:
    """Tells which function of this repository a line is in."""

    DEFINITION = re.compile(r"\b(?:NDT_HD|NDT_BODY|__device__|__global__)\b(.*)")
    NAME = re.compile(r"(?!__launch_bounds__|decltype|alignas)\b(\w+)\s*\(")

    @lru_cache(maxsize=None)
    def text(self, path):
        own = REPOSITORY / "modules" / path.rpartition("/modules/")[2]
        return own.read_text().splitlines() if "/modules/" in path and own.is_file() else None

    @lru_cache(maxsize=None)
    def function(self, path, line):
        """None: of the CUDA Toolkit, or of no function."""
        text = self.text(path)
        if text is None:
            return None
        if line > len(text):
            sys.exit(f"double_instructions: {path} has no line {line}: the sources have changed since the build; build again")
        for at in range(line - 1, -1, -1):
            if match := self.DEFINITION.search(text[at]):
                after = " ".join([match[1], *text[at + 1:at + 3]])
                if name := self.NAME.search(after):
                    return name[1]
        return None

    def functions(self, instruction):
        """Innermost first."""
        return [self.function(*place) for place in instruction.places]


@dataclass
class Count:
    all: int = 0
    double: int = 0

    def add(self, opcode):
        self.all += 1
        self.double += DOUBLE.match(opcode) is not None


class Kernel:
    """The counts of one kernel."""

    def __init__(self):
        self.parts = defaultdict(Count)
        self.called = defaultdict(Count)
        self.outside = Count()
        self.opcodes = Counter()

    def add(self, instruction, functions):
        if not LOOP.intersection(functions):
            where = self.outside if instruction.function == instruction.kernel else self.called[readable(instruction.function)]
            return where.add(instruction.opcode)
        self.parts[part_of(functions)].add(instruction.opcode)
        if DOUBLE.match(instruction.opcode):
            self.opcodes[instruction.opcode.split(".")[0]] += 1

    def total(self):
        return Count(sum(c.all for c in self.parts.values()), sum(c.double for c in self.parts.values()))


def count(text, wanted=re.compile(""), sources=None):
    """Kernels with a loop, by name."""
    sources, kernels = sources or Sources(), defaultdict(Kernel)
    for instruction in instructions(text):
        if not instruction.places and "3ndt" in instruction.kernel:
            sys.exit("double_instructions: the code tells no lines; configure with -DCMAKE_CUDA_FLAGS=-lineinfo and build again")
        name = f"{readable(instruction.kernel)} {instruction.target}"
        if wanted.search(name):
            kernels[name].add(instruction, sources.functions(instruction))
    return {name: kernel for name, kernel in kernels.items() if kernel.parts}


def report(name, kernel, block_warps, lanes):
    """The table of a kernel."""
    total = kernel.total()
    yield f"{name}: {total.double} of {total.all} instructions of an iteration are double precision"
    yield f"  {'part':<16}{'instructions':>13}{'double':>8}{'warps':>7}{'cycles':>9}"
    cycles = 0
    for p in (p for p in PARTS if p in kernel.parts):
        found = kernel.parts[p]
        warps = block_warps if p.warps is ALL_WARPS else min(p.warps, block_warps)
        busy = found.double * warps * 32 // lanes
        cycles += busy
        yield f"  {p.name:<16}{found.all:>13}{found.double:>8}{warps:>7}{busy:>9}"
    yield f"  {'together':<16}{total.all:>13}{total.double:>8}{'':>7}{cycles:>9}"
    yield "  " + ", ".join(f"{n} {opcode}" for opcode, n in kernel.opcodes.most_common())
    called = ", ".join(f"{f} {c.double} of {c.all}" for f, c in sorted(kernel.called.items()))
    yield f"  not counted: before and after the loop {kernel.outside.double} of {kernel.outside.all}; in functions that are called " \
          f"({called or 'none'})"


NOTES = """Counted: instructions in the code, each once, on both sides of a branch, and of a loop inside the iteration one round.
Estimated: how many warps of a block run a part, and cycles = double x warps x 32 / lanes, for which they keep the {lanes} lanes of
a multiprocessor for double precision busy if each runs every instruction once."""


def tool(name):
    """The path of a tool of the CUDA Toolkit."""
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    found = shutil.which(name) or shutil.which(name, path=str(Path(nvcc).resolve().parent))
    if found is None:
        sys.exit(f"double_instructions: {name} is neither on PATH nor beside nvcc. It comes with the CUDA Toolkit; or install "
                 f"nvidia-cuda-{name} from PyPI and put its nvidia/cu13/bin on PATH")
    return found


def disassembled(binary):
    """Lines of all code in a program, library or object."""
    with tempfile.TemporaryDirectory() as folder:
        if binary.suffix == ".cubin":
            shutil.copy(binary, folder)
        else:
            cut = subprocess.run([tool("cuobjdump"), "-xelf", "all", binary.resolve()], cwd=folder, capture_output=True, text=True)
            if cut.returncode != 0 or not any(Path(folder).iterdir()):
                sys.exit(f"double_instructions: no device code in {binary}: {(cut.stderr or cut.stdout).strip()}")
        for cubin in sorted(Path(folder).iterdir()):
            with subprocess.Popen([tool("nvdisasm"), "-c", "-gi", cubin], stdout=subprocess.PIPE, text=True) as shown:
                yield from shown.stdout
            if shown.returncode != 0:
                sys.exit(f"double_instructions: nvdisasm fails on {cubin.name} of {binary}; it must be as new as nvcc")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path, help="program, library, object or cubin, compiled with -lineinfo")
    parser.add_argument("--kernel", type=re.compile, default=re.compile(""), help="only kernels whose name has this in it")
    parser.add_argument("--warps", type=int, default=16, help="in a block (16)")
    parser.add_argument("--lanes", type=int, default=2, help="of a multiprocessor for double precision: 2 on GeForce and Orin (2), 64 on H100")
    arguments = parser.parse_args()
    if not arguments.binary.is_file():
        sys.exit(f"double_instructions: {arguments.binary} is not a file")
    kernels = count(disassembled(arguments.binary), arguments.kernel)
    if not kernels:
        sys.exit(f"double_instructions: {arguments.binary} has no kernel with a loop whose name has {arguments.kernel.pattern!r} in it")
    for name, kernel in sorted(kernels.items()):
        print("\n".join(report(name, kernel, arguments.warps, arguments.lanes)) + "\n")
    print(NOTES.format(lanes=arguments.lanes))


if __name__ == "__main__":
    main()
