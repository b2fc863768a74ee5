"""Files that are opened for reading, and folders that exist whole or not at all."""

import os
import secrets
import shutil
import stat
from contextlib import contextmanager

from .faults import Fault


def require_regular(file):
    """Refuses anything but a regular file: a pipe would be waited for."""
    if not stat.S_ISREG(os.stat(file).st_mode):
        raise Fault(file, "", "is not a regular file", "give a file, neither a folder nor a pipe")


def opened(file, mode="rb", **how):
    """The open file, which must be a regular one."""
    try:
        require_regular(file)
        return open(file, mode, **how)
    except OSError as error:
        raise Fault(file, "", error.strerror, "check the path and its permissions") from None


@contextmanager
def new_folder(out):
    """Gives a folder beside `out` to fill, which gets that name when the block ends, and is removed if it fails. Two processes may make
    `out` at once: the second to end fails."""
    _require_free(out)
    with work_folder(out) as work:
        yield work
        work.rename(out)  # an empty folder of that name is replaced


@contextmanager
def work_folder(out):
    """Gives a new folder beside `out`, which is removed when the block ends, unless it has got another name by then."""
    out.parent.mkdir(parents=True, exist_ok=True)
    work = out.parent / f".{out.name}.{secrets.token_hex(8)}"  # named first: a signal may arrive as soon as the folder is there
    try:
        work.mkdir()
        yield work
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _require_free(out):
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise Fault(out, "", "exists and is not empty" if out.is_dir() else "is a file", "give a new folder with --out")
