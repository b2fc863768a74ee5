"""Text headers of PCD and PLY files."""

import numpy as np

from .faults import Fault

LONGEST = 64 << 10
DIGITS = 18  # such numbers, and their sums, are below 2^63
EXPORT_AGAIN = "export the cloud again"
CUT_OFF = "the file is cut off or its header is wrong, " + EXPORT_AGAIN


def lines(stream, file, last):
    """Words of each header line up to and with the one that starts with `last`; comments are the caller's."""
    out, read = [], 0
    while True:
        line = stream.readline(LONGEST)
        read += len(line)
        if not line or read > LONGEST:
            raise Fault(file, "header", f"the {last} line is missing", EXPORT_AGAIN)
        words = line.decode("ascii", "replace").split()
        out.append(words)
        if words[:1] == [last]:
            return out


def whole(word, file, what):
    if not (word.isascii() and word.isdigit() and len(word.lstrip("0")) <= DIGITS):
        raise Fault(file, "header", f"{what} '{word[:40]}' is not a whole number of at most {DIGITS} digits", EXPORT_AGAIN)
    return int(word)


def xyz(records):
    """(n, 3) of a structured array with x, y and z of one kind or several."""
    return np.stack([records[name].astype(records[name].dtype.newbyteorder("="), copy=False) for name in "xyz"], axis=1)
