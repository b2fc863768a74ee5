"""A program on a terminal, and what a person sees there at the end."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios

CSI = re.compile(r"\x1b\[([0-9;]*)([A-Za-z])")


class Terminal:
    """A pseudo-terminal that a program gets as stdin, stdout and stderr."""

    def __init__(self, words, columns=80, env=None, cwd=None):
        ours, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        self._ours = ours
        environment = {k: v for k, v in os.environ.items() if k not in ("NDT_DATASETS", "NO_COLOR")} | {"TERM": "xterm"} | (env or {})
        self.process = subprocess.Popen([str(word) for word in words], stdin=its, stdout=its, stderr=its, env=environment, cwd=cwd,
                                        start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(its)
        self.said = ""

    def until(self, pattern):
        """Reads until the program has written the pattern. False if it ends before."""
        while not re.search(pattern, self.said):
            if not self._read():
                return False
        return True

    def press(self, key):
        os.write(self._ours, key)

    def end(self):
        """The exit code, after all has been read."""
        while self._read():
            pass
        os.close(self._ours)
        return self.process.wait(timeout=60)

    def _read(self):
        try:
            data = os.read(self._ours, 65536)
        except OSError:  # Linux: the other end is closed
            return False
        self.said += data.decode("utf-8", "replace")
        return bool(data)


def seen(text):
    """The lines that are on the screen at the end: what was erased or overwritten is gone, colours are left out."""
    lines, line = [], ""
    for part in re.split(r"(\r\n|\r|\x1b\[[0-9;]*[A-Za-z])", text):
        if part == "\r\n":
            lines.append(line)
            line = ""
        elif part == "\x1b[K":  # always at the line's beginning
            line = ""
        elif part != "\r" and not CSI.fullmatch(part):
            line += part
    return [*lines, line]


def drawn(text):
    """Every state of the line that changes."""
    return re.findall(r"\r\x1b\[K([^\r\n\x1b]+)(?=\r\x1b\[K)", text)
