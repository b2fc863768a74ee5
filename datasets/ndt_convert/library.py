"""The library's readers of point clouds, its order of scans and its no-return rule (readers.cpp): ndt-bench and the converter agree."""

import ctypes
import os
from functools import cache
from pathlib import Path

import numpy as np

from .faults import Fault

FILE = "libndt_readers.so"
ERROR_BYTES = 4096
CAUSES = ("zero", "sentinel", "identical", "max_range")  # of no-return points; a point has the first that applies
FAR_M = 1e7  # a coordinate as large is a sentinel: FLT_MAX or its kin


class Refusal(Fault):
    """An error in the library's words, which have the form of ours."""

    def __init__(self, text):
        Exception.__init__(self, text)


def read_points(file, bin_fields=None):
    """The points, (n, 3), float32 or float64 [m] as stored, in file order. bin_fields: float32 values of a point in .bin (4)."""
    read, count, doubles = ctypes.c_void_p(), ctypes.c_int64(), ctypes.c_int()
    _call("ndt_read_points", os.fsencode(file), bin_fields or 0, ctypes.byref(read), ctypes.byref(count), ctypes.byref(doubles))
    points = None
    try:
        points = np.empty((count.value, 3), np.float64 if doubles else np.float32)
    finally:
        _library().ndt_take_points(read, None if points is None else points.ctypes.data)
    return points


def no_returns(points):
    """The cause of each of the points, (n, 3) [m] in the scanner's frame, as its place in CAUSES from 1; 0 for a return."""
    points = np.ascontiguousarray(points)
    causes = np.empty(len(points), np.uint8)
    _call("ndt_find_no_returns", points.ctypes.data, len(points), points.dtype == np.float64, causes.ctypes.data)
    return causes


def scans_among(names, by_number=True):
    """Picks a folder's file names that are its scans, in the order of the numbers in them (2 before 10), or by letter."""
    order, found = np.empty(len(names), np.int64), ctypes.c_int64()
    given = (ctypes.c_char_p * len(names))(*map(os.fsencode, names))
    _call("ndt_scans_among", given, len(names), by_number, order.ctypes.data, ctypes.byref(found))
    return [names[place] for place in order[:found.value]]


def _call(function, *arguments):
    error = ctypes.create_string_buffer(ERROR_BYTES)
    if getattr(_library(), function)(*arguments, error, ERROR_BYTES):
        raise Refusal(error.value.decode(errors="replace"))


@cache
def _library():
    places = _places()
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise Fault(places[-1], "", "the readers of point clouds are not built", "call ./run convert, which builds them, or name them by NDT_READERS")
    library = ctypes.CDLL(str(found))
    # An attribute stays. library["..."] is a new object each time, without these types, and would cut pointers to 32 bits.
    pointer, size, text = ctypes.c_void_p, ctypes.c_int64, [ctypes.c_char_p, ctypes.c_size_t]
    library.ndt_read_points.argtypes = [ctypes.c_char_p, ctypes.c_int, pointer, pointer, pointer, *text]
    library.ndt_take_points.argtypes, library.ndt_take_points.restype = [pointer, pointer], None
    library.ndt_find_no_returns.argtypes = [pointer, size, ctypes.c_int, pointer, *text]
    library.ndt_scans_among.argtypes = [pointer, size, ctypes.c_int, pointer, pointer, *text]
    return library


def _places():
    """Lists where the library may lie: where NDT_READERS says, beside this package where it was installed, or in the build."""
    named = os.environ.get("NDT_READERS")
    here = Path(__file__).resolve().parent
    builds = here.parents[1] / "build"
    return [Path(named)] if named else [*sorted(builds.glob(f"*/lib/{FILE}")), here / FILE, builds / "release" / "lib" / FILE]
