"""Folders that exist whole or not at all."""

import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

from .faults import Fault


@contextmanager
def new_folder(out):
    """Gives a folder beside `out` to fill, which gets that name when the block ends, and is removed if it fails. Two processes may make
    `out` at once: the second to end fails."""
    _require_free(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.parent))
    try:
        work.chmod(0o755)  # mkdtemp keeps others out
        yield work
        work.rename(out)  # an empty folder of that name is replaced
    except BaseException:
        shutil.rmtree(work, ignore_errors=True)
        raise


def _require_free(out):
    if out.exists() and not (out.is_dir() and not any(out.iterdir())):
        raise Fault(out, "", "exists and is not empty" if out.is_dir() else "is a file", "give a new folder with --out")
