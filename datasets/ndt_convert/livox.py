"""Clouds of Livox's ROS drivers: CustomMsg, in which every point has a time of its own."""

from operator import attrgetter

import numpy as np

from .faults import Fault
from .point_times import Rule, Times

PACKAGES = ("livox_ros_driver", "livox_ros_driver2", "livox_interfaces")
TYPES = tuple(f"{package}/msg/CustomMsg" for package in PACKAGES)
FIELDS = ("x", "y", "z", "offset_time")
MESSAGE = """std_msgs/Header header
uint64 timebase
uint32 point_num
uint8 lidar_id
uint8[3] rsvd
CustomPoint[] points
"""
POINT = """uint32 offset_time
float32 x
float32 y
float32 z
uint8 reflectivity
uint8 tag
uint8 line
"""


def definitions(kind, parse):
    """The types of one of TYPES for a bag without definitions, as `parse` of rosbags makes them of text."""
    return parse(MESSAGE, kind) | parse(POINT, kind.replace("CustomMsg", "CustomPoint"))


def points_of(message, file, where):
    """(n, 3) finite points, how many others were dropped, and the Times of those that stay."""
    try:
        rows = np.column_stack([np.fromiter(map(attrgetter(name), message.points), np.float64, len(message.points)) for name in FIELDS])
    except AttributeError as error:
        raise Fault(file, where, f"its points lack a field ({error})", f"fields {', '.join(FIELDS)} are expected") from None
    finite = np.isfinite(rows).all(axis=1)
    return rows[finite, :3].astype(np.float32), int(len(rows) - finite.sum()), Times(FIELDS[3], rows[finite, 3], Rule("ns", absolute=False))
