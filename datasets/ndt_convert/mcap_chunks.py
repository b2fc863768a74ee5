"""Chunks of an MCAP file, by their headers: a reader unpacks a chunk as a whole."""

import struct

from .faults import Fault

MAGIC = b"\x89MCAP0\r\n"
RECORD = struct.Struct("<BQ")  # kind, bytes after it
CHUNK, DATA_END = 6, 15
UNPACKED = struct.Struct("<16xQ")  # begins a chunk
MOST = 512 << 20  # bytes of an unpacked chunk: a recorder makes chunks of 1 to 16 MiB, or of one message


def require_small(file):
    """Refuses a chunk that would unpack to more than MOST."""
    with open(file, "rb") as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            return  # the reader says what is wrong
        while len(head := stream.read(RECORD.size)) == RECORD.size:
            kind, size = RECORD.unpack(head)
            start = stream.tell()
            if kind == DATA_END or size >= 2**63 - start:
                return
            if kind == CHUNK and len(begin := stream.read(UNPACKED.size)) == UNPACKED.size and UNPACKED.unpack(begin)[0] > MOST:
                raise Fault(file, f"byte {start}", f"a chunk unpacks to {UNPACKED.unpack(begin)[0]} bytes, more than {MOST}",
                            "record it again if it is damaged, or make smaller chunks with 'mcap compress FILE -o NEW.mcap'")
            stream.seek(start + size)
