"""Bags in which single messages are wrong, or two sensors share a topic, for test_odd_bags.py and test_projection.py; run by the interpreter
that NDT_EXTRAS_PYTHON names.

usage: write_odd_bag.py FOLDER < JSON   a list of [topic, receive time, kind, arguments], where times are seconds after START_S
"""

import json
import sys
from pathlib import Path

from rosbags import rosbag2
from rosbags.typesys import Stores, get_typestore
from write_bag import FIX, ODOMETRY, POINTS, POSE, START_S, TF, Messages, ramp

KINDS = {"odometry": ODOMETRY, "pose": POSE, "transform": TF, "fix": FIX,
         **dict.fromkeys(("cloud", "cut", "wide", "junk", "torn", "nothing"), POINTS)}


def message(make, kind, stamp=0, **given):
    """`stamp`: seconds after START_S. cut lacks points, wide has points of 4 GiB, junk no field; torn ends early."""
    at = START_S + stamp
    if kind == "pose":
        return make.types[POSE](header=make.header(at, given["frame"]), pose=make.pose(given["x"]))
    if kind in ("odometry", "transform", "fix"):
        return getattr(make, kind)(at, **given)
    cloud = make.cloud(at, ramp(0 if kind == "nothing" else 4, given.pop("x", 0)), **given)
    if kind == "cut":
        cloud.data = cloud.data[:20]
    if kind == "wide":
        cloud.point_step = 2**32 - 1
    if kind == "junk":
        cloud.fields = []
    return cloud


def write(folder, wanted):
    store = get_typestore(Stores.ROS2_HUMBLE)
    make = Messages(store, False)
    with rosbag2.Writer(folder, version=9) as writer:
        topics = {}
        for topic, received, kind, given in wanted:
            if topic not in topics:
                topics[topic] = writer.add_connection(topic, KINDS[kind], typestore=store)
            out = message(make, kind, **given)
            data = store.serialize_cdr(out, out.__msgtype__)
            writer.write(topics[topic], round((START_S + received) * 10**9), bytes(data)[:40 if kind == "torn" else None])


write(Path(sys.argv[1]), json.load(sys.stdin))
