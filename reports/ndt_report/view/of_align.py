"""./run align [args of ndt-bench align] [--view FILE.html [--open]]: aligns, and draws what --ply would write."""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from ..read.printable import printable
from ..read.refusal import InputError, refusal
from .__main__ import EXIT_BAD_INPUT, EXIT_INTERRUPTED, EXIT_USAGE, _failed, show
from .alignment import AFTER


def parser():
    p = argparse.ArgumentParser(prog="./run align", allow_abbrev=False, add_help=False)
    p.add_argument("--bench", required=True)
    p.add_argument("--view", type=Path)
    p.add_argument("--open", action="store_true")
    p.add_argument("--ply", type=Path)
    return p


def main() -> int:
    own, others = parser().parse_known_args()
    align = [own.bench, "align", *others]
    if own.open and not own.view:
        print("align: --open requires --view; give one, or remove it", file=sys.stderr)
        return EXIT_USAGE
    if not own.view:
        return subprocess.call([*align, *(["--ply", str(own.ply)] if own.ply else [])])
    try:
        _require_place(own.view)
        with tempfile.TemporaryDirectory() as scratch:
            folder = own.ply or Path(scratch) / "ply"
            status = subprocess.call([*align, "--ply", str(folder)])
            if (folder / AFTER).is_file():
                show(folder, own.view, own.open, sys.stderr)
            return status
    except InputError as error:
        return _failed(error)
    except OSError as error:
        return _failed(f"{error.filename or own.bench}: {error.strerror}")
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED


def _require_place(page):
    if page.exists():
        raise refusal(printable(str(page)), "", "exists", "give another --view")
    if not page.absolute().parent.is_dir():
        raise refusal(page.parent, "", "is not a folder", "make it, or give another --view")


if __name__ == "__main__":
    sys.exit(main())
