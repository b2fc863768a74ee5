"""double_instructions.py on a piece of what nvdisasm prints for grid_kernel<ClampedSteps>, and on a kernel compiled now."""
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import double_instructions as tool

HERE = Path(__file__).parent
REPOSITORY = HERE.parents[1]


class RecordedSources:
    """The functions that the lines of the piece were in when it was recorded."""

    FUNCTIONS = {
        ("grid_team.cuh", 183): "gather", ("grid_team.cuh", 127): "sum", ("grid_team.cuh", 114): "sum",
        ("block_team.cuh", 131): "sum_chunks", ("block_team.cuh", 142): "sum_chunks", ("block_team.cuh", 143): "sum_chunks",
        ("block_team.cuh", 199): "share", ("block_team.cuh", 212): "share_of_tile",
        ("newton.hpp", 50): "solve_symmetric", ("newton.hpp", 56): "solve_symmetric", ("newton.hpp", 58): "solve_symmetric",
        ("newton_loop.hpp", 132): "derivatives_at", ("newton_loop.hpp", 305): "commit", ("newton_loop.hpp", 169): "accept",
        ("persistent_align.hpp", 68): "persistent_align", ("persistent_align.hpp", 69): "persistent_align",
    }

    def functions(self, instruction):
        return [self.FUNCTIONS.get((Path(path).name, line)) for path, line in instruction.places]


def recorded():
    return (HERE / "double_instructions.txt").read_text().splitlines()


def counted():
    kernels = tool.count(recorded(), sources=RecordedSources())
    assert list(kernels) == ["grid_kernel<ClampedSteps> sm_90"]
    return kernels["grid_kernel<ClampedSteps> sm_90"]


def test_reads_instructions_with_all_places_where_they_were_inlined():
    found = list(tool.instructions(recorded()))
    assert [i.opcode for i in found[:3]] == ["LDC", "LDC.64", "BSSY"]
    assert "LOP3.LUT" in [i.opcode for i in found], "behind a predicate"
    assert [len(i.places) for i in found[:3]] == [1, 9, 10]
    assert found[1].places[0] == ("/ndt/modules/gpu_persistent/src/persistent_align.hpp", 37)
    assert found[1].places[-1] == ("/ndt/modules/gpu_persistent/src/persistent_kernels.cuh", 141)
    assert found[2].places == found[3].places, "a place stands for all instructions up to the next"
    assert tool.readable(found[-1].function) == "fallback_direction"


def test_counts_by_part_what_is_inlined_into_the_loop():
    kernel = counted()
    assert {p.name: (c.all, c.double) for p, c in kernel.parts.items()} == {
        "points": (4, 0), "sums of a block": (4, 3), "exchange": (5, 2), "LDLT": (5, 2), "commit": (1, 1)}
    assert (kernel.outside.all, kernel.outside.double) == (3, 2)
    assert {name: (c.all, c.double) for name, c in kernel.called.items()} == {"fallback_direction": (10, 0)}
    assert kernel.opcodes == {"F2F": 3, "DADD": 3, "MUFU": 1, "DMUL": 1}


def test_the_table_gives_cycles_for_the_warps_that_run_a_part():
    rows = {line[:18].strip(): line.split() for line in tool.report("k", counted(), block_warps=8, lanes=2)}
    assert rows["exchange"][-3:] == ["2", "8", "256"], "ten warps, of which the block has eight"
    assert rows["sums of a block"][-3:] == ["3", "2", "96"]
    assert rows["LDLT"][-3:] == ["2", "1", "32"]
    assert rows["together"][-3:] == ["19", "8", "400"]
    assert any("before and after the loop 2 of 3" in line for line in tool.report("k", counted(), 8, 2))


@pytest.mark.parametrize("opcode, double", [
    ("DADD", True), ("DFMA", True), ("DMNMX", True), ("DSETP.MAX.AND", True), ("MUFU.RCP64H", True), ("MUFU.RSQ64H", True),
    ("F2F.F64.F32", True), ("F2F.F32.F64", True), ("I2F.F64.S64", True), ("F2I.S64.F64", True), ("FRND.F64.TRUNC", True),
    ("FADD", False), ("MUFU.RCP", False), ("LDS.64", False), ("I2F.S64", False), ("DEPBAR.LE", False), ("IMAD.WIDE.U32", False)])
def test_knows_instructions_of_double_precision(opcode, double):
    assert bool(tool.DOUBLE.match(opcode)) == double


@pytest.mark.parametrize("symbol, name", [
    ("_ZN3ndt14gpu_persistent11grid_kernelINS_12ClampedStepsEEEvNS0_19PersistentArgumentsE", "grid_kernel<ClampedSteps>"),
    ("_ZN3ndt14gpu_persistent17warp_block_kernelINS_11TrustRegionELi256ELi2EEEvNS0_19PersistentArgumentsE",
     "warp_block_kernel<TrustRegion, 256, 2>"),
    ("$_ZN3ndt1kEv$_ZN3ndt18solve_with_dampingERKNS_11DerivativesEdRNS_10ScaledStepE", "solve_with_damping"),
    ("$__internal_1_$__cuda_sm20_div_rn_f64_full", "__cuda_sm20_div_rn_f64_full")])
def test_reads_names_from_symbols(symbol, name):
    assert tool.readable(symbol) == name


def test_code_without_lines_and_sources_that_have_changed_are_refused():
    bare = [line for line in recorded() if "## File" not in line]
    with pytest.raises(SystemExit, match="-lineinfo"):
        tool.count(bare, sources=RecordedSources())
    later = [line.replace("line 183", "line 99999") for line in recorded()]
    with pytest.raises(SystemExit, match="grid_team.cuh has no line 99999"):
        tool.count(later)


def test_a_binary_that_is_none_or_has_no_loop_is_refused(tmp_path):
    def refusal(*arguments):
        run = subprocess.run([sys.executable, HERE / "double_instructions.py", *arguments], capture_output=True, text=True)
        assert run.returncode == 1 and run.stdout == ""
        return run.stderr

    assert "nothing is not a file" in refusal(tmp_path / "nothing")
    needed("cuobjdump")
    assert "no device code in" in refusal(HERE / "double_instructions.txt")


def needed(name):
    """The path of a tool, or a skip."""
    found = shutil.which(name) or shutil.which(name, path="/usr/local/cuda/bin")
    return found or pytest.skip(f"skipped for want of {name} (CUDA Toolkit, or nvidia-cuda-{name} on PyPI)")


def test_every_part_is_found_in_a_grid_kernel_compiled_now(tmp_path):
    nvcc = needed("nvcc")
    needed("nvdisasm"), needed("cuobjdump")
    source = tmp_path / "kernel.cu"
    source.write_text('#include "persistent_kernels.cuh"\ntemplate __global__ void ndt::gpu_persistent::grid_kernel<ndt::ClampedSteps>('
                      "const __grid_constant__ ndt::gpu_persistent::PersistentArguments);\n")
    subprocess.run([nvcc, "-std=c++20", "-O3", "-lineinfo", "-arch=sm_90", f"-I{REPOSITORY}/modules/common/include",
                    f"-I{REPOSITORY}/modules/gpu_persistent/src", "-c", source, "-o", tmp_path / "kernel.o"], check=True)
    run = subprocess.run([sys.executable, HERE / "double_instructions.py", tmp_path / "kernel.o"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    head = re.search(r"grid_kernel<ClampedSteps> sm_90: (\d+) of (\d+) instructions", run.stdout)
    assert 0 < int(head[1]) < int(head[2])
    rows = {line[:18].strip(): line[18:].split() for line in run.stdout.splitlines() if line.startswith("  ")}
    of_the_graph = {"fold of a pass"}
    assert rows.keys() >= {p.name for p in tool.PARTS} - of_the_graph
    for name in ("sums of a block", "exchange", "fold", "derivatives", "LDLT", "direction", "trial pose", "commit"):
        assert int(rows[name][1]) > 0, f"{name} works in double precision"
