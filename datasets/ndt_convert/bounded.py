"""Work on a file of strangers in a child process, whose memory, processor time and output are bounded by the size of the file. An honest
file of any size stays within them; a small one cannot cost more than its bounds, however it is made."""

import ctypes
import multiprocessing
import os
import resource
import signal
import traceback
from pathlib import Path
from typing import NamedTuple

from . import live_line
from .faults import Fault

MEMORY, MEMORY_OF_BYTE = 4 << 30, 64  # bytes: for any file, and more for each of its bytes; at most the machine's
SECONDS, SECONDS_OF_MB = 60, 10  # of processor time
OUTPUT, OUTPUT_OF_BYTE = 4 << 30, 64  # bytes that are written
MACHINE = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
PR_SET_PDEATHSIG = 1  # of Linux: the signal that a child gets when its parent ends
LOOK_S = 0.5  # from one look at the output to the next
ADVICE = "it is damaged, or was made to do harm; thin or split an honest one"


class Bounds(NamedTuple):
    file: Path
    size: int  # bytes
    memory: int
    seconds: int
    output: int

    def fault(self, what):
        return Fault(self.file, "", f"reading it takes more than {what}, the bound for its {_text(self.size)}", ADVICE)

    def of_memory(self):
        return self.fault(f"{_text(self.memory)} of memory")

    def of_end(self, code):
        """The Fault of a child that ended without an answer."""
        if code == -signal.SIGXCPU:
            return self.fault(f"{self.seconds} s of processor time")
        if code == -signal.SIGKILL:
            return Fault(self.file, "", "the system stopped its reader, as it does when memory runs out",
                         f"free memory; the reader may take {_text(self.memory)}")
        name = signal.Signals(-code).name if code and code < 0 else f"exit code {code}"
        return Fault(self.file, "", f"its reader crashed ({name})", "it is damaged: export or record it again")


def bounds_of(path):
    size = _size(path)
    return Bounds(path, size, min(MACHINE, MEMORY + MEMORY_OF_BYTE * size), SECONDS + SECONDS_OF_MB * size // 10**6,
                  OUTPUT + OUTPUT_OF_BYTE * size)


def bounded(path, work, say):
    """Returns work(say), done in a child within the bounds of the file or folder. Raises its Fault or OSError, or a Fault that names the
    bound. What the child has written stays: the caller removes it after a failure."""
    bounds, context = bounds_of(path), multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    child = context.Process(target=_work_within, args=(bounds, work, sending))
    child.start()
    sending.close()
    try:
        return _answer(child, receiving, bounds, say)
    finally:  # also when this process is told to end
        child.kill()
        child.join()
        receiving.close()


def _answer(child, receiving, bounds, say):
    while True:
        if not receiving.poll(LOOK_S):
            if _written(child.pid) > bounds.output:
                raise bounds.fault(f"{_text(bounds.output)} of output")
            continue
        try:
            kind, value = receiving.recv()
        except EOFError:
            child.join()
            raise bounds.of_end(child.exitcode) from None
        if kind == "line":
            say(value)
        elif kind == "result":
            return value
        else:
            raise value


def _work_within(bounds, work, sending):
    """Runs in the child: sends lines, and at the end ("result", value) or ("error", exception)."""
    limits = resource.getrlimit(resource.RLIMIT_DATA)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    try:
        _limit(resource.RLIMIT_CORE, 0)
        _limit(resource.RLIMIT_CPU, bounds.seconds)
        _limit(resource.RLIMIT_DATA, bounds.memory + _data_now())
        message = "result", work(lambda line: _send(sending, ("line", line)))
    except MemoryError:
        message = "error", bounds.of_memory()
    except (Fault, OSError) as error:
        message = "error", error
    except Exception:  # a defect of ours
        message = "error", RuntimeError(traceback.format_exc())
    except BaseException:  # told to end
        os._exit(1)
    resource.setrlimit(resource.RLIMIT_DATA, limits)
    _send(sending, message)


def _send(sending, message):
    live_line.end()  # the parent may print
    sending.send(message)


def _limit(kind, value):
    """Lowers the limit; one of the user's that is lower stays. Memory counts what is private and writable, no mapped file."""
    soft, hard = resource.getrlimit(kind)
    known = [value] + [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(kind, (min(known), hard))


def _data_now():
    """Bytes that count already: the child begins as a copy of its parent."""
    return int(_of_process("self", "status", "VmData") or 0) * 1024


def _written(pid):
    return int(_of_process(pid, "io", "wchar") or 0)


def _of_process(pid, file, key):
    """A number that Linux tells of a process; None where it tells none."""
    try:
        for line in Path(f"/proc/{pid}/{file}").read_text().splitlines():
            if line.startswith(f"{key}:"):
                return line.split()[1]
    except OSError:
        pass
    return None


def _size(path):
    """Bytes of a file, or of the files in a folder; 0 of what is not there."""
    files = path.iterdir() if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files if file.is_file())


def _text(count):
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if count < 1024 or unit == "GiB":
            return f"{count:.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1024
