"""PCD 0.7: ascii, binary and binary_compressed."""

import os
from typing import NamedTuple

import numpy as np

from . import header, lzf
from .faults import Fault

TYPES = {("F", 4): "<f4", ("F", 8): "<f8", **{(t, s): f"<{t.lower()}{s}" for t in "IU" for s in (1, 2, 4, 8)}}
LARGEST_POINT = (1 << 31) - 1  # bytes of a numpy type


class Layout(NamedTuple):
    names: list  # of the fields
    kinds: list  # numpy type of each
    counts: list  # values of each
    points: int
    data: str  # encoding
    start: int  # first byte after the header

    def dtype(self):
        """One point as stored in DATA binary. Only the coordinates: the other fields may share a name, as '_' (padding)."""
        sizes = [np.dtype(kind).itemsize * count for kind, count in zip(self.kinds, self.counts)]
        offsets = np.concatenate([[0], np.cumsum(sizes)])
        at = [self.names.index(name) for name in "xyz"]
        return np.dtype({"names": list("xyz"), "formats": [self.kinds[i] for i in at],
                         "offsets": [int(offsets[i]) for i in at], "itemsize": int(offsets[-1])})


def check(stream, file):
    layout = _layout(stream, file)
    size = os.fstat(stream.fileno()).st_size - layout.start
    if layout.data == "binary" and size < layout.points * layout.dtype().itemsize:
        raise Fault(file, "", f"{size} bytes of points where the header declares {layout.points} of {layout.dtype().itemsize} bytes",
                    header.CUT_OFF)
    return layout.points


def read(stream, file):
    layout = _layout(stream, file)
    stream.seek(0)
    check(stream, file)
    stream.seek(layout.start)
    read_points = {"ascii": _read_ascii, "binary": _read_binary, "binary_compressed": _read_compressed}[layout.data]
    return read_points(stream, file, layout)


def _read_binary(stream, file, layout):
    return header.xyz(np.frombuffer(stream.read(layout.points * layout.dtype().itemsize), dtype=layout.dtype()))


def _read_ascii(stream, file, layout):
    columns = sum(layout.counts)
    words = stream.read().split()
    if len(words) < layout.points * columns:
        raise Fault(file, "", f"{len(words)} values where the header declares {layout.points} points of {columns}",
                    header.CUT_OFF)
    table = np.array(words[:layout.points * columns], dtype=object).reshape(layout.points, columns)
    at = [sum(layout.counts[:layout.names.index(name)]) for name in "xyz"]
    try:
        return table[:, at].astype(np.float64)
    except ValueError as error:
        raise Fault(file, "points", str(error), header.EXPORT_AGAIN) from None


def _read_compressed(stream, file, layout):
    sizes = np.frombuffer(stream.read(8), dtype="<u4")
    expected = layout.points * layout.dtype().itemsize
    packed = stream.read(int(sizes[0])) if len(sizes) == 2 else b""
    if len(sizes) != 2 or len(packed) < sizes[0] or sizes[1] != expected:
        raise Fault(file, "", f"its compressed data do not hold the {layout.points} points of the header",
                    header.CUT_OFF)
    try:
        plain = lzf.decompress(packed, expected)
    except ValueError as error:
        raise Fault(file, "compressed data", str(error), header.EXPORT_AGAIN) from None
    # Column by column: all x, then all y, ...
    out, start = {}, 0
    for name, kind, count in zip(layout.names, layout.kinds, layout.counts):
        size = np.dtype(kind).itemsize * count * layout.points
        out.setdefault(name, np.frombuffer(plain[start:start + size], dtype=kind))
        start += size
    return np.stack([out[name] for name in "xyz"], axis=1)


def _layout(stream, file):
    given = {}
    for words in header.lines(stream, file, "DATA"):
        if words and not words[0].startswith("#"):
            given[words[0]] = words[1:]
    for key in ("FIELDS", "SIZE", "TYPE", "POINTS", "DATA"):
        if not given.get(key):
            raise Fault(file, "header", f"the {key} line is missing", header.EXPORT_AGAIN)
    names, types = given["FIELDS"], given["TYPE"]
    sizes = [header.whole(word, file, "SIZE") for word in given["SIZE"]]
    counts = [header.whole(word, file, "COUNT") for word in given.get("COUNT", ["1"] * len(names))]
    if not len(names) == len(sizes) == len(types) == len(counts):
        raise Fault(file, "header", "FIELDS, SIZE, TYPE and COUNT differ in length", header.EXPORT_AGAIN)
    if sum(size * count for size, count in zip(sizes, counts)) > LARGEST_POINT:
        raise Fault(file, "header", f"SIZE and COUNT make a point larger than {LARGEST_POINT} bytes", header.EXPORT_AGAIN)
    kinds = [TYPES.get((t.upper(), s)) for t, s in zip(types, sizes)]
    if None in kinds:
        bad = kinds.index(None)
        raise Fault(file, "header", f"field {names[bad]} has type {types[bad]} of {sizes[bad]} bytes", header.EXPORT_AGAIN)
    for name in "xyz":
        if name not in names or kinds[names.index(name)] not in ("<f4", "<f8") or counts[names.index(name)] != 1:
            raise Fault(file, "header", f"no field {name} of float or double", "give a cloud with float x y z")
    if given["DATA"][0] not in ("ascii", "binary", "binary_compressed"):
        raise Fault(file, "header", f"DATA {given['DATA'][0]}", "save it as ascii, binary or binary_compressed")
    return Layout(names, kinds, counts, header.whole(given["POINTS"][0], file, "POINTS"), given["DATA"][0], stream.tell())
