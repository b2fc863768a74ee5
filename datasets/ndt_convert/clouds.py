"""Point clouds in files: the library reads them (library.py), and PCD is written, or part of a .bin or PLY."""

import numpy as np

from .files import opened
from .library import read_points

FORMATS = ".pcd, .ply, .bin, .xyz, .npy or .csv"
KEPT_FORMATS = (".pcd", ".ply", ".bin")  # a dataset has others as PCD
KITTI, WIDTHS = 4, (3, 4, 5, 6)  # float32 values of a point in .bin
TIME = "t"  # field of a point's seconds
HEADER_LINE = 100
FLOAT32_REACH_M = 8192  # float32 coordinates are spaced by a millimetre here; past it they are stored as double


def read_cloud(file, bin_fields=None):
    """The finite points, (n, 3), float32 or float64 [m] as stored."""
    return finite(read_points(file, bin_fields))


def finite(points):
    return points[np.isfinite(points).all(axis=1)]


def write_part(file, out, points, keep, bin_fields=None):
    """Writes those of the file's points that the mask keeps, in its format: .bin with all values, others with x y z alone, none rounded."""
    kind = file.suffix.lower()
    if kind == ".bin":
        records = np.frombuffer(file.read_bytes(), "<f4").reshape(-1, bin_fields or KITTI)
        out.write_bytes(records[keep].tobytes())
        return
    with np.errstate(over="ignore"):
        wide = not np.array_equal(points[keep], points[keep].astype(np.float32), equal_nan=True)
    if kind == ".ply":
        _write_ply(out, points[keep], wide)
    else:
        seconds = seconds_of(file)
        write_pcd(out, points[keep], wide, None if seconds is None else seconds[keep])


def is_wide(points):
    """Whether float32 would not hold them to half a millimetre."""
    return bool((np.abs(points) > FLOAT32_REACH_M).any())  # not by their maximum, which one NaN would be


def write_pcd(file, points, wide=None, seconds=None):
    """PCD 0.7, binary, x y z: float32, or double where the coordinates are large, or are so in a whole that these are a part of. seconds:
    of each point after the scan's stamp, which becomes the field t."""
    kind = "<f8" if (is_wide(points) if wide is None else wide) else "<f4"
    columns = [(name, kind, points[:, i]) for i, name in enumerate("xyz")] + ([] if seconds is None else [(TIME, "<f4", seconds)])
    records = np.empty(len(points), [(name, form) for name, form, _ in columns])
    for name, _, values in columns:
        records[name] = values
    header = (f"VERSION 0.7\nFIELDS {' '.join(records.dtype.names)}\nSIZE {' '.join(form[2] for _, form, _ in columns)}\n"
              f"TYPE{' F' * len(columns)}\nCOUNT{' 1' * len(columns)}\n"
              f"WIDTH {len(points)}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {len(points)}\nDATA binary\n")
    with open(file, "wb") as out:
        out.write(header.encode())
        out.write(records.tobytes())


def seconds_of(file):
    """The field t of a file that write_pcd wrote, None if it has none."""
    with opened(file) as stream:
        head = [stream.readline(HEADER_LINE) for _ in range(3)]
        for form in ("<f4", "<f8"):
            layout = np.dtype([*((name, form) for name in "xyz"), (TIME, "<f4")])
            sizes = f"SIZE {form[2]} {form[2]} {form[2]} 4\n"
            if head == [b"VERSION 0.7\n", f"FIELDS x y z {TIME}\n".encode(), sizes.encode()]:
                return np.frombuffer(stream.read().partition(b"DATA binary\n")[2], layout)[TIME]
    return None


def _write_ply(file, points, wide):
    """PLY 1.0, little-endian, x y z: float, or double."""
    kind, form = ("double", "<f8") if wide else ("float", "<f4")
    properties = "".join(f"property {kind} {axis}\n" for axis in "xyz")
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n{properties}end_header\n"
    with open(file, "wb") as out:
        out.write(head.encode() + np.ascontiguousarray(points, dtype=form).tobytes())
