"""Python programs that stand for ndt-bench and Nsight Compute."""

import stat
import sys


def write_program(path, text, **values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.format(python=sys.executable, **values))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
