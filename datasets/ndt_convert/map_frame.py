"""Scans whose points are in the map's frame, as mapping programs write them."""

import numpy as np

from .clouds import read_cloud
from .faults import Fault

LOOKED_AT = 20  # scans
LEAST_M = 10  # that the scanner must have moved
FOLLOWS, STAYS = 0.5, 0.3  # parts of its way


def is_in_map(scans, poses, options, say):
    """True if --points-in says so, or if the points of the scans move with the poses, (n, 4, 4), and not with the scanner."""
    if options.points_in or poses is None:
        return options.points_in == "map"
    chosen = np.unique(np.linspace(0, len(scans) - 1, min(len(scans), LOOKED_AT)).astype(int))
    medians = np.array([_median(scans[i].file, options.bin_fields) for i in chosen])
    known = np.isfinite(medians).all(axis=1)
    places, medians = poses[chosen[known], :3, 3], medians[known]
    moved_m = _spread(places)
    found = moved_m >= LEAST_M and _spread(medians) > FOLLOWS * moved_m and _spread(medians - places) < STAYS * moved_m
    if found:
        say("the points of the scans are in the map's frame, and are moved back into the scanner's by their poses; --points-in scanner leaves "
            "them as they are")
    return found


def moved_back(points, map_from_scan):
    """The points, (n, 3), of the map in the scanner's frame."""
    return (points.astype(np.float64) - map_from_scan[:3, 3]) @ map_from_scan[:3, :3]


def _median(file, bin_fields):
    try:
        points = read_cloud(file, bin_fields)
    except Fault:  # it is told when the scan is taken
        points = np.empty((0, 3))
    return np.median(points.astype(np.float64), axis=0) if len(points) else np.full(3, np.nan)


def _spread(points):
    """The root mean square distance from their mean."""
    return np.sqrt(((points - points.mean(axis=0)) ** 2).sum(axis=1).mean()) if len(points) else 0.0
