"""Damages small bags, surveyed maps and packed results at random, and counts what their readers make of them.

    NDT_EXTRAS_PYTHON tests/datasets/attack.py [--count 500] [--seed 1] [--only KIND ...] [--keep DIR]

The interpreter requires tests/requirements-extras.txt and pandas. Each file of --count a kind is read in a process of its own. A hang
takes longer than HANG_S. A lost file is one that a failure leaves, changes or removes. --keep keeps the files that break a rule.
Exit code: 1 if one does."""

import argparse
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / folder) for folder in ("datasets", "reports", "tests/report", "tests/datasets")]

from attack_inputs import KINDS, load_libraries, make  # noqa: E402

HANG_S = 150  # more than the bound of processor time for files of some kB
ODD = (0, 1, 127, 128, 255, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 2**32, 2**53, 2**63 - 1, 2**63, 2**64 - 1)
HEADS = ("files", "read", "refused", "hangs", "tracebacks", "lost", "slowest", "peak", "all")


@dataclass
class Count:
    ends: Counter = field(default_factory=Counter)  # by exit code
    hangs: int = 0
    tracebacks: int = 0
    lost: int = 0
    slowest_s: float = 0.0
    peak_mib: float = 0.0
    seconds: float = 0.0

    def row(self, files):
        """The values under HEADS."""
        return (files, self.ends[0], self.ends[1] + self.ends[2], self.hangs, self.tracebacks, self.lost,
                f"{self.slowest_s:.1f} s", f"{self.peak_mib:.0f} MiB", f"{self.seconds:.0f} s")

    @property
    def broken(self):
        return self.hangs + self.tracebacks + self.lost


def damaged(data, rng):
    """The bytes with one to four changes."""
    data = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4))):
        at, length = rng.randrange(len(data) or 1), min(len(data), 2 ** rng.randrange(11))
        action = rng.randrange(7)
        if action == 0:
            data[at:at + 1] = bytes([rng.randrange(256)])
        elif action == 1:
            width = rng.choice((1, 2, 4, 8))
            data[at:at + width] = (rng.choice(ODD) % 2**(8 * width)).to_bytes(width, rng.choice(("little", "big")))
        elif action == 2:
            del data[at:at + length]
        elif action == 3:
            data[at:at] = data[at:at + length] * rng.choice((1, 2, 16))
        elif action == 4:
            data[at:at + length] = bytes(len(data[at:at + length]))
        elif action == 5:
            data[at:at + length] = rng.randbytes(length)
        elif rng.random() < 0.3:
            del data[at:]
    return bytes(data)


def attempt(work, run):
    """(exit code or None after a hang, what it printed, seconds, peak memory in MiB) of run(), in a process of its own."""
    said, begun = work.with_name("said"), time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.setsid()
        with open(said, "wb") as out:
            os.dup2(out.fileno(), 1), os.dup2(out.fileno(), 2)
        try:
            code = run()
        except BaseException:
            traceback.print_exc()
            code = 99
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(code)
    while not (ended := os.wait4(pid, os.WNOHANG))[0]:
        if time.monotonic() - begun > HANG_S:
            os.killpg(pid, signal.SIGKILL)
            os.wait4(pid, 0)
            return None, said.read_text(errors="replace"), HANG_S, 0
        time.sleep(0.002)
    return os.waitstatus_to_exitcode(ended[1]), said.read_text(errors="replace"), time.monotonic() - begun, ended[2].ru_maxrss / 1024


def files_in(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def strike(kind, data, work, count):
    """Reads one damaged file; returns what is wrong, or None."""
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    kind.place(data, work)
    before = files_in(work)
    code, said, seconds, peak_mib = attempt(work, lambda: kind.read(work))
    after = files_in(work)
    lost = not after.items() >= before.items() if code else any(path.name.startswith(".") for path in after)
    lost |= bool(code and len(after) > len(before))
    trace = "Traceback" in said or (code is not None and code not in (0, 1, 2))
    count.ends[code] += 1
    count.hangs, count.tracebacks, count.lost = count.hangs + (code is None), count.tracebacks + trace, count.lost + lost
    count.slowest_s, count.peak_mib, count.seconds = max(count.slowest_s, seconds), max(count.peak_mib, peak_mib), count.seconds + seconds
    if code is None or trace or lost:
        return f"exit {code}, lost {sorted(map(str, before.keys() ^ after.keys()))}: {said[-1500:]}"
    return None


def attack(name, options, folder, keep):
    kind, count = KINDS[name], Count()
    good = make(name, folder)
    wrong = strike(kind, good, folder / "work", whole := Count())
    assert wrong is None and whole.ends[0] == 1, f"{name}: {wrong or whole}"
    for number in range(options.count):
        rng = random.Random(f"{name} {options.seed} {number}")
        data = kind.mended(damaged(kind.opened(good), rng), rng)
        wrong = strike(kind, data, folder / "work", count)
        if wrong:
            print(f"{name} {options.seed} {number}: {wrong}", flush=True)
            if keep:
                (keep / f"{name}-{options.seed}-{number}{kind.suffix}").write_bytes(data)
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND")
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    load_libraries()
    broken = 0
    print(f"{'kind':11}" + "".join(f"{head:>12}" for head in HEADS), flush=True)
    for name in options.only:
        folder = Path(tempfile.mkdtemp(prefix="attack_"))
        try:
            count = attack(name, options, folder, options.keep)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        broken += count.broken
        print(f"{name:11}" + "".join(f"{value:>12}" for value in count.row(options.count)), flush=True)
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
