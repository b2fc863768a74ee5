"""A conversion that a signal ends leaves nothing behind."""

import os
import signal
import subprocess
import sys
import time

import pytest
from conftest import ROOT
from test_folder import scans_in


def full_pipe():
    """(end to read, end to write) of a pipe that has room for nothing: a program waits in its first line."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        while os.write(writing, bytes(4096)):
            pass
    except BlockingIOError:
        os.set_blocking(writing, True)
    return reading, writing


def begun(tmp_path, hang_up):
    """A conversion that waits in the midst of its work."""
    scans, (reading, writing) = scans_in(tmp_path / "in"), full_pipe()
    (tmp_path / "ms.txt").write_text("".join(f"{100 * i}\n" for i in range(1, 6)))
    environment = os.environ | {"PYTHONPATH": str(ROOT / "datasets"), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen([sys.executable, "-m", "ndt_convert", scans, "--stamps", tmp_path / "ms.txt", "--out", tmp_path / "out"],
                               stdout=writing, stderr=subprocess.PIPE, text=True, env=environment,
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, hang_up))
    os.close(writing)
    end = time.monotonic() + 60
    while not list(tmp_path.glob(".out.*")) and time.monotonic() < end:
        time.sleep(0.01)
    assert list(tmp_path.glob(".out.*")) and process.poll() is None
    return process, reading


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_work_folder_goes_when_a_signal_ends_the_conversion(tmp_path, number):
    process, reading = begun(tmp_path, signal.SIG_DFL)
    process.send_signal(number)
    process.send_signal(number)  # again, in the midst of the removal
    assert process.wait(60) == 128 + number and process.stderr.read() == ""
    os.close(reading)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "ms.txt"]


def test_a_conversion_under_nohup_goes_on(tmp_path):
    process, reading = begun(tmp_path, signal.SIG_IGN)
    process.send_signal(signal.SIGHUP)
    with os.fdopen(reading) as pipe:
        assert "5 scans" in pipe.read()
    assert process.wait(60) == 0 and (tmp_path / "out" / "dataset.toml").exists()


SIGNAL_IN_A_START = """
import os, signal, subprocess, sys, time
from pathlib import Path
from ndt_convert import ending

class Popen(subprocess.Popen):
    def __init__(self, *words):
        super().__init__(*words)
        while not Path("begun").exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGTERM)

subprocess.Popen = Popen
ending.leave_nothing_behind()
ending.call(["sh", "-c", "trap 'echo told > told; exit 3' TERM; echo > begun; while :; do sleep 0.05; done"])
"""


def test_a_child_is_told_of_a_signal_that_comes_while_it_is_started(tmp_path):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "datasets"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", SIGNAL_IN_A_START], cwd=tmp_path, env=environment, timeout=60)
    assert done.returncode == 128 + signal.SIGTERM and (tmp_path / "told").exists()
