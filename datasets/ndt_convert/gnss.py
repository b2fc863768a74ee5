"""Fixes of NavSatFix as positions in the map, and where on the earth that is."""

import numpy as np

from . import bags, covariance, projection, projector_info
from .faults import Fault, UsageFault
from .map_file import coordinate_system_of

PLACES = ("map_origin", "map_crs", "map_projector_info")  # options


def require_no_place(topic, kind, options):
    """Refuses options that belong to places on the earth."""
    given = next((f"--{name}".replace("_", "-") for name in PLACES if getattr(options, name)), None)
    if given:
        raise UsageFault(given, "", f"requires NavSatFix, but {topic} is {kind}, with positions in the map", "leave it out")


def in_map(bag, options, say):
    """(times, poses of which the positions count, covariances of x and y or None) of --gnss-topic. A fix without a height has that of the
    map's origin."""
    topic, layout = options.gnss_topic, _layout(options, say)
    times, places, covariances = bag.fixes(topic)
    places[:, 2] = np.where(np.isnan(places[:, 2]), layout.height_m, places[:, 2])
    positions = layout.metres(places)
    inside = np.isfinite(positions).all(axis=1)
    if not inside.any():
        raise Fault(bag.path, topic, f"its {len(times)} fixes are too far from {layout.name}, the first at {places[0, 0]:g}, {places[0, 1]:g}",
                    "give the coordinate system of the map")
    if not inside.all():
        say(f"{topic}: {(~inside).sum()} fixes too far from the map were left out")
    found = np.tile(np.eye(4), (inside.sum(), 1, 1))
    found[:, :3, 3] = positions[inside]
    say(f"{topic}: the map is taken as {layout.name}")
    layout.check(found[:, :2, 3], say)
    axes = projection.axes_at(layout, places[inside][inside.sum() // 2])
    return times[inside], found, None if covariances is None else covariance.moved(covariances[inside], axes)


def _layout(options, say):
    """The layout of the map on the earth."""
    if options.map_projector_info:
        return projector_info.read(options.map_projector_info, options.map_origin, say)
    if options.map_crs:
        return projection.of_crs(options.map_crs, options.map_origin)
    if options.map_origin:
        return projection.Plane(options.map_origin)
    known = options.surveyed_map and coordinate_system_of(options.surveyed_map)
    if known:
        return projection.of_crs(known, option=str(options.surveyed_map))
    raise UsageFault("--gnss-topic", "", f"{options.gnss_topic} is {bags.NAVSAT_TYPE}, with places on the earth, and requires the map's origin",
                     "give --map-origin LATITUDE,LONGITUDE,HEIGHT; the map's x is east and y north. For a map in a grid give --map-crs or "
                     "--map-projector-info")
