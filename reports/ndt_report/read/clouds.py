"""Reads the pictures' clouds: binary PCD of x y z, as ndt-bench writes them into its folders: float32, or float64
where the points are far from zero."""

import re
from pathlib import Path

import numpy as np

from .files import MOST_CLOUD_BYTES, RUN_AGAIN, content
from .refusal import refusal

EXPECTED = {"FIELDS": "x y z", "TYPE": "F F F", "COUNT": "1 1 1", "DATA": "binary"}
TYPES = {"4 4 4": np.dtype("<f4"), "8 8 8": np.dtype("<f8")}  # by SIZE


def read_pcd(path: Path, advice: str = RUN_AGAIN) -> np.ndarray:
    """Points [n, 3] in metres. Throws InputError."""
    data = content(path, MOST_CLOUD_BYTES, advice)
    header, at = {}, 0
    for number in range(1, 12):
        end = data.find(b"\n", at)
        if end < 0:
            raise refusal(path, f"line {number}", "the header ends here, without DATA", advice)
        word, _, rest = data[at:end].decode("ascii", "replace").strip().partition(" ")
        at = end + 1
        header[word] = rest
        if word == "DATA":
            break
    for key, value in EXPECTED.items():
        if header.get(key, "1 1 1" if key == "COUNT" else None) != value:
            raise refusal(path, key, f"'{header.get(key, '')}', not '{value}'", advice)
    if not re.fullmatch("[0-9]{1,10}", header.get("POINTS", "")):
        raise refusal(path, "POINTS", "no number", advice)
    numbers = TYPES.get(header.get("SIZE"))
    if numbers is None:
        raise refusal(path, "SIZE", f"'{header.get('SIZE', '')}', not '4 4 4' or '8 8 8'", advice)
    size = 3 * numbers.itemsize * int(header["POINTS"])
    if len(data) - at != size:
        raise refusal(
            path, f"byte {at}", f"{len(data) - at} bytes of points, POINTS says {size}", advice
        )
    return np.frombuffer(data, numbers, offset=at).reshape(-1, 3).astype(float)
