"""Clouds without a header: records of float32, x y z first. KITTI's have four values, others three to six. The check of the width is that
of ndt-bench (harness/io/kitti_width.cpp)."""

import os

import numpy as np

from .faults import Fault

KITTI, WIDTHS = 4, (3, 4, 5, 6)
LOOKED_AT = 240_000  # values; a multiple of every width


class KittiBin:
    """`fields` values a point."""

    def __init__(self, fields=None):
        self._fields = fields or KITTI

    def check(self, stream, file):
        """Refuses a file of another width; returns its number of points."""
        size, record = os.fstat(stream.fileno()).st_size, 4 * self._fields
        if size % record or not size:
            what = "float32 x y z intensity" if self._fields == KITTI else f"{self._fields} float32, x y z first"
            raise Fault(file, "", f"{size} bytes are not a whole number of {record}-byte records ({what})",
                        "the file is cut off or of another kind: export the cloud again, or give --bin-fields if its points have another number of values")
        stream.seek(0)
        self._require_width(np.frombuffer(stream.read(4 * LOOKED_AT), dtype="<f4"), file)
        return size // record

    def read(self, stream, file):
        self.check(stream, file)
        stream.seek(0)
        return np.frombuffer(stream.read(), dtype="<f4").reshape(-1, self._fields)[:, :3]

    def part(self, data, keep):
        """The records of a file's bytes that the mask keeps."""
        return np.frombuffer(data, dtype="<f4").reshape(-1, self._fields)[keep].tobytes()

    def _require_width(self, values, file):
        fourth = values[3::4]
        if self._fields == KITTI and not fourth.any():
            return  # what a writer without intensities leaves
        explained = {width: _explained(values, width) for width in WIDTHS}
        most = max(explained.values())
        if most > 2 * explained[self._fields] + 0.05 + 40 / max(1, len(values)):  # random values explain up to this much
            looks = next(width for width in WIDTHS if explained[width] > 0.5 * most)
            raise Fault(file, "", f"looks like records of {looks} float32; they would be read as {self._fields}",
                        f"give --bin-fields {looks}, or write it as .pcd or .ply")
        negative = np.mean(fourth < 0) if len(fourth) else 0
        if self._fields == KITTI and len(values) >= 1200 and explained[KITTI] < 0.01 and 0.1 < negative < 0.9:
            raise Fault(file, "", "the fourth float32 of a record varies like the other three; it looks like records of 3 or 5 float32",
                        "give --bin-fields, or write it as .pcd or .ply")


def _explained(values, width):
    """The part of the variance, of values or of magnitudes, that the columns explain: much by the true width, nothing by another."""
    rows = np.arcsinh(values[:len(values) // width * width].astype(np.float64)).reshape(-1, width)
    rows[~np.isfinite(rows)] = np.nan
    most = 0.0
    for feature in (rows, np.abs(rows)):
        count = np.isfinite(feature).sum(axis=0)
        if not count.sum():
            continue
        mean = np.nanmean(feature)
        total = np.nansum((feature - mean) ** 2)
        columns = np.array([np.nanmean(column) if n else mean for column, n in zip(feature.T, count)])
        if total > 1e-9 * np.nansum(feature**2):
            most = max(most, float((count * (columns - mean) ** 2).sum() / total))
    return most
