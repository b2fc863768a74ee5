"""The time of an alignment back to back, and after sleeping until the next tick."""

import pandas as pd

from ..judge.idle import CALL, at_lowest_rate, call_name
from ..page_numbers import number
from .style import Looks, finish, log_axis, panels
from . import MOST_PANELS, Drawing, and_more


def fastest_settings(table: pd.DataFrame) -> pd.DataFrame:
    """Selects for every dataset and implementation the rows of the variant and threads that are fastest at the lowest rate."""
    lowest = at_lowest_rate(table)
    best = lowest.sort_values("align_ms_p50", kind="stable").drop_duplicates(["dataset", "implementation"])
    return table.merge(best[["dataset", "implementation", "variant", "threads"]])


def finding(shown: pd.DataFrame, rarest) -> str:
    first = shown[shown.dataset == shown.dataset.iloc[0]]
    best = first.loc[first[(first[CALL] == rarest).all(axis=1)].align_ms_p50.idxmin()]
    alone = first[(first.rate_hz == 0) & (first.implementation == best.implementation)].iloc[0]
    return (
        f"{best.implementation} takes {number(best.align_ms_p50)} ms at {call_name(*rarest)} on {best.dataset}, and"
        f" {number(alone.align_ms_p50)} ms back to back."
    )


def draw(table: pd.DataFrame, look: Looks):
    """table: of idle_table()."""
    if table.empty:
        return None
    rates = sorted(table.rate_hz.unique(), key=lambda rate: (rate > 0, -rate))  # back to back, then rarer and rarer
    shown = fastest_settings(table)
    names = list(dict.fromkeys(shown.dataset))
    figure, axes = panels(len(names[:MOST_PANELS]), columns=2, height_in=3.0)
    for ax, name in zip(axes, names):
        of_name = shown[shown.dataset == name]
        for implementation in look.in_order(of_name.implementation):
            for announced_ms, line in of_name[of_name.implementation == implementation].groupby("announced_ms"):
                times = line.set_index("rate_hz").align_ms_p50.reindex(rates)
                told = {"linestyle": ":", "label": f"{implementation}, announced {announced_ms:g} ms before"} if announced_ms else {}
                ax.plot(range(len(rates)), times, **{"label": implementation} | look(implementation) | told)
        log_axis(ax.yaxis)
        ax.set_xticks(range(len(rates)), [call_name(rate, 0) for rate in rates])
        ax.set_ylabel("median time of an alignment, ms")
        ax.set_title(f"{name} (n = {of_name.n.max()})")
    note = "Of each implementation the threads and options that are fastest at the lowest rate." + and_more(len(axes), len(names))
    return Drawing("idle", "After idle", finding(shown, (rates[-1], 0)), finish(figure, axes), shown, note)
