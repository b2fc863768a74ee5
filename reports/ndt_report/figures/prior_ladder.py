"""Searches against the width of the prior: success, wrong poses called reliable, and time."""

import pandas as pd

from ..page_numbers import number
from ..judge.prior_ladder import WHOLE_MAP, false_share, prior_name, rung_name, rungs_of
from ..judge.stats import wilson
from .style import MUTED, OTHERS, PEER_GREYS, PEER_MARKERS, finish, log_axis, panels
from . import MOST_PANELS, Drawing, NotDrawable, and_more

LINES = ("-", "--", ":", "-.")  # of implementations
PEERS_OWN = "a peer's own"


def draw_success(table: pd.DataFrame):
    """table: of ladder_table()."""
    shown = table[table.known > 0] if len(table) else table
    if shown.empty:
        return None
    shown = shown.assign(y=100 * shown.success_share)
    wide = shown[shown.sigma_m == shown.sigma_m.max()]
    found, known = int(wide.successes.sum()), int(wide.known.sum())
    finding = f"From a {prior_name(wide.sigma_m.iloc[0])} {found} of {known} searches find the pose, all ways together."
    title, label = "Success against the width of the prior", "searches that succeed, %"
    return _drawing("prior_ladder", title, finding, shown, label, percent=True)


def draw_false(table: pd.DataFrame):
    """Throws NotDrawable with the count where none is wrong: a line at 0 says less than its interval."""
    shown = table[table.known > 0] if len(table) else table
    if shown.empty:
        return None
    wrong, known = int(shown.false_reliable.sum()), int(shown.known.sum())
    low, high = (number(100 * share, 2) for share in wilson(wrong, known))
    finding = f"{wrong} of {known} searches from all priors call a wrong pose reliable (95 % interval: {low} to {high} %)."
    if not wrong:
        raise NotDrawable(finding)
    shown = shown.assign(y=100 * false_share(shown))
    return _drawing("prior_ladder_false", "Wrong poses called reliable", finding, shown, "wrong and called reliable, % of searches")


def draw_time(table: pd.DataFrame):
    shown = table[table.ms_p50.notna()] if len(table) else table
    if shown.empty:
        return None
    shown = shown.assign(y=shown.ms_p50)
    wide = shown[shown.sigma_m == shown.sigma_m.max()]
    fastest = wide.sort_values("ms_p50", kind="stable").iloc[0]
    finding = (
        f"From a {prior_name(wide.sigma_m.iloc[0])} the fastest is {fastest.implementation}, {fastest.way}, on"
        f" {fastest.dataset}: median {number(fastest.ms_p50)} ms."
    )
    return _drawing("prior_ladder_time", "Time against the width of the prior", finding, shown, "p50 of a search, ms", log=True)


def _drawing(name, title, finding, shown, label, percent=False, log=False):
    datasets = list(dict.fromkeys(shown.dataset))
    figure, axes = panels(min(len(datasets), MOST_PANELS), columns=2, height_in=3.4)
    looks, lines = _looks(shown), dict(zip(dict.fromkeys(shown.implementation), 10 * LINES))
    for ax, dataset in zip(axes, datasets):
        own = shown[shown.dataset == dataset]
        for (implementation, way, _, _), line in own.groupby(["implementation", "way", "variant", "threads"], sort=False):
            at = [_place(sigma_m, shown) for sigma_m in line.sigma_m]
            ax.plot(at, line.y, linestyle=lines[implementation], **looks[way])
        _rungs(ax, shown)
        if log:
            log_axis(ax.yaxis)
        elif percent:
            ax.set_ylim(-3, 104)
        else:
            ax.set_ylim(bottom=-0.03 * max(1.0, own.y.max()), top=1.08 * max(1.0, own.y.max()))
        ax.set_ylabel(label)
        ax.set_title(f"{dataset} ({_counted(own)} a point)")
    _legend(axes[0], looks, lines)
    note = "Width: standard deviation of x and y; the heading may be any. Of the whole map no way but anywhere is known."
    data = shown.drop(columns="y")
    return Drawing(name, title, finding, finish(figure, axes, columns=4), data, note + and_more(len(axes), len(datasets)))


def _legend(ax, looks, lines):
    """Colours and dashes explained apart: their product would be too many entries."""
    for way, look in looks.items():
        ax.plot([], [], label=way, **look)
    if len(lines) > 1:
        for implementation, line in lines.items():
            ax.plot([], [], color=MUTED, linestyle=line, label=implementation)


def _looks(shown) -> dict:
    edge = {"markeredgecolor": "white", "markeredgewidth": 0.6}
    ways = [way for way in dict.fromkeys(shown.way) if way != PEERS_OWN]
    looks = {way: {"color": colour, "marker": marker} | edge for way, (colour, marker, _) in zip(ways, 3 * OTHERS)}
    if PEERS_OWN in set(shown.way):
        looks[PEERS_OWN] = {"color": PEER_GREYS[0], "marker": PEER_MARKERS[0]} | edge
    return looks


def _place(sigma_m, shown):
    """On the axis: the whole map stands a step to the right of the widest."""
    if sigma_m < WHOLE_MAP:
        return sigma_m
    widths = [width for width in rungs_of(shown) if width < WHOLE_MAP]
    return 4 * max(widths, default=1)


def _rungs(ax, shown):
    rungs = rungs_of(shown)
    ax.set_xscale("log")
    ax.set_xticks([_place(rung, shown) for rung in rungs], [rung_name(rung) for rung in rungs])
    ax.set_xticks([], minor=True)
    ax.set_xlim(_place(rungs[0], shown) / 1.4, 1.4 * _place(rungs[-1], shown))
    ax.set_xlabel("width of the prior")


def _counted(own) -> str:
    low, high = own.n.min(), own.n.max()
    return f"{high} searches" if low == high else f"{low} to {high} searches"
