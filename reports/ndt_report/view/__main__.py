"""./run view DIR [--out FILE.html] [--open]"""

import argparse
import sys
import webbrowser
from pathlib import Path

from ..read.files import is_there, write_file
from ..read.printable import printable
from ..read.refusal import InputError, refusal

EXIT_USAGE, EXIT_BAD_INPUT, EXIT_INTERRUPTED = 1, 2, 130
PAGE = "view.html"


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(EXIT_USAGE, f"view: {printable(message)}; see ./run view --help\n")


def parser():
    p = Parser(prog="./run view", allow_abbrev=False, description="Writes one HTML page in three dimensions that works without a network.")
    p.add_argument("folder", metavar="DIR", type=Path, help="what ndt-bench localize --out or ndt-bench align --ply wrote")
    p.add_argument("--out", type=Path, metavar="FILE.html", help=f"the page (DIR/{PAGE})")
    p.add_argument("--open", action="store_true", help="show the page in a browser")
    return p


def show(folder, out=None, opened=False, say_to=sys.stdout):
    """Writes the page, and opens it if asked for. Throws InputError."""
    page = make(folder, out, say_to)
    if opened:
        webbrowser.open(page.resolve().as_uri())


def make(folder, out, say_to) -> Path:
    """Writes the page and returns its path. Throws InputError."""
    from ..localization.load import is_localization
    from . import alignment, drive
    from .page import text_of

    page = out or folder / PAGE
    if not page.absolute().parent.is_dir():
        raise refusal(page.parent, "", "is not a folder", "make it, or give another --out")
    if is_localization(folder):
        scene = drive.scene(folder)
    elif is_there(folder / alignment.AFTER):
        scene = alignment.scene(folder)
    else:
        raise refusal(folder, "", f"has neither frames.csv nor {alignment.AFTER}", "give what localize --out or align --ply wrote")
    write_file(page.absolute().parent, page.name, text_of(scene))
    print(f"page             {printable(str(page))}, {page.stat().st_size / 2**20:.1f} MiB: {scene.sentence}", file=say_to)
    return page


def main() -> int:
    arguments = parser().parse_args()
    try:
        import pandas, plotly  # noqa: E401, F401
    except ImportError as error:
        return _failed(f"{sys.executable} has no {error.name}; ./run view installs it, or pip install {error.name}")
    try:
        show(arguments.folder, arguments.out, arguments.open)
    except InputError as error:
        return _failed(error)
    except OSError as error:
        return _failed(f"{error.filename or 'standard output'}: {error.strerror}; check that it can be written")
    except KeyboardInterrupt:
        _failed("interrupted; no page is written")
        return EXIT_INTERRUPTED
    return 0


def _failed(text) -> int:
    print(f"view: {printable(str(text))}", file=sys.stderr)
    return EXIT_BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
