"""Scans in a folder."""

import re
from collections import Counter

from .clouds import EXTENSIONS
from .faults import Fault


def scan_files(folder, left_out=(), order="number"):
    """The clouds of a folder, all of one format, without those left out: in the order of the numbers in their names (2 before 10), or by
    letter with order="name"."""
    left_out = {path.resolve() for path in left_out}
    files = [path for path in folder.iterdir()
             if path.is_file() and path.suffix.lower() in EXTENSIONS and path.resolve() not in left_out]
    if not files:
        below = sorted({path.parent for path in folder.glob("*/*") if path.suffix.lower() in EXTENSIONS})
        advice = "give the folder that holds the scans" + (f", such as {below[0]}" if below else "")
        raise Fault(folder, "", f"contains no scans ({', '.join(EXTENSIONS)})", advice)
    formats = Counter(path.suffix.lower() for path in files)
    if len(formats) > 1:
        raise Fault(folder, "", "scans of several formats: " + ", ".join(f"{n} {e}" for e, n in sorted(formats.items())),
                    "leave one format in the folder; a map is named with --map")
    return sorted(files, key=lambda path: _natural(path.name) if order == "number" else path.name)


def differing(files):
    """The first names that differ between the two orders, (by number, by letter), None where they agree."""
    names = [path.name for path in files]
    return next((pair for pair in zip(sorted(names, key=_natural), sorted(names)) if pair[0] != pair[1]), None)


def _natural(name):
    """Numbers by value, the rest by letter; the name itself decides between 01 and 1."""
    return [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"([0-9]+)", name) if part], name
