"""The scene of a folder of ndt-bench localize: its map, the truth, and every pose in the colour of its verdict."""

import html

import numpy as np
import plotly.graph_objects as go

from ..colours import VERDICT_LOOKS
from ..localization.errors import finite
from ..localization.load import load_localizations
from ..localization.words import length
from ..page_numbers import joined, number
from ..read.refusal import refusal
from .clouds import near, thinned
from .page import INK, Scene, cloud, map_cloud, origin_of

MARGIN_M = 50.0  # of map around the drive
MOST_POSES = 20_000
SYMBOLS = {"ok": "circle", "doubtful": "diamond", "lost": "square", "": "cross"}
TRUTH = "#CC79A7"


def scene(folder) -> Scene:
    """Throws InputError for a folder without poses."""
    (run,) = load_localizations([folder])
    shown = np.flatnonzero(finite(run.poses))
    if not len(shown):
        raise refusal(folder, "frames.csv", "holds no pose", "localise again")
    counts = run.frames.verdict.iloc[shown].value_counts()
    notes = list(run.notes)
    if len(shown) > MOST_POSES:
        every = -(-len(shown) // MOST_POSES)
        notes.append(f"Of {len(shown)} poses every {every}th is drawn.")
        shown = shown[::every]
    places, truth = run.poses[shown, :3, 3], run.truth[finite(run.truth), :3, 3]
    origin = origin_of(places)
    traces = _map(run, np.concatenate([places, truth]), origin)
    if len(truth):
        traces.append(_line("truth", truth, origin, TRUTH, 4))
    traces.append(_line("path", places, origin, INK, 1))
    traces += _poses(run.frames.iloc[shown], places, origin)
    return Scene(f"{run.label}: {run.dataset or run.name}", _sentence(run, counts), traces, origin, notes)


def _map(run, others, origin) -> list:
    if run.map_points is None:
        return []
    points = near(run.map_points, others, MARGIN_M)
    return [map_cloud(points[thinned(points)], origin)] if len(points) else []


def _line(name, points, origin, colour, width):
    x, y, z = (points - origin).astype(np.float32).T
    return go.Scatter3d(name=name, x=x, y=y, z=z, mode="lines", line={"color": colour, "width": width}, hoverinfo="skip")


def _poses(frames, places, origin) -> list:
    traces = []
    for verdict, (colour, _) in VERDICT_LOOKS.items():
        own = (frames.verdict == verdict).to_numpy()
        if own.any():
            marker = {"size": 3, "color": colour, "symbol": SYMBOLS[verdict]}
            texts = [_hover(row) for row in frames[own].itertuples()]
            name = f"{verdict or 'no verdict'} ({own.sum()})"
            traces.append(cloud(name, places[own], origin, marker, text=texts, hovertemplate="%{text}<extra></extra>"))
    return traces


def _hover(row) -> str:
    lines = [f"frame {row.number:g}, scan {row.scan}, {row.time_s:.2f} s", row.verdict or "no verdict"]
    if row.reason not in ("", "none"):
        lines[1] += f": {row.reason}"
    if row.source:
        lines.append(f"pose {row.source}")
    if row.nvtl == row.nvtl:
        lines.append(f"NVTL {row.nvtl:.2f}")
    if row.error_m == row.error_m:
        turned = f", {number(row.error_deg, 2)}°" if row.error_deg == row.error_deg else ""
        lines.append(f"error {length(row.error_m)}{turned}")
    return "<br>".join(map(html.escape, lines))


def _sentence(run, counts) -> str:
    said = joined(f"{count} {verdict or 'without a verdict'}" for verdict, count in counts.items())
    error = run.frames.error_m.max()
    truth = f"; at most {length(error)} from the truth" if error == error else ""
    return f"{counts.sum()} poses: {said}{truth}."
