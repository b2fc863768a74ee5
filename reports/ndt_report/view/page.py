"""The page: a heading, a sentence, the scene, and notes. plotly's own script is in it, so nothing is fetched."""

import html
from dataclasses import dataclass, field

import numpy as np
import plotly.graph_objects as go

FAR_M = 10_000.0  # beyond, float32 coordinates lose millimetres: they are counted from a round place instead
ROUND_M = 1000.0
INK = "#767676"  # is read on white and on black
GROUND_SHARE, TOP_SHARE = 2, 98  # percentiles of height that the map's greys span
GREYS = [[0, "#5A5A5A"], [1, "#C4C4C4"]]
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:"
CONFIG = {"displaylogo": False, "responsive": True, "scrollZoom": True}
EYE = {"x": 0.0, "y": -0.85, "z": 1.05}
FLATTEST = 0.02  # height of the scene over its largest side, at least
HINT = "Drag to turn, scroll to zoom. In the legend a click hides, a double click shows alone."

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
html, body {{ height: 100%; margin: 0; }}
body {{ display: flex; flex-direction: column; font: 15px/1.4 system-ui, sans-serif; }}
h1 {{ font-size: 1.2em; margin: .5em .8em 0; }}
p {{ margin: .2em 1em; }}
.scene {{ flex: 1; min-height: 300px; }}
.scene > div {{ height: 100%; }}
</style>
</head>
<body>
<h1>{title}</h1>
<p>{sentence}</p>
{notes}
<div class="scene">
{figure}
</div>
</body>
</html>
"""


@dataclass
class Scene:
    title: str
    sentence: str
    traces: list  # of plotly, with coordinates less the origin
    origin: np.ndarray  # x, y, z in metres
    notes: list = field(default_factory=list)


def origin_of(points) -> np.ndarray:
    """Returns a round place near the points; zero unless they are far from it."""
    middle = np.nanmean(points, axis=0)
    return np.where(np.abs(middle) > FAR_M, np.round(middle / ROUND_M) * ROUND_M, 0.0)


def cloud(name, points, origin, marker, **more):
    """Returns a trace of points. plotly packs arrays of float32 as base64."""
    x, y, z = (points - origin).astype(np.float32).T
    return go.Scatter3d(name=name, x=x, y=y, z=z, mode="markers", marker=marker, **more)


def map_cloud(points, origin):
    """Returns the map in greys by height, without hover texts that would hide those of poses."""
    z = (points[:, 2] - origin[2]).astype(np.float32)
    low, high = np.percentile(z, [GROUND_SHARE, TOP_SHARE])
    marker = {"size": 1.2, "color": z, "colorscale": GREYS, "cmin": float(low), "cmax": float(high)}
    return cloud("map", points, origin, marker, hoverinfo="skip")


def text_of(scene: Scene) -> str:
    """Returns the page's HTML."""
    figure = go.Figure(scene.traces, layout=_layout(scene))
    inner = figure.to_html(full_html=False, include_plotlyjs=True, config=CONFIG, default_height="100%")
    notes = "\n".join(f"<p>{html.escape(note)}</p>" for note in [*scene.notes, HINT])
    title, sentence = html.escape(scene.title), html.escape(scene.sentence)
    return PAGE.format(policy=POLICY, title=title, sentence=sentence, notes=notes, figure=inner)


def _layout(scene):
    ranges, aspect = _box(scene.traces)
    axes = {f"{axis}axis": _axis(axis, offset, ends) for axis, offset, ends in zip("xyz", scene.origin, ranges)}
    return {
        "template": "none",
        "paper_bgcolor": "rgba(0,0,0,0)",
        "font": {"color": INK},
        "margin": {"l": 0, "r": 0, "t": 0, "b": 0},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": INK},
        "legend": {"itemsizing": "constant", "x": 0, "y": 1, "bgcolor": "rgba(0,0,0,0)"},
        "scene": {"aspectmode": "manual", "aspectratio": aspect, "dragmode": "turntable", "camera": {"eye": EYE}, **axes},
    }


def _box(traces):
    """Returns the ranges of the axes, and sides that are to scale. plotly's own draw a flat drive too large to be seen whole."""
    low, high = (np.array([end([end(trace[axis]) for trace in traces]) for axis in "xyz"], float) for end in (np.min, np.max))
    most = max((high - low).max(), 1.0)
    half = np.maximum(high - low, FLATTEST * most) / 2
    middle = (low + high) / 2
    ranges = np.column_stack([middle - half, middle + half])
    return ranges.tolist(), dict(zip("xyz", (2 * half / most).tolist()))


def _axis(name, offset, ends):
    title = f"{name}, m" if offset == 0 else f"{name} − {offset:,.0f}, m"
    looks = {"showbackground": False, "gridcolor": INK, "zeroline": False, "showspikes": False}
    return {"title": {"text": title}, "range": ends, "nticks": 3 if name == "z" else 8, **looks}
