"""MCAP files: the bounds of their chunks, and those without the profile of ROS 2, which rosbags does not read: ROS 1, or no profile. These
are read with the package mcap."""

import struct
from collections import Counter
from types import SimpleNamespace

from .faults import Fault

MAGIC = b"\x89MCAP0\r\n"
RECORD = struct.Struct("<BQ")  # kind, bytes after it
CHUNK, DATA_END = 6, 15
UNPACKED = struct.Struct("<16xQ")  # begins a chunk
MOST_UNPACKED = 512 << 20  # bytes of a chunk, which a reader unpacks as a whole: a recorder makes chunks of 1 to 16 MiB, or of one message
LONGEST_PROFILE = 64


def require_small(file):
    """Refuses a chunk that would unpack to more than MOST_UNPACKED."""
    with open(file, "rb") as stream:
        if stream.read(len(MAGIC)) != MAGIC:
            return  # the reader says what is wrong
        while len(head := stream.read(RECORD.size)) == RECORD.size:
            kind, size = RECORD.unpack(head)
            start = stream.tell()
            if kind == DATA_END or size >= 2**63 - start:
                return
            if kind == CHUNK and len(begin := stream.read(UNPACKED.size)) == UNPACKED.size and UNPACKED.unpack(begin)[0] > MOST_UNPACKED:
                raise Fault(file, f"byte {start}", f"a chunk unpacks to {UNPACKED.unpack(begin)[0]} bytes, more than {MOST_UNPACKED}",
                            "record it again if it is damaged, or make smaller chunks with 'mcap compress FILE -o NEW.mcap'")
            stream.seek(start + size)


def is_foreign(file):
    """True of an MCAP file with another profile."""
    with open(file, "rb") as stream:
        begin = stream.read(len(MAGIC) + 13)
        if len(begin) < len(MAGIC) + 13 or not begin.startswith(MAGIC):
            return False
        length = struct.unpack_from("<I", begin, len(MAGIC) + 9)[0]
        return stream.read(min(length, LONGEST_PROFILE)) != b"ros2"


class Reader:
    """Looks like a reader of rosbags, as far as bag_files needs it."""

    def __init__(self, file):
        try:
            from mcap.reader import make_reader
        except ImportError:
            raise Fault(file, "", "is no MCAP of ROS 2, which requires the Python package mcap", "install it with pip") from None
        self._file, self._make, self._stream, self.connections = file, make_reader, None, []

    def open(self):
        self._stream = open(self._file, "rb")
        try:
            self._list()
        except BaseException:
            self.close()
            raise

    def close(self):
        self._stream.close()

    def _list(self):
        summary = self._make(self._stream).get_summary()
        if summary is None or summary.statistics is None or not summary.channels:
            found = [(channel, schema) for schema, channel, _ in self._messages(None)]
            counts, channels = Counter(channel.id for channel, _ in found), {channel.id: (channel, schema) for channel, schema in found}
        else:
            counts = summary.statistics.channel_message_counts
            channels = {key: (channel, summary.schemas.get(channel.schema_id)) for key, channel in summary.channels.items()}
        self.connections = [_connection(channel, schema, counts.get(key, 0)) for key, (channel, schema) in channels.items()]

    def messages(self, connections):
        """Yields (connection, time in ns, data)."""
        by_id = {connection.id: connection for connection in connections}
        for _, channel, message in self._messages({connection.topic for connection in connections}):
            if channel.id in by_id:
                yield by_id[channel.id], message.log_time, message.data

    def _messages(self, topics):
        self._stream.seek(0)
        return self._make(self._stream).iter_messages(topics=topics)


def _connection(channel, schema, count):
    kind = schema.name if schema else ""
    if kind.count("/") == 1:  # ROS 1 writes sensor_msgs/PointCloud2
        kind = kind.replace("/", "/msg/")
    text = schema.data.decode("utf-8", "replace") if schema and schema.encoding in ("ros1msg", "ros2msg") else ""
    return SimpleNamespace(id=channel.id, topic=channel.topic, msgtype=kind, msgcount=count, definition=text,
                           encoding=channel.message_encoding)
