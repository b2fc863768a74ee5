"""Reads the pictures' clouds: binary PCD of float32 x y z, as ndt-bench writes them into a run folder."""

import re
from pathlib import Path

import numpy as np

from .files import MOST_CLOUD_BYTES, RUN_AGAIN, content
from .refusal import refusal

EXPECTED = {"FIELDS": "x y z", "SIZE": "4 4 4", "TYPE": "F F F", "COUNT": "1 1 1", "DATA": "binary"}


def read_pcd(path: Path) -> np.ndarray:
    """Points [n, 3] in metres. Throws InputError."""
    data = content(path, MOST_CLOUD_BYTES)
    header, at = {}, 0
    for number in range(1, 12):
        end = data.find(b"\n", at)
        if end < 0:
            raise refusal(path, f"line {number}", "the header ends here, without DATA", RUN_AGAIN)
        word, _, rest = data[at:end].decode("ascii", "replace").strip().partition(" ")
        at = end + 1
        header[word] = rest
        if word == "DATA":
            break
    for key, value in EXPECTED.items():
        if header.get(key, "1 1 1" if key == "COUNT" else None) != value:
            raise refusal(path, key, f"'{header.get(key, '')}', not '{value}'", RUN_AGAIN)
    if not re.fullmatch("[0-9]{1,10}", header.get("POINTS", "")):
        raise refusal(path, "POINTS", "no number", RUN_AGAIN)
    size = 12 * int(header["POINTS"])
    if len(data) - at != size:
        raise refusal(
            path, f"byte {at}", f"{len(data) - at} bytes of points, POINTS says {size}", RUN_AGAIN
        )
    return np.frombuffer(data, "<f4", offset=at).reshape(-1, 3).astype(float)
