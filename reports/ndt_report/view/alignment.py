"""The scene of one alignment, from the folder of align --ply. The scan at the result shows its distance from the map."""

import numpy as np

from ..localization.words import length, percent
from ..page_numbers import number
from ..read.files import is_there
from ..read.json_files import read_json
from ..read.refusal import refusal
from .clouds import AGAIN, near, points_of, read_ply, thinned
from .page import Scene, cloud, map_cloud, origin_of
from .residuals import CUBE_M, distances

MAP, BEFORE, AFTER, RESULT = "map.ply", "scan_before.ply", "scan_after.ply", "align.json"
MARGIN_M = 20.0  # of map around the scan
MOST_M = 0.3  # beyond, a distance has the last colour
COLOURS = [[0, "#0072B2"], [0.5, "#CC79A7"], [1, "#D55E00"]]  # are read on white and on black
ORANGE, NOWHERE = "#E69F00", "#009E73"


def scene(folder) -> Scene:
    """Throws InputError."""
    result = _result(folder / RESULT) if is_there(folder / RESULT) else {}
    before, after = (_scan(folder / name) for name in (BEFORE, AFTER))
    scans = points_of(before), points_of(after)
    origin = origin_of(scans[1])
    points = near(points_of(read_ply(folder / MAP)), np.concatenate(scans), MARGIN_M)
    traces = [map_cloud(points[thinned(points)], origin)] if len(points) else []
    kept = thinned(scans[0])
    traces.append(cloud("scan at the guess", scans[0][kept], origin, {"size": 2, "color": ORANGE}, hoverinfo="skip"))
    away = [distances(scan, points) for scan in scans]
    traces += _coloured(after, scans[1], away[1], origin)
    said = [f"{result.get('implementation', 'scan')}: {len(after):,} points", *_verdict(result), *_changed(*scans, after), *_nearer(*away)]
    return Scene("One alignment", "; ".join(said) + ".", traces, origin)


def _result(file) -> dict:
    result = read_json(file, AGAIN)
    if not isinstance(result, dict) or not isinstance(result.get("verdict"), str):
        raise refusal(file, "", "has no verdict", AGAIN)
    return result


def _scan(path):
    vertices = read_ply(path)
    if not len(vertices):
        raise refusal(path, "", "has no points", AGAIN)
    return vertices


def _coloured(vertices, points, away, origin):
    """Returns the scan at the result, in the colours of its points' distances from the map, and the points where there is no map."""
    kept = thinned(points)
    near_map = np.isfinite(away[kept])
    found, lonely = kept[near_map], kept[~near_map]
    scored = "score" in vertices.dtype.names
    hover = "%{marker.color:.3f} m from the map" + ("<br>score %{customdata:.2f}" if scored else "") + "<extra></extra>"
    scores = vertices["score"][found].astype(np.float32) if scored else None
    bar = {"title": {"text": "distance<br>from the map, m"}, "len": 0.5, "thickness": 12, "x": 1, "xanchor": "right"}
    marker = {"size": 2.5, "color": away[found].astype(np.float32), "colorscale": COLOURS, "colorbar": bar, "cmin": 0, "cmax": MOST_M}
    traces = [cloud("scan at the result", points[found], origin, marker, customdata=scores, hovertemplate=hover)] if len(found) else []
    if len(lonely):
        name = f"scan at the result, no map within {CUBE_M:g} m"
        traces.append(cloud(name, points[lonely], origin, {"size": 2, "color": NOWHERE}, hoverinfo="skip"))
    return traces


def _nearer(before, after) -> list:
    """Returns the median distances from the map of points that have one."""
    ends = [values[np.isfinite(values)] for values in (before, after)]
    if not len(ends[1]):
        return []
    at_guess = f", {length(float(np.median(ends[0])))} at the guess" if len(ends[0]) else ""
    return [f"median distance from the map {length(float(np.median(ends[1])))}{at_guess}"]


def _verdict(result) -> list:
    if not result:
        return []
    doubt = f" ({result['doubt']})" if isinstance(result.get("doubt"), str) and result["doubt"] else ""
    nvtl = result.get("nvtl")
    return [f"{result['verdict']}{doubt}", *([f"NVTL {number(float(nvtl))}"] if isinstance(nvtl, (int, float)) else [])]


def _changed(before, after, vertices) -> list:
    """Returns how far the points have moved, and the share of them in the map's voxels."""
    said = []
    if len(before) == len(after):
        said.append(f"moved by {length(float(np.linalg.norm(after - before, axis=1).mean()))} on average")
    if "score" in vertices.dtype.names:
        said.append(f"{percent(float((vertices['score'] > 0).mean()))} of them in or beside a voxel of the map")
    return said
