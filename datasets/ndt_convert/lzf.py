"""LZF, the compression of PCD's binary_compressed; the standard library has none."""


def decompress(packed, size):
    """Raises ValueError unless `packed` is whole and gives exactly `size` bytes."""
    out, i = bytearray(), 0
    try:
        while i < len(packed):
            control = packed[i]
            i += 1
            if control < 32:  # that many bytes and one, as they are
                if i + control >= len(packed):
                    raise ValueError("ends within a literal")
                out += packed[i:i + control + 1]
                i += control + 1
                continue
            length = control >> 5
            if length == 7:
                length += packed[i]
                i += 1
            start = len(out) - ((control & 31) << 8) - packed[i] - 1
            i += 1
            if start < 0:
                raise ValueError("refers to bytes before its start")
            length += 2
            piece = out[start:start + length]  # shorter where it overlaps what it writes, and then repeated
            out += piece if len(piece) == length else (piece * (length // len(piece) + 1))[:length]
    except IndexError:
        raise ValueError("ends within a reference") from None
    if len(out) != size:
        raise ValueError(f"gives {len(out)} bytes instead of {size}")
    return bytes(out)
