"""E57 [ASTM E2807] by the package pye57: https://pypi.org/project/pye57. Its unit is the metre."""

import re
import struct
from xml.parsers import expat

import numpy as np

from .faults import Fault

HEADER = struct.Struct("<8s8x8xQQQ")  # signature, place and length of the XML, bytes of a page
CHECKSUM = 4  # bytes that end a page
DEEPEST = 64  # XML elements in one another: the library needs the square of their number
INSTALL = "install pye57 from PyPI (pip install pye57) for the Python that runs this"


def read_e57(file):
    """(points of all its scans, N x 3 double, each moved by its scan's pose; what the file says of them). Points that a scan calls
    invalid are left out."""
    pye57 = _library(file)
    if not file.is_file():
        raise Fault(file, "", "was not found", "check the path")
    _require_flat(file)
    try:
        e57 = pye57.E57(str(file))
        try:
            scans = [_points_of(e57.read_scan(k, ignore_missing_fields=True)) for k in range(e57.scan_count)]
            facts = _facts(file, e57, [len(points) for points in scans])
        finally:
            e57.close()
    except MemoryError:
        raise
    except Exception as error:  # the library has its own exceptions, and on Linux raises a NameError beside them
        raise Fault(file, "", f"cannot be read as E57 ({_cause(error)})", "export the cloud again") from None
    return np.concatenate(scans) if scans else np.empty((0, 3)), facts


def _library(file):
    try:
        import pye57
    except ImportError:
        raise Fault(file, "", "cannot be read without the package pye57", INSTALL) from None
    return pye57


def _require_flat(file):
    """Refuses XML that is nested deeper than DEEPEST. What else is wrong with the file, the library says."""
    depth = 0

    def begin(*_):
        nonlocal depth
        depth += 1
        if depth > DEEPEST:
            raise Fault(file, "XML", f"nests elements more than {DEEPEST} deep", "it is damaged; export the cloud again")

    def end(_):
        nonlocal depth
        depth -= 1

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    try:
        for part in _xml_of(file):
            parser.Parse(part)
    except expat.ExpatError:
        pass


def _xml_of(file):
    """Yields the XML in parts, without the checksums of its pages."""
    with open(file, "rb") as stream:
        header = stream.read(HEADER.size)
        signature, start, left, page = HEADER.unpack(header) if len(header) == HEADER.size else (b"", 0, 0, 0)
        if signature != b"ASTM-E57" or not CHECKSUM < page <= 1 << 20 or start >= 2**63:
            return
        stream.seek(start)
        while left > 0 and (part := stream.read(page - stream.tell() % page)[:-CHECKSUM]):
            yield part[:left]
            left -= len(part)


def _points_of(scan):
    return np.column_stack([np.asarray(scan[f"cartesian{axis}"], dtype=np.float64) for axis in "XYZ"])


def _facts(file, e57, points):
    """A scan tells how many points it has by its header, some of which may be invalid."""
    declared = [e57.get_header(k).point_count for k in range(len(points))]
    try:
        wkt = e57.root["coordinateMetadata"].value() or None
    except Exception:  # optional: the library says so by an exception of its own
        wkt = None
    named = re.match(r'\w+\["([^"]*)"', wkt or "")
    return {"source": file.name, "points": sum(points), "points_invalid": sum(declared) - sum(points), "scans": len(points),
            "crs": named[1] if named else None, "crs_wkt": wkt}


def _cause(error):
    while error.__context__ is not None:
        error = error.__context__
    return " ".join(str(error).split())[:200]
