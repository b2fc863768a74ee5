"""The end by a signal: work folders are removed, and a child ends in order."""

import os
import signal
import subprocess
import time

SIGNALS = (signal.SIGTERM, signal.SIGHUP)
AGAIN_S = 5  # a closing terminal sends its signal twice

_last_s = -AGAIN_S
_held = None  # signals that came while a child is started; None at other times


def leave_nothing_behind():
    """From now on SIGTERM and SIGHUP raise SystemExit, unless they are ignored, as nohup does."""
    for number in SIGNALS:
        if signal.getsignal(number) == signal.SIG_DFL:
            signal.signal(number, _end)


def _end(number, _):
    global _last_s
    if _held is not None:
        _held.append(number)
    elif time.monotonic() - _last_s >= AGAIN_S:  # a second one must not stop the removal
        _last_s = time.monotonic()
        raise SystemExit(128 + number)


def end_by_interrupt():
    """Ends this process by SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)


def call(words, **how):
    """As subprocess.call. When this process is told to end, the child is told too, and waited for."""
    global _held
    _held = []  # else a child that has begun is not told
    try:
        child = subprocess.Popen(words, **how)
    except BaseException:
        _held = None
        raise
    with child:
        try:
            came, _held = _held, None
            for number in came:
                _end(number, None)
            return child.wait()
        except BaseException as end:
            if not isinstance(end, KeyboardInterrupt):  # which the child gets from the terminal
                child.terminate()
            child.wait()
            raise
