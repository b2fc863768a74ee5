"""LAS and LAZ by the packages laspy and lazrs: https://pypi.org/project/laspy."""

import os
import re
import struct
from contextlib import contextmanager

import numpy as np

from .faults import Fault

CHUNK = 1_000_000  # points at a time
SHORTEST_HEADER, LONGEST_HEADER = 227, 375  # bytes, of LAS 1.0 and 1.4
VLR, EVLR = 54, 60  # bytes of the smallest records, before the points and after them
METRE = 9001  # EPSG's number of the unit; keys are GeoTIFF's
MODEL_TYPE, GEOGRAPHIC, PROJECTED_SYSTEM, LINEAR_UNITS, VERTICAL_UNITS = 1024, 2, 3072, 3076, 4099
DEGREES = r'(?:(?:COMPD_CS|COMPOUNDCRS|BOUNDCRS)\[(?:"[^"]*",|SOURCECRS\[)?)?(?:GEOGCS|GEOGCRS|GEODCRS)'
INSTALL = "install laspy and lazrs from PyPI (pip install laspy lazrs) for the Python that runs this"


def read_las(file):
    """(points, N x 3 double; what the file says of them)."""
    with _opened(file) as reader:
        facts = _facts(file, reader.header)
        points = [np.column_stack([np.asarray(c, dtype=np.float64) for c in (chunk.x, chunk.y, chunk.z)])
                  for chunk in reader.chunk_iterator(CHUNK)]
    return np.concatenate(points) if points else np.empty((0, 3)), facts


def las_facts(file):
    """Reads from the header what the file says of its points."""
    with _opened(file) as reader:
        return _facts(file, reader.header)


@contextmanager
def _opened(file):
    laspy = _library(file)
    try:
        _require_room_for_records(file)
        with laspy.open(str(file)) as reader:
            yield reader
    except FileNotFoundError:
        raise Fault(file, "", "was not found", "check the path") from None
    except (Fault, MemoryError):
        raise
    except Exception as error:  # the library's own, and what dates, texts and unpacking raise
        raise Fault(file, "", f"cannot be read as LAS ({' '.join(str(error).split())[:200]})", "export the cloud again") from None


def _require_room_for_records(file):
    """Refuses more variable length records than the file has bytes for: laspy would make each of them, out of nothing."""
    with open(file, "rb") as stream:
        header = stream.read(LONGEST_HEADER)
        size = os.fstat(stream.fileno()).st_size
    if len(header) < SHORTEST_HEADER or not header.startswith(b"LASF"):
        return  # laspy says what is wrong
    places = [("variable length", VLR, struct.unpack_from("<HxxxxI", header, 94))]
    if header[25] >= 4 and len(header) == LONGEST_HEADER:
        places.append(("extended variable length", EVLR, struct.unpack_from("<QI", header, 235)))
    for name, bytes_each, (start, count) in places:
        if count > max(0, size - start) // bytes_each:
            raise Fault(file, "header", f"{count} {name} records do not fit into the {size} bytes of the file", "export the cloud again")


def _library(file):
    try:
        import laspy
    except ImportError:
        raise Fault(file, "", "cannot be read without the package laspy", INSTALL) from None
    if file.suffix.lower() == ".laz" and not laspy.LazBackend.detect_available():
        raise Fault(file, "", "cannot be unpacked without the package lazrs", INSTALL)
    return laspy


def _facts(file, header):
    name, wkt = _system(file, header)
    return {"source": file.name, "las_version": str(header.version), "points": header.point_count,
            "scale_m": [float(v) for v in header.scales], "offset_m": [float(v) for v in header.offsets], "crs": name, "crs_wkt": wkt}


def _system(file, header):
    """(name or None, WKT or None). Refuses what is not in metres."""
    records = [*header.vlrs, *(header.evlrs or [])]
    wkt = next((text for r in records if (text := getattr(r, "string", None)) and r.record_id == 2112), None)
    keys = {key.id: key.value_offset for r in records for key in getattr(r, "geo_keys", [])}
    if keys.get(MODEL_TYPE) == GEOGRAPHIC or re.match(DEGREES, wkt or ""):
        raise Fault(file, "", "its coordinates are degrees of latitude and longitude", "project it to metres, such as UTM, first")
    units = re.findall(r'(?:LENGTH)?UNIT\["([^"]+)"', wkt or "")
    feet = [unit for unit in units if "foot" in unit.lower() or "feet" in unit.lower()]
    units = [f"EPSG unit {keys[key]}" for key in (LINEAR_UNITS, VERTICAL_UNITS) if keys.get(key, METRE) != METRE]
    if feet or units:
        raise Fault(file, "", f"its coordinates are in {(feet + units)[0]}, not metres", "convert it to metres first")
    if wkt:
        named = re.match(r'\w+\["([^"]*)"', wkt)
        return named[1] if named else None, wkt
    return f"EPSG:{keys[PROJECTED_SYSTEM]}" if PROJECTED_SYSTEM in keys else None, None
