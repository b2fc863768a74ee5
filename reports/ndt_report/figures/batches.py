"""Throughput of batches against the number of their poses."""

import pandas as pd

from ..page_numbers import number
from .style import Looks, finish, log_axis, panels
from . import MOST_PANELS, Drawing, and_more


def finding(table: pd.DataFrame) -> str:
    most = (
        table[table.dataset == table.dataset.iloc[-1]]
        .sort_values("pose_iterations_per_s", kind="stable")
        .iloc[-1]
    )
    gain = f", {number(most.speed_up)} times single calls" if most.speed_up == most.speed_up else ""
    return (
        f"With {number(most.points, 6)} points the most is {number(most.pose_iterations_per_s)}"
        f" pose-iterations a second: {most.implementation} with {most.poses} poses{gain}."
    )


def draw(table: pd.DataFrame, look: Looks):
    """table: of batch_table()."""
    table = table[table.pose_iterations_per_s.notna()]
    if not (table.poses > 1).any():
        return None
    cases = list(dict.fromkeys(zip(table.dataset, table.variant)))
    several = table.variant.nunique() > 1
    figure, axes = panels(min(len(cases), MOST_PANELS), columns=2, height_in=3.6)
    for ax, (dataset, variant) in zip(axes, cases):
        shown = table[(table.dataset == dataset) & (table.variant == variant)]
        for name in look.in_order(shown.implementation):
            for threads, line in shown[shown.implementation == name].groupby("threads"):
                ax.plot(line.poses, line.pose_iterations_per_s, label=name, **look(name))
        log_axis(ax.xaxis)
        log_axis(ax.yaxis)
        ax.set_xlabel("poses of a batch")
        ax.set_ylabel("pose-iterations a second")
        title = f"{dataset}: {shown.points.iloc[0]:,.0f} points"
        ax.set_title(f"{title}\n{variant}" if several else title)
    note = "Medians; a line that ends early was skipped where a call would have taken too long."
    note += and_more(len(axes), len(cases))
    return Drawing(
        "batches", "Batches", finding(table), finish(figure, axes), table.drop(columns="why_not"), note
    )
