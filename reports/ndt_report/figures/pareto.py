"""Accuracy against latency: what is bought with the time."""

import numpy as np
import pandas as pd

from ..judge.better_peers import nearest_peer_clause
from ..page_numbers import number
from .named import Chart, draw_named
from .style import BAND, Looks, finish, log_axis, panels
from . import MOST_PANELS, Drawing, and_more

SMALLEST_SHOWN_MM = 1e-3


def pareto_points(table: pd.DataFrame, datasets: pd.DataFrame) -> pd.DataFrame:
    """Timed rows of the summary table: align_ms_p50, error_mm (p50, against the truth or else the oracle),
    on_front."""
    points = table[table.align_ms_p50.notna() & (table.variant == "autoware")].copy()
    with_truth = points.groupby("dataset").translation_error_mm_p50.transform(lambda v: v.notna().any())
    points["against"] = np.where(with_truth, "truth", "oracle")
    of_oracle = points.translation_vs_ref_mm_p50.fillna(0.0).clip(lower=SMALLEST_SHOWN_MM)
    points["error_mm"] = points.translation_error_mm_p50.where(with_truth, of_oracle)
    points["error_mm_p90"] = points.translation_error_mm_p90.where(
        with_truth, points.translation_vs_ref_mm_p90.fillna(0).clip(lower=SMALLEST_SHOWN_MM)
    )
    points["truth_accuracy_mm"] = 1000 * points.dataset.map(datasets.truth_accuracy_m).astype(float).fillna(
        0.0
    )
    points["on_front"] = [_on_front(p, points[points.dataset == p.dataset]) for p in points.itertuples()]
    return points[
        [
            "dataset",
            "implementation",
            "threads",
            "align_ms_p50",
            "align_ms_p90",
            "error_mm",
            "error_mm_p90",
            "against",
            "truth_accuracy_mm",
            "on_front",
            "timed_measurements",
            "samples",
        ]
    ].reset_index(drop=True)


def _on_front(point, others) -> bool:
    """No other is both faster and, beyond what the truth can tell, more accurate or as accurate."""
    floor = max(point.truth_accuracy_mm, 0.5)  # half a millimetre is no difference in accuracy
    better = (others.align_ms_p50 < point.align_ms_p50) & (others.error_mm <= point.error_mm + floor)
    return not better.any()


def finding(points: pd.DataFrame, better: pd.DataFrame) -> str:
    """better: of better_peers(), which alone says whether a peer is more accurate."""
    dataset = points.dataset.iloc[0]
    best = points[points.dataset == dataset].sort_values("align_ms_p50", kind="stable").iloc[0]
    nearer = nearest_peer_clause(better, dataset)
    said = (
        f"On {dataset}, {best.implementation} ({best.threads:g} thr) needs the least time:"
        f" {number(best.align_ms_p50)} ms at a median error of {number(best.error_mm)} mm against the {best.against}"
        f" (n = {best.timed_measurements:g} alignments)"
    )
    return f"{said}; {nearer}." if nearer else f"{said}."


def scales(axes) -> str:
    """Says which axes of the panels are logarithmic; that of times always is."""
    of_errors = [ax.get_yscale() == "log" for ax in axes]
    if all(of_errors):
        return " Both axes are logarithmic."
    where = "is only where they are distances from the oracle" if any(of_errors) else "is not"
    return f" The axis of times is logarithmic, that of errors {where}."


def smallest_shown(points: pd.DataFrame) -> str:
    raised = points[(points.against == "oracle") & (points.error_mm <= SMALLEST_SHOWN_MM)]
    return f" Distances below {SMALLEST_SHOWN_MM:g} mm are drawn there." if len(raised) else ""


def draw(table: pd.DataFrame, datasets: pd.DataFrame, better, shown: list, look: Looks, own=()):
    """Every method with its fastest thread count on the first of shown; the Chart has all of shown. better: of
    better_peers(). own: the user's methods."""
    points = pareto_points(table[table.dataset.isin(shown)], datasets)
    if points.empty:
        return None
    first = points.dataset.iloc[0]
    chart = _chart(points, look, own)
    drawn = points[points.dataset == first]
    note = "Low and left is good. A point is the median over alignments with the fastest threads. Both axes are logarithmic."
    note += smallest_shown(drawn) + (" Grey: errors that the truth is too coarse to show." if drawn.truth_accuracy_mm.max() > 0 else "")
    figure = draw_named(chart, first)
    return Drawing("pareto", "Accuracy against latency", finding(drawn, better), figure, drawn, note, chart=chart)


def _chart(points, look, own) -> Chart:
    fastest = points.sort_values("align_ms_p50", kind="stable").drop_duplicates(["dataset", "implementation"]).sort_index()
    names = {"implementation": "method", "align_ms_p50": "x", "truth_accuracy_mm": "floor"}
    fastest = fastest.rename(columns=names).assign(y=fastest.error_mm.clip(lower=SMALLEST_SHOWN_MM))
    against = set(fastest.against)
    to = "against the truth" if against == {"truth"} else "to the oracle" if against == {"oracle"} else "against truth or oracle"
    beside = {"threads": "threads", "align_ms_p90": "90 % within, ms", "error_mm_p90": "90 % within, mm", "timed_measurements": "alignments"}
    return Chart(fastest, "median time of an alignment, ms", f"median error {to}, mm", look, list(own), beside)


def draw_others(table: pd.DataFrame, datasets: pd.DataFrame, better, shown: list, look: Looks):
    """A panel for each dataset. better: of better_peers()."""
    points = pareto_points(table[table.dataset.isin(shown)], datasets)
    if points.empty:
        return None
    names = list(points.dataset.unique())
    figure, axes = panels(min(len(names), MOST_PANELS), columns=3 if len(names) > 2 else 2, height_in=3.3)
    for ax, dataset in zip(axes, names):
        _panel(ax, points[points.dataset == dataset], look)
        ax.set_title(f"{dataset} (n = {points[points.dataset == dataset].timed_measurements.max():g})")
    note = (
        "Left and low is good. A point is the median over alignments, its bars reach to the 90th percentile."
        " Pale: other thread counts than a method's fastest. Grey: errors that the truth is too coarse to show."
        + scales(axes)
        + smallest_shown(points)
        + and_more(len(axes), len(names))
    )
    return Drawing("pareto_others", "Accuracy against latency", finding(points, better), finish(figure, axes), points, note)


def _panel(ax, points, look):
    fastest = set(points.sort_values("align_ms_p50", kind="stable").drop_duplicates("implementation").index)
    for p in points.itertuples():
        style = look(p.implementation)
        if p.Index not in fastest:
            ax.plot(
                p.align_ms_p50, p.error_mm, **style | {"linestyle": "none", "markersize": 5, "alpha": 0.4}
            )
            continue
        reach = [[0], [max(p.align_ms_p90 - p.align_ms_p50, 0)]], [[0], [max(p.error_mm_p90 - p.error_mm, 0)]]
        ax.errorbar(
            p.align_ms_p50,
            p.error_mm,
            xerr=reach[0],
            yerr=reach[1],
            ecolor=style["color"],
            elinewidth=0.8,
            fmt="none",
        )
        ax.plot(p.align_ms_p50, p.error_mm, label=p.implementation, **style | {"linestyle": "none", "markersize": 8})
    ax.set_xscale("log")
    ax.margins(x=0.18, y=0.15)
    log_axis(ax.xaxis)
    against = points.against.iloc[0]
    if against == "oracle":
        log_axis(ax.yaxis)
        ax.set_ylabel("distance from the oracle's pose, mm")
    else:
        ax.set_ylim(0, 1.15 * min(points.error_mm_p90.max(), 4 * points.error_mm.max()) + 1e-9)
        ax.set_ylabel("error against the truth, mm")
        if points.truth_accuracy_mm.iloc[0] > 0:
            ax.axhspan(0, points.truth_accuracy_mm.iloc[0], color=BAND, zorder=0)
    ax.set_xlabel("median time of an alignment, ms")
