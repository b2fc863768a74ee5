"""PLY 1.0: the element vertex, first in the file, in ascii or binary."""

import os
from typing import NamedTuple

import numpy as np

from . import header
from .faults import Fault

TYPES = {"char": "i1", "uchar": "u1", "short": "i2", "ushort": "u2", "int": "i4", "uint": "u4", "float": "f4", "double": "f8",
         "int8": "i1", "uint8": "u1", "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4",
         "float32": "f4", "float64": "f8"}
ORDERS = {"ascii": "=", "binary_little_endian": "<", "binary_big_endian": ">"}


class Layout(NamedTuple):
    dtype: np.dtype  # of one vertex
    points: int
    encoding: str
    start: int  # first byte after the header


def check(stream, file):
    layout = _layout(stream, file)
    size = os.fstat(stream.fileno()).st_size - layout.start
    if layout.encoding != "ascii" and size < layout.points * layout.dtype.itemsize:
        raise Fault(file, "", f"{size} bytes of points where the header declares {layout.points} of {layout.dtype.itemsize} bytes",
                    header.CUT_OFF)
    return layout.points


def read(stream, file):
    check(stream, file)
    stream.seek(0)
    layout = _layout(stream, file)
    if layout.encoding != "ascii":
        return header.xyz(np.frombuffer(stream.read(layout.points * layout.dtype.itemsize), dtype=layout.dtype))
    columns = [layout.dtype.names.index(name) for name in "xyz"]
    try:
        rows = [line.split() for _, line in zip(range(layout.points), stream)]
        points = np.array([[float(row[c]) for c in columns] for row in rows]).reshape(-1, 3)
    except (ValueError, IndexError):
        raise Fault(file, "points", "a vertex line is not numbers of all its properties", header.EXPORT_AGAIN) from None
    if len(points) < layout.points:
        raise Fault(file, "", f"{len(points)} vertices where the header declares {layout.points}",
                    header.CUT_OFF)
    return points


def write(file, points, wide):
    """PLY 1.0, little-endian, x y z: float, or double."""
    kind = "double" if wide else "float"
    properties = "".join(f"property {kind} {axis}\n" for axis in "xyz")
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n{properties}end_header\n"
    with open(file, "wb") as out:
        out.write(head.encode() + np.ascontiguousarray(points, dtype="<" + TYPES[kind]).tobytes())


def _layout(stream, file):
    lines = header.lines(stream, file, "end_header")
    if lines[0] != ["ply"]:
        raise Fault(file, "header", "does not begin with 'ply'", header.EXPORT_AGAIN)
    encoding = next((line[1] for line in lines if line[:1] == ["format"] and len(line) > 1), "missing")
    if encoding not in ORDERS:
        raise Fault(file, "header", f"format {encoding}", "save it as " + ", ".join(ORDERS))
    elements = [i for i, line in enumerate(lines) if line[:1] == ["element"]]
    if not elements or lines[elements[0]][1:2] != ["vertex"] or len(lines[elements[0]]) != 3:
        raise Fault(file, "header", "the first element is not 'vertex'", header.EXPORT_AGAIN)
    properties = [line[1:] for line in lines[elements[0] + 1:(elements + [len(lines)])[1]] if line[:1] == ["property"]]
    if any(len(p) != 2 or p[0] not in TYPES for p in properties):
        raise Fault(file, "header", "a property of the vertices is a list or of an unknown type", header.EXPORT_AGAIN)
    names, kinds = [p[1] for p in properties], [ORDERS[encoding] + TYPES[p[0]] for p in properties]
    for name in "xyz":
        if name not in names or not kinds[names.index(name)].endswith(("f4", "f8")):
            raise Fault(file, "header", f"no property {name} of float or double", "give a cloud with float x y z")
    if len(set(names)) != len(names):
        raise Fault(file, "header", "two properties of the vertices have one name", header.EXPORT_AGAIN)
    points = header.whole(lines[elements[0]][2], file, "vertex")
    return Layout(np.dtype(list(zip(names, kinds))), points, encoding, stream.tell())
