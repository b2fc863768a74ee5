"""The scene of one alignment, from the folder of align --ply: the map, the scan at the guess, and at the result by its score."""

import numpy as np

from ..localization.words import length, percent
from ..page_numbers import number
from ..read.files import is_there
from ..read.json_files import read_json
from ..read.refusal import refusal
from .clouds import AGAIN, near, points_of, read_ply, thinned
from .page import Scene, cloud, map_cloud, origin_of

MAP, BEFORE, AFTER, RESULT = "map.ply", "scan_before.ply", "scan_after.ply", "align.json"
MARGIN_M = 20.0  # of map around the scan
ORANGE = "#E69F00"


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
    traces.append(_scored(after, scans[1], origin))
    said = [f"{result.get('implementation', 'scan')}: {len(after):,} points", *_verdict(result), *_changed(*scans, after)]
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


def _scored(vertices, points, origin):
    """Returns the scan at the result, in the colours of its points' scores."""
    kept = thinned(points)
    if "score" not in vertices.dtype.names:
        return cloud("scan at the result", points[kept], origin, {"size": 2, "color": "#56B4E9"}, hoverinfo="skip")
    bar = {"title": {"text": "score"}, "len": 0.5, "thickness": 12, "x": 1, "xanchor": "right"}
    marker = {"size": 2.5, "color": vertices["score"][kept].astype(np.float32), "colorscale": "Viridis", "colorbar": bar, "cmin": 0}
    return cloud("scan at the result", points[kept], origin, marker, hovertemplate="score %{marker.color:.2f}<extra></extra>")


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
