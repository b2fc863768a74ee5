"""Searches for the initial pose: success against time and particles."""

import pandas as pd

from ..read.columns import OWN
from ..page_numbers import number
from ..judge.searches import SEARCH_KEY, TPE
from .style import MUTED, SPARE_COLOURS, Looks, finish, log_axis, panels
from . import MOST_PANELS, Drawing, and_more

DASHES = {  # of guided searches by strategy, of others by method
    "sequential": ":",
    "batched": (0, (5, 1.5)),
    "batched_persistent": (0, (3, 1)),
    "random": (0, (6, 1.5, 1, 1.5)),
    "grid": (0, (3, 1, 1, 1, 1, 1)),
    "anywhere": (0, (8, 2)),
    OWN: (0, (1, 1)),
}
ENDS = "osD^vP"  # the end of a line, by size of a round
METHOD_COLOURS = {"tpe": SPARE_COLOURS[1], "random": SPARE_COLOURS[0], "grid": SPARE_COLOURS[3], "anywhere": SPARE_COLOURS[2]}


def kind(row) -> str:
    return row.strategy if row.method == TPE else row.method


def _lines(steps: pd.DataFrame):
    """(first row, its steps) of every curve; of several sizes of a round the smallest first."""
    groups = [(group.iloc[0], group) for _, group in steps.groupby(SEARCH_KEY, sort=False)]
    return sorted(groups, key=lambda pair: pair[0].at_once)


def _ends(steps) -> dict:
    """{proposals a round: marker at the end of its lines}, of guided searches: to others rounds are
    nothing."""
    return {q: ENDS[i % len(ENDS)] for i, q in enumerate(sorted(set(steps[steps.method == TPE].at_once)))}


def _step(ax, line, over, colour, ends):
    """From the first success on, or from the start if there is none."""
    first = line.iloc[0]
    begun = line[line.success_share > 0]
    shown = begun if len(begun) else line
    x, y = [shown[over].iloc[0], *shown[over]], [0, *(100 * shown.success_share)]
    ax.step(x, y, where="post", color=colour, linestyle=DASHES[kind(first)], linewidth=1.6)
    if first.method == TPE:
        edge = {"markeredgecolor": "white", "markeredgewidth": 0.6}
        ax.plot(
            x[-1], y[-1], ends[first.at_once], color=colour, markersize=6, clip_on=False, zorder=3, **edge
        )


def _legend_of_ends(ax, ends):
    if len(ends) > 1:
        for q, end in ends.items():
            ax.plot([], [], end, color=MUTED, label=f"q = {q}")


# --- success against time ---


def time_finding(steps: pd.DataFrame) -> str:
    dataset = steps.dataset.iloc[0]
    ends = steps[steps.dataset == dataset].groupby(SEARCH_KEY, sort=False).tail(1)
    best = ends.sort_values(["success_share", "ms"], ascending=[False, True], kind="stable").iloc[0]
    own = steps[(steps[SEARCH_KEY] == best[SEARCH_KEY]).all(axis=1)]
    half = own[own.success_share >= best.success_share / 2].ms.iloc[0]
    return (
        f"On {dataset}, {best.implementation} {best.search_name} ends with {number(100 * best.success_share)} %"
        f" of its {best.n} searches within the limits after {number(best.ms)} ms, the longest; half of that"
        f" is reached after {number(half)} ms."
    )


def draw_time(steps: pd.DataFrame, look: Looks):
    """steps: of success_steps() over ms."""
    if steps.empty:
        return None
    names = list(dict.fromkeys(steps.dataset))
    figure, axes = panels(min(len(names), MOST_PANELS), columns=2, height_in=3.8)
    ends = _ends(steps)
    for ax, name in zip(axes, names):
        own = steps[steps.dataset == name]
        _time_panel(ax, own, ends, look)
        ax.set_title(f"{name} ({_searches(own)} a line)")
    _legend(axes[0], steps, ends, look)
    note = (
        "A step up: the best particle of one more search is a success; a line ends where the longest search"
        " does. "
    )
    note += "q: proposals a round."
    note += and_more(len(axes), len(names))
    return Drawing(
        "search_time",
        "Success against time",
        time_finding(steps),
        finish(figure, axes, columns=4),
        steps,
        note,
    )


def _searches(steps) -> str:
    low, high = steps.n.min(), steps.n.max()
    return f"{high} searches" if low == high else f"{low} to {high} searches"


def _time_panel(ax, steps, ends, look):
    for first, line in _lines(steps):
        _step(ax, line, "ms", look(first.implementation)["color"], ends)
    log_axis(ax.xaxis)
    ax.set_ylim(-3, 104)
    ax.set_xlabel("time since the search began, ms")
    ax.set_ylabel("searches whose best is a success, %")


def _legend(ax, steps, ends, look):
    """Colours, dashes and ends explained apart: their product would be too many entries."""
    for name in look.in_order(steps.implementation):
        ax.plot([], [], "s", color=look(name)["color"], label=name, markersize=8)
    there = {kind(row) for row in steps[["strategy", "method"]].drop_duplicates().itertuples()}
    for name, dash in DASHES.items():
        if name in there:
            ax.plot(
                [],
                [],
                color=MUTED,
                linestyle=dash,
                label=_in_words(name),
            )
    _legend_of_ends(ax, ends)


def _in_words(kind: str) -> str:
    if kind == OWN:
        return "a peer's own, by its end"
    return kind if kind not in METHOD_COLOURS else f"{kind}, not guided"


# --- success against particles ---


def chosen(steps: pd.DataFrame) -> pd.DataFrame:
    """Selects for every dataset the implementation with the most searches by name: the others walk the same way."""
    if steps.empty:
        return steps
    names = steps.groupby(["dataset", "implementation"], sort=False).search_name.nunique().reset_index()
    most = names.sort_values("search_name", ascending=False, kind="stable").drop_duplicates("dataset")
    return steps.merge(most[["dataset", "implementation"]], on=["dataset", "implementation"])


def particles_finding(steps: pd.DataFrame) -> str:
    own = steps[steps.dataset == steps.dataset.iloc[0]]
    ends = own.groupby(SEARCH_KEY, sort=False).tail(1)
    best = ends.sort_values("success_share", ascending=False, kind="stable").drop_duplicates("method")
    parts = ", ".join(
        f"{r.method} {number(100 * r.success_share)} % ({r.search_name})" for r in best.itertuples()
    )
    most = number(own.particles.max(), 6)
    return (
        f"On {own.dataset.iloc[0]}, of searches with up to {most} particles there end as a success: {parts}."
    )


def draw_particles(steps: pd.DataFrame):
    """steps: of success_steps() over particles_done."""
    steps = chosen(steps)
    if steps.empty:
        return None
    names = list(dict.fromkeys(steps.dataset))
    figure, axes = panels(min(len(names), MOST_PANELS), columns=2, height_in=3.6)
    ends = _ends(steps)
    for ax, name in zip(axes, names):
        own = steps[steps.dataset == name]
        _particles_panel(ax, own, ends)
        ax.set_title(f"{name}: {own.implementation.iloc[0]} ({_searches(own)} a line)")
    _particles_legend(axes[0], steps, ends)
    note = (
        "The best particle so far, after this number of particles in the order of their proposal. q:"
        " proposals a round. "
    )
    note += "One implementation a dataset: the others walk alike." + and_more(len(axes), len(names))
    return Drawing(
        "search_particles",
        "Success against particles",
        particles_finding(steps),
        finish(figure, axes, columns=4),
        steps,
        note,
    )


def _particles_panel(ax, steps, ends):
    for first, line in _lines(steps):
        _step(ax, line, "particles_done", METHOD_COLOURS[first.method], ends)
    for startup in sorted(set(steps[(steps.method == TPE) & (steps.startup < steps.particles)].startup)):
        ax.axvline(startup, color=MUTED, linewidth=0.9, label="tpe is guided from here on")
    ax.set_xlim(0, 1.03 * steps.particles_done.max())
    ax.set_ylim(-3, 104)
    ax.set_xlabel("particles")
    ax.set_ylabel("searches whose best is a success, %")


def _particles_legend(ax, steps, ends):
    for method, strategy in steps[["method", "strategy"]].drop_duplicates().itertuples(index=False):
        dash = DASHES[strategy if method == TPE else method]
        ax.plot(
            [],
            [],
            color=METHOD_COLOURS[method],
            linestyle=dash,
            label=f"{method}, {strategy}" if method == TPE else method,
        )
    _legend_of_ends(ax, ends)
