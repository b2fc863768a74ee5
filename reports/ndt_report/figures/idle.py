"""The time of an alignment back to back, and after sleeping until the next tick."""

import pandas as pd

from ..judge.idle import CALL, at_lowest_rate, call_name, idle_calls
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
    # Back to back, then rarer and rarer, and what is announced first.
    calls = sorted(idle_calls(table), key=lambda call: (call[0] > 0, -call[0], -call[1]))
    shown = fastest_settings(table)
    names = list(dict.fromkeys(shown.dataset))
    figure, axes = panels(len(names[:MOST_PANELS]), columns=2, height_in=3.0)
    for ax, name in zip(axes, names):
        of_name = shown[shown.dataset == name]
        for implementation in look.in_order(of_name.implementation):
            line = of_name[of_name.implementation == implementation].set_index(CALL).align_ms_p50
            ax.plot(range(len(calls)), line.reindex(calls), label=implementation, **look(implementation))
        log_axis(ax.yaxis)
        ax.set_xticks(range(len(calls)), [call_name(*call).replace(", ", ",\n") for call in calls])
        ax.set_ylabel("median time of an alignment, ms")
        ax.set_title(f"{name} (n = {of_name.n.max()})")
    note = "Of each implementation the threads and options that are fastest at the lowest rate." + and_more(len(axes), len(names))
    return Drawing("idle", "After idle", finding(shown, calls[-1]), finish(figure, axes), shown, note)
