"""Every method as a named point on each dataset: its error against its time."""

import pandas as pd

from ..figures import Drawing
from ..figures.named import Chart, draw_named
from ..figures.style import Looks
from .words import length

LEAST_MM = 1e-3  # smaller errors are drawn there


def method_of(runs) -> dict:
    """{label of a run: its method}, as a list of runs names it, else the implementation."""
    return {run.label: run.listed.method if run.listed else run.facts.implementation or run.label for run in runs}


def draw(runs, table: pd.DataFrame):
    """table: of summary_table()."""
    points = _points(runs, table)
    if points.method.nunique() < 2:
        return None
    names = list(dict.fromkeys(points.method))
    looks = Looks(pd.DataFrame({"name": names, "peer": False, "oracle": False}, index=names))
    chart = Chart(points, "median time of a frame, ms", "closed-loop ATE, mm", looks, beside={"frames": "frames", "ok": "frames ok"})
    first = points.dataset.iloc[0]
    drawn = points[points.dataset == first]
    best = drawn.sort_values("x", kind="stable").iloc[0]
    finding = f"On {first}, {best.method} needs the least time: {best.x:.3g} ms a frame at an ATE of {length(best.y / 1000)}."
    note = "Left and low is good. Both axes are logarithmic."
    return Drawing("localization_methods", "Error against time", finding, draw_named(chart, first), points, note, chart=chart)


def _points(runs, table) -> pd.DataFrame:
    methods, places = method_of(runs), {run.label: run.listed.condition if run.listed else run.dataset or run.name for run in runs}
    known = table[table.ate_rmse_m.notna() & (table.execution_ms_p50 > 0)]
    points = pd.DataFrame({
        "dataset": known.run.map(places), "method": known.run.map(methods), "x": known.execution_ms_p50,
        "y": (1000 * known.ate_rmse_m).clip(lower=LEAST_MM), "floor": 0.0, "frames": known.frames, "ok": known.ok, "folder": known.folder,
    })
    twice = points.duplicated(["dataset", "method"], keep=False)
    points["method"] = points.method.mask(twice, points.method + " (" + points.folder + ")")
    return points.drop_duplicates(["dataset", "method"]).reset_index(drop=True)
