"""Scans in a folder."""

from collections import Counter

from .clouds import FORMATS
from .faults import Fault
from .library import scans_among


def scan_files(folder, left_out=(), order="number"):
    """The clouds of a folder, all of one format, without those left out: in the order of the numbers in their names (2 before 10), or by
    letter with order="name"."""
    left_out = {path.resolve() for path in left_out}
    files = _scans(folder, order, left_out)
    if not files:
        below = next((path for path in sorted(folder.iterdir()) if path.is_dir() and _scans(path)), None)
        raise Fault(folder, "", f"contains no scans ({FORMATS})", "give the folder that holds the scans" + (f", such as {below}" if below else ""))
    formats = Counter(path.suffix.lower() for path in files)
    if len(formats) > 1:
        raise Fault(folder, "", "scans of several formats: " + ", ".join(f"{n} {e}" for e, n in sorted(formats.items())),
                    "leave one format in the folder; a map is named with --map")
    return files


def differing(files):
    """The first names that differ between the two orders, (by number, by letter), None where they agree."""
    names = [path.name for path in files]
    return next((pair for pair in zip(scans_among(names), scans_among(names, by_number=False)) if pair[0] != pair[1]), None)


def _scans(folder, order="number", left_out=()):
    names = [path.name for path in folder.iterdir() if path.is_file() and path.resolve() not in left_out]
    return [folder / name for name in scans_among(names, by_number=order == "number")]
