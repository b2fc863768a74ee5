"""The messages of an MCAP file as JSON lines, read with the library mcap; run by the interpreter that NDT_EXTRAS_PYTHON names.

usage: read_mcap.py FILE       topic, type, time in ns, and what the tests look at; arrays of bytes as their length
"""

import json
import sys

from mcap.reader import make_reader
from mcap_ros2.decoder import DecoderFactory


def plain(value):
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"bytes": len(value), "first": list(value[:24])}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if hasattr(value, "__slots__"):
        return {name.lstrip("_"): plain(getattr(value, name)) for name in value.__slots__}
    return value


with open(sys.argv[1], "rb") as file:
    reader = make_reader(file, validate_crcs=True, decoder_factories=[DecoderFactory()])
    print(json.dumps({"profile": reader.get_header().profile, "chunks": len(reader.get_summary().chunk_indexes),
                      "messages": reader.get_summary().statistics.message_count}))
    for schema, channel, message, decoded in reader.iter_decoded_messages():
        print(json.dumps({"topic": channel.topic, "type": schema.name, "time": message.log_time, "message": plain(decoded)}))
