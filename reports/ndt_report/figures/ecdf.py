"""How long an alignment takes, all repeats of it: cumulative curves, and every repeat as a dot below."""

import numpy as np
import pandas as pd

from ..judge.latency import LEAST_P99_SAMPLES
from ..page_numbers import number
from .style import Looks, finish, log_axis, on_any_ground, panels
from . import MOST_PANELS, Drawing, and_more

MOST_DOTS, MOST_STEPS = 1500, 500  # drawn of an implementation in a panel


def fastest_threads(samples: pd.DataFrame) -> pd.DataFrame:
    """Selects for every (dataset, implementation) the repeats of the thread count with the smallest median."""
    medians = (
        samples.groupby(["dataset", "implementation", "threads"], sort=False).align_ms.median().reset_index()
    )
    best = medians.sort_values("align_ms", kind="stable").drop_duplicates(["dataset", "implementation"])
    kept = samples.merge(
        best[["dataset", "implementation", "threads"]], on=["dataset", "implementation", "threads"]
    )
    return kept.reset_index(drop=True)


def finding(samples: pd.DataFrame) -> str:
    dataset = samples.dataset.iloc[0]
    tails = (
        samples[samples.dataset == dataset]
        .groupby("implementation", sort=False)
        .align_ms.quantile([0.5, 0.99])
        .unstack()
    )
    n = samples[samples.dataset == dataset].groupby("implementation").size()
    steady = (tails[0.99] / tails[0.5])[n >= LEAST_P99_SAMPLES].sort_values()
    if steady.empty:
        fastest = tails[0.5].sort_values()
        return (
            f"On {dataset}, half of the repeats take at most {number(fastest.iloc[0])} ms with {fastest.index[0]};"
            f" fewer than {LEAST_P99_SAMPLES} repeats say nothing of the slowest 1 %."
        )
    return (
        f"On {dataset}, the slowest 1 % of repeats take {number(steady.iloc[0], 2)} times the median with"
        f" {steady.index[0]} and {number(steady.iloc[-1], 2)} times with {steady.index[-1]} (n ="
        f" {len(samples[samples.dataset == dataset])} repeats)."
    )


def draw(samples: pd.DataFrame, shown: list, look: Looks):
    samples = samples[samples.dataset.isin(shown) & (samples.variant == "autoware")]
    if samples.empty:
        return None
    samples = fastest_threads(samples)
    names = [n for n in shown if n in set(samples.dataset)]
    figure, axes = panels(min(len(names), MOST_PANELS), columns=2, height_in=3.4)
    for ax, name in zip(axes, names):
        _panel(ax, samples[samples.dataset == name], look)
        ax.set_title(f"{name} (n = {len(samples[samples.dataset == name])} repeats)")
    note = (
        "Each implementation with its fastest thread count; every alignment weighs the same. The dots are"
        " single repeats: a spread across frames is work that differs, a tail is disturbance."
        + and_more(len(axes), len(names))
    )
    data = samples[["dataset", "implementation", "threads", "frame", "guess_name", "align_ms", "weight"]]
    return Drawing("latency_ecdf", "Latency: all repeats", finding(samples), finish(figure, axes), data, note)


def _panel(ax, samples, look):
    names = look.in_order(samples.implementation)
    for lane, name in enumerate(names):
        own = samples[samples.implementation == name].sort_values("align_ms", kind="stable")
        style = look(name)
        share = 100 * own.weight.cumsum() / own.weight.sum()
        thin = np.unique(np.linspace(0, len(own) - 1, MOST_STEPS).astype(int))
        ax.step(
            own.align_ms.iloc[thin],
            share.iloc[thin],
            where="post",
            color=style["color"],
            linestyle=style["linestyle"],
        )
        marks = [int(len(own) * q) for q in (0.1, 0.5, 0.9)]
        ax.plot(
            own.align_ms.iloc[marks],
            share.iloc[marks],
            color=style["color"],
            marker=style["marker"],
            markeredgecolor="white",
            markersize=7,
            linestyle="none",
            label=name,
        )
        dots = own.iloc[:: max(1, len(own) // MOST_DOTS)]
        height = (
            -9 - 9 * lane + 3 * np.sin(np.arange(len(dots)) * 2.4)
        )  # spread within a lane, the same each time
        colour = on_any_ground(style["color"])
        ax.plot(dots.align_ms, height, ".", color=colour, markersize=2.2, alpha=0.5, rasterized=True)
    log_axis(ax.xaxis)
    ax.set_ylim(-9 * len(names) - 6, 103)
    ax.set_yticks([0, 25, 50, 75, 100])
    ax.set_xlabel("time of one alignment, ms")
    ax.set_ylabel("alignments that took no longer, %")
