"""sensor_msgs/PointCloud2 to points, whatever the order, offsets, width and byte order of its fields."""

import numpy as np

from .faults import Fault
from .point_times import Times, field_of

MESSAGE_TYPE = "sensor_msgs/msg/PointCloud2"
KINDS = {7: "f4", 8: "f8"}  # FLOAT32, FLOAT64
TIME_KINDS = {5: "i4", 6: "u4", **KINDS}
NAMES = {1: "int8", 2: "uint8", 3: "int16", 4: "uint16", 5: "int32", 6: "uint32", 7: "float32", 8: "float64"}
WIDEST = 2**31 - 1  # numpy's
RECORD_AGAIN = "the node that published it filled the message wrongly; choose another topic, or mend the node"


def points_of(message, file, where):
    """(n, 3) finite points, float32 or float64, how many others were dropped, and the Times of those that stay, or None."""
    records = _records(message, _dtype(message, file, where), file, where)
    points = np.stack([records[name].astype(records[name].dtype.newbyteorder("=")) for name in "xyz"], axis=-1).reshape(-1, 3)
    finite = np.isfinite(points).all(axis=1)
    times = [Times(name, records[name].reshape(-1)[finite]) for name in records.dtype.names[3:]]
    return points[finite], int(len(points) - finite.sum()), times[0] if times else None


def has_wrong_row_step(message):
    """True if the data are exactly the points, of several rows, and row_step contradicts that: a filter changed the width alone."""
    row = message.width * message.point_step
    return message.height > 1 and message.row_step != row and len(message.data) == message.height * row


def _dtype(message, file, where):
    fields = {field.name: field for field in message.fields}
    if message.point_step > WIDEST:
        raise Fault(file, where, f"a point of {message.point_step} bytes", RECORD_AGAIN)
    order, formats, offsets = ">" if message.is_bigendian else "<", [], []
    for name in "xyz":
        field = fields.get(name)
        if field is None:
            raise Fault(file, where, f"no field {name} among {', '.join(fields) or 'none'}", "choose a topic with x, y and z")
        if field.datatype not in KINDS or field.count > 1:
            kind = NAMES.get(field.datatype, f"type {field.datatype}")
            raise Fault(file, where, f"field {name} is {kind} x {field.count}", "float32 and float64 coordinates can be read")
        size = np.dtype(KINDS[field.datatype]).itemsize
        if field.offset + size > message.point_step:
            raise Fault(file, where, f"field {name} at byte {field.offset} does not fit in a point of {message.point_step} bytes",
                        RECORD_AGAIN)
        formats.append(order + KINDS[field.datatype])
        offsets.append(field.offset)
    time = field_of(name for name, field in fields.items() if _can_be_time(field, message.point_step))
    if time:
        formats.append(order + TIME_KINDS[fields[time].datatype])
        offsets.append(fields[time].offset)
    return np.dtype({"names": [*"xyz", *([time] if time else [])], "formats": formats, "offsets": offsets, "itemsize": message.point_step})


def _can_be_time(field, point_step):
    kind = TIME_KINDS.get(field.datatype)
    return kind is not None and field.count <= 1 and field.offset + np.dtype(kind).itemsize <= point_step


def _records(message, dtype, file, where):
    """(height, width) records; rows may be longer than their points."""
    data = np.frombuffer(message.data, dtype=np.uint8)
    height, width, row = message.height, message.width, message.width * message.point_step
    if height * width == 0:
        return np.empty((0, 0), dtype=dtype)
    stride = message.row_step if height > 1 and not has_wrong_row_step(message) else row  # of one row it is often left 0
    if stride < row or (height - 1) * stride + row > len(data):
        raise Fault(file, where, f"{len(data)} bytes do not hold {height} rows of {width} points of {message.point_step} bytes, "
                    f"{message.row_step} bytes a row", RECORD_AGAIN)
    return np.lib.stride_tricks.as_strided(
        data[:row].view(dtype), shape=(height, width), strides=(stride, message.point_step)) if height > 1 else data[:row].view(dtype)
