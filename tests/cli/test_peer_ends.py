"""How peers end, and all that they started with them: at a limit, at a failure, and with ndt-bench, whatever ends it."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest
from conftest import EXIT_JOBS_FAILED, bench, rows_in
from test_peers import make_peer
from test_run import preset


def running(word):
    commands = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            commands.append(file.read_bytes())
        except OSError:  # it has ended
            pass
    return any(word.encode() in command for command in commands)


def becomes(state, seconds):
    end = time.monotonic() + seconds
    while not state() and time.monotonic() < end:
        time.sleep(0.01)
    return state()


def ended(word):
    """A process that was killed may be seen a moment longer."""
    return becomes(lambda: not running(word), 5)


def test_a_peer_that_hangs_is_ended_with_all_that_it_started(tmp_path):
    hang = "def on_align(): import subprocess; print('waits', file=sys.stderr, flush=True); subprocess.run(['sleep', '4321'])"
    env = make_peer(tmp_path / "peers", "hangs", hang)
    file = preset(tmp_path, '[limits]\nmeasurement_s = 2\n[[study]]\ndatasets = ["courtyard"]\nthreads = [1]\n'
                  '[[study.scatters]]\nguesses = 1\nxy_m = 0.1\n')
    bench("run", "--preset", file, "--implementation", "exec:hangs", "--samples", 1, "--out", tmp_path / "run",
          code=EXIT_JOBS_FAILED, env=env)
    (row,) = rows_in(tmp_path / "run")
    assert row["error_kind"] == "timeout" and re.search("no result within 2 s.*waits", row["error"]), row["error"]
    assert ended("4321")
    # Work that was ended is tried again, with the peer as it is now.
    make_peer(tmp_path / "peers", "hangs")
    bench("run", "--resume", tmp_path / "run", env=env)
    (row,) = rows_in(tmp_path / "run")
    assert row["error"] is None and row["iterations"] == 3


def test_what_a_peer_starts_ends_with_it(tmp_path, courtyard):
    begin = "def on_scan(): import subprocess; subprocess.Popen(['sleep', '4322'], start_new_session=True); say(us=work())"
    bench("align", *courtyard.args, "--implementation", "exec:starts", env=make_peer(tmp_path, "starts", begin))
    assert ended("4322")


DAEMON = """
def daemon():
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            open("started", "w").close()
            os.execvp("sleep", ["sleep", "4323"])
        os._exit(0)
    os.wait()
    while not os.path.exists("started"):
        time.sleep(0.001)
"""


@pytest.mark.parametrize("replaced, code", [
    ("def on_scan(): daemon(); say(us=work())", 0),
    ("def on_align(): daemon(); os._exit(3)", EXIT_JOBS_FAILED),
    ("def on_align(): daemon(); time.sleep(60)", EXIT_JOBS_FAILED),
    ("def on_align(): daemon(); os.kill(os.getppid(), 9); time.sleep(60)", EXIT_JOBS_FAILED),
])
def test_what_forks_twice_ends_with_the_peer(tmp_path, replaced, code):
    """In a session of its own, with a parent that has ended."""
    env = make_peer(tmp_path / "peers", "daemons", DAEMON + replaced)
    file = preset(tmp_path, '[limits]\nmeasurement_s = 2\n[[study]]\ndatasets = ["courtyard"]\nthreads = [1]\n'
                  '[[study.scatters]]\nguesses = 1\nxy_m = 0.1\n')
    bench("run", "--preset", file, "--implementation", "exec:daemons", "--samples", 1, "--out", tmp_path / "run", code=code, env=env)
    assert (tmp_path / "peers" / "started").exists() and ended("4323")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("command", ["align", "run"])
def test_whatever_ends_ndt_bench_ends_its_peers(tmp_path, courtyard, command, number):
    """With a process that has a session of its own, and one that also lost its parent."""
    begin = """
def on_scan():
    import subprocess
    subprocess.Popen(["sleep", "4324"], start_new_session=True)
    daemon()
    time.sleep(60)
"""
    env = os.environ | make_peer(tmp_path / "peers", "lingers", DAEMON.replace("4323", "4325") + begin)
    file = preset(tmp_path, '[[study]]\ndatasets = ["courtyard"]\nthreads = [1]\n[[study.scatters]]\nguesses = 1\nxy_m = 0.1\n')
    words = courtyard.args if command == "align" else ["--preset", file, "--samples", 1, "--out", tmp_path / "run"]
    process = subprocess.Popen([os.environ["NDT_BENCH"], command, *map(str, words), "--implementation", "exec:lingers"], env=env,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    assert becomes(lambda: running("4324") and running("4325"), 30)
    process.send_signal(number)
    process.wait(20)
    assert ended("4324") and ended("4325") and ended("lingers.py")
