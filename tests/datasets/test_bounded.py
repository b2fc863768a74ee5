"""Third-party readers stay within bounds of memory, time and output, and a crash of one is an error."""

import os
import signal
import struct
import subprocess
import sys
import time

import pytest
from conftest import EXIT_BAD_INPUT, ROOT, np
from test_odd_bags import bag, clouds

from ndt_convert import bounded as module
from ndt_convert import mcap_files
from ndt_convert.bounded import bounded
from ndt_convert.faults import Fault, UsageFault


def bomb(python, kind, file):
    subprocess.run([python, ROOT / "tests/datasets/write_bomb.py", kind, file], check=True)
    return file


@pytest.fixture
def file(tmp_path):
    """A file of 1000 bytes."""
    (tmp_path / "in.las").write_bytes(bytes(1000))
    return tmp_path / "in.las"


def refused(file, work):
    with pytest.raises(Fault) as fault:
        bounded(file, work, print)
    return str(fault.value)


def test_a_result_its_lines_and_its_errors_come_back(file):
    said = []
    assert bounded(file, lambda tell: tell("one") or tell("two") or np.arange(3).tolist(), said.append) == [0, 1, 2]
    assert said == ["one", "two"]

    def fails(_):
        raise UsageFault(file, "line 3", "is wrong\x1b", "mend it")

    with pytest.raises(UsageFault, match=r"in.las: line 3: is wrong\\x1b; mend it") as fault:
        bounded(file, fails, print)
    assert fault.value.exit_code == 1
    with pytest.raises(FileNotFoundError) as error:
        bounded(file, lambda _: open(file.with_name("none")), print)
    assert error.value.filename == str(file.with_name("none"))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        bounded(file, lambda _: 1 / 0, print)


def test_memory_is_bounded_by_the_size_of_the_file(file, monkeypatch):
    monkeypatch.setattr(module, "MEMORY", 200 << 20)
    assert bounded(file, lambda _: len(bytes(100 << 20)), print) == 100 << 20
    message = f"{file}: reading it takes more than 200.1 MiB of memory, the bound for its 1000 bytes; it is damaged, or was made to do harm"
    assert refused(file, lambda _: np.zeros(300 << 20, np.uint8)).startswith(message)
    monkeypatch.setattr(module, "MEMORY_OF_BYTE", 1 << 20)
    assert bounded(file, lambda _: len(np.zeros(300 << 20, np.uint8)), print) == 300 << 20


def test_time_without_an_end_is_bounded(file, monkeypatch):
    monkeypatch.setattr(module, "SECONDS", 1)

    def hangs(_):
        while True:
            pass

    begun = time.monotonic()
    assert "takes more than 1 s of processor time, the bound for its 1000 bytes" in refused(file, hangs)
    assert time.monotonic() - begun < 60


def test_output_is_bounded(file, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "OUTPUT", 50 << 20)
    monkeypatch.setattr(module, "LOOK_S", 0.05)

    def writes(_):
        with open(tmp_path / "much", "wb") as out:
            while True:
                out.write(bytes(1 << 20))
                time.sleep(0.002)

    assert "takes more than 50.1 MiB of output" in refused(file, writes)
    assert (tmp_path / "much").stat().st_size < 2000 << 20


@pytest.mark.parametrize("number, part", [(signal.SIGSYS, "its reader crashed (SIGSYS)"),
                                          (signal.SIGKILL, "the system stopped its reader")])
def test_a_crash_of_a_reader_is_an_error(file, number, part):
    assert part in refused(file, lambda _: os.kill(os.getpid(), number))


def started(python, program):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "datasets"), "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.Popen([python, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)


def converted_after(python, preparation, *words):
    """(exit code, what is said on stderr) of a conversion in a process that first runs the preparation."""
    program = f"{preparation}\nfrom ndt_convert.cli import main\nraise SystemExit(main({[*map(str, words)]}))"
    process = started(python, program)
    error = process.communicate(timeout=120)[1]
    return process.returncode, error


def test_a_reader_that_crashes_leaves_nothing_behind(tmp_path, extras_python):
    recording = bag(extras_python, tmp_path, *clouds())
    crash = "import os; from ndt_convert import bags; bags.Bag.scans = lambda *_: os.abort()"
    code, error = converted_after(extras_python, crash, recording, "--out", tmp_path / "out")
    said = f"ndt_convert: {recording}: its reader crashed (SIGABRT); it is damaged: export or record it again\n"
    assert (code, error) == (EXIT_BAD_INPUT, said)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bag"]


WAITS = """import time
from pathlib import Path
from ndt_convert.bounded import bounded
bounded(Path("."), lambda say: say("begun") or time.sleep(600), lambda line: print(line, flush=True))
"""


def test_a_killed_conversion_ends_its_child():
    process = started(sys.executable, WAITS)
    assert process.stdout.readline() == "begun\n"
    process.kill()
    assert process.communicate(timeout=60)[0] == "", "the child holds the other end of the pipe"


# Bombs.

@pytest.mark.parametrize("kind, name, part", [
    ("mcap", "a.mcap", "byte 38: a chunk unpacks to 1073741824 bytes, more than 536870912; record it again if it is damaged"),
    ("lying", "a.mcap", "takes more than 500.0 MiB of memory, the bound for its 32.3 KiB"),
    ("zstd", "a.db3.zstd", "takes more than 200.3 MiB of output, the bound for its 256.0 KiB"),
    ("e57", "a.e57", "XML: nests elements more than 64 deep"),
])
def test_a_bomb_is_refused_and_leaves_nothing(tmp_path, extras_python, kind, name, part):
    file = bomb(extras_python, kind, tmp_path / name)
    small = "from ndt_convert import bounded; bounded.MEMORY, bounded.OUTPUT = 500 << 20, 200 << 20"
    each = "bounded.MEMORY_OF_BYTE = bounded.OUTPUT_OF_BYTE = 1"
    command = ["map"] if kind == "e57" else []
    code, error = converted_after(extras_python, f"{small}; {each}", *command, file, "--out", tmp_path / "out.pcd")
    assert code == EXIT_BAD_INPUT and part in error and error.count("\n") == 1, error
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_ordinary_chunks_pass(tmp_path):
    for data in (b"", b"\x89MCAP0\r\n", b"\x89MCAP0\r\n" + struct.pack("<BQ", 6, 2**64 - 1) + bytes(24),
                 b"\x89MCAP0\r\n" + struct.pack("<BQQQQ", 6, 24, 0, 0, mcap_files.MOST_UNPACKED)):
        (tmp_path / "a.mcap").write_bytes(data)
        mcap_files.require_small(tmp_path / "a.mcap")
