"""Small files that a reader may blow up; run by the interpreter that NDT_EXTRAS_PYTHON names.

usage: write_bomb.py mcap FILE     a chunk of 33 kB that unpacks to 1 GiB
       write_bomb.py lying FILE    the same, whose header declares 1000 bytes
       write_bomb.py e57 FILE      12 MB of XML elements in one another
       write_bomb.py zstd FILE     a file of 8 GiB, packed
"""

import struct
import sys
from pathlib import Path

LARGE, DEPTH = 1 << 30, 500_000
MCAP, NAMESPACE = b"\x89MCAP0\r\n", "http://www.astm.org/COMMIT/E57/2010-e57-v1.0"


def zeros(times):
    """Returns `times` times 16 MiB of zeros, packed."""
    import zstandard

    packer = zstandard.ZstdCompressor().compressobj()
    return b"".join([*(packer.compress(bytes(1 << 24)) for _ in range(times)), packer.flush()])


def mcap(declared):
    def record(kind, data):
        return struct.pack("<BQ", kind, len(data)) + data

    def text(data):
        return struct.pack("<I", len(data)) + data

    data = zeros(LARGE >> 24)
    begin = MCAP + record(1, text(b"ros2") + text(b""))
    chunk = record(6, struct.pack("<QQQI", 0, 1, declared, 0) + text(b"zstd") + struct.pack("<Q", len(data)) + data) + record(15, bytes(4))
    schema = record(3, struct.pack("<H", 1) + text(b"sensor_msgs/msg/PointCloud2") + text(b"ros2msg") + text(b""))
    channel = record(4, struct.pack("<HH", 1, 1) + text(b"/p") + text(b"cdr") + struct.pack("<I", 0))
    index = struct.pack("<QQQQI", 0, 1, len(begin), len(chunk) - 13, 10) + struct.pack("<HQ", 1, len(begin) + len(chunk) - 13)
    index = record(8, index + struct.pack("<Q", 15 + 16) + text(b"zstd") + struct.pack("<QQ", len(data), declared))
    footer = record(2, struct.pack("<QQI", len(begin + chunk), 0, 0))
    return begin + chunk + schema + channel + index + footer + MCAP


def e57():
    """Pages of 1020 bytes and a checksum; the XML follows the header."""
    from attack_inputs import PAGE, with_checksum

    xml = f'<?xml version="1.0" encoding="UTF-8"?><e57Root type="Structure" xmlns="{NAMESPACE}">'.encode()
    xml += b'<a type="Structure">' * DEPTH + b"</a>" * DEPTH + b"</e57Root>"
    pages = -(-(48 + len(xml)) // (PAGE - 4))
    data = b"ASTM-E57" + struct.pack("<IIQQQQ", 1, 0, pages * PAGE, 48, len(xml), PAGE) + xml
    data = data.ljust(pages * (PAGE - 4), b"\0")
    return b"".join(with_checksum(data[i:i + PAGE - 4]) for i in range(0, len(data), PAGE - 4))


if __name__ == "__main__":
    make = {"mcap": lambda: mcap(LARGE), "lying": lambda: mcap(1000), "e57": e57, "zstd": lambda: zeros(512)}
    Path(sys.argv[2]).write_bytes(make[sys.argv[1]]())
