"""The frames of a recording: their names, and the tree of tf that a localisation adds (REP 105)."""

from typing import NamedTuple

import numpy as np

PREDICTED = "_predicted"
BASE, NDT_BASE, MAP, ODOMETRY = "base_link", "ndt_base_link", "map", "odom"


class Names(NamedTuple):
    map: str
    base: str
    ndt_base: str  # where Autoware's node has the base
    odometry: str

    @property
    def predicted(self):
        return self.base + PREDICTED


def names(setting, map_frame, base, of_bag):
    """Options win over the parameter file, which wins over the usual names. base: is known. of_bag: the bag's Frames, or None."""
    given = setting["frames"]
    map_frame = (map_frame or given["map"] or MAP).lstrip("/")
    odometry = of_bag and of_bag.odometry
    # Odometry may be in the map's own frame, or be the base's: tf is a tree of different names.
    fits = odometry and odometry not in (map_frame, base)
    return Names(map_frame, base, (given["ndt_base"] or NDT_BASE).lstrip("/"), odometry if fits else ODOMETRY)


def tree(result, names, with_odometry):
    """(parent, {child: parent_from_child}) of a scan. With odometry the base hangs below it. A scan that the odometry does not cover then
    has no base: a second parent would break the tree."""
    of_map = {names.predicted: result.predicted}
    if names.ndt_base != names.base:
        of_map[names.ndt_base] = result.map_from_body
    if not with_odometry:
        return [(names.map, {names.base: result.map_from_body, **of_map})]
    if result.odometry is None:
        return [(names.map, of_map)]
    odometry_from_base = result.odometry[0]
    map_from_odometry = result.map_from_body @ np.linalg.inv(odometry_from_base)
    return [(names.map, {names.odometry: map_from_odometry, **of_map}), (names.odometry, {names.base: odometry_from_base})]
