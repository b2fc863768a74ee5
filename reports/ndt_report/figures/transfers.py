"""The bytes that an alignment moves to the device and back, and those of each iteration."""

import pandas as pd

from ..page_numbers import joined, number
from .style import Looks, panels
from . import Drawing

BYTES = {
    "upload_bytes_p50": "to the device, an alignment",
    "download_bytes_p50": "back, an alignment",
    "bytes_per_iteration": "in an iteration",
}
ROW_IN, LEAST = 0.34, 0.5  # a bar begins at LEAST bytes: the scale is logarithmic


def finding(shown: pd.DataFrame) -> str:
    known = shown[shown.bytes_per_iteration.notna()]
    if known.empty:
        return "Guesses of the same scan do not differ in their iterations, so the bytes of one are unknown."
    moved = joined(f"{row.implementation} {number(row.bytes_per_iteration)}" for row in known.itertuples())
    return f"Bytes that move in an iteration: {moved}."


def draw(table: pd.DataFrame, look: Looks):
    """table: of transfers_table(); the first variant is drawn."""
    if table.empty:
        return None
    shown = table[table.variant == table.variant.iloc[0]].set_index("implementation")
    shown = shown.loc[look.in_order(shown.index), list(BYTES)].reset_index()
    shown.bytes_per_iteration = shown.bytes_per_iteration.round(6)  # a slope of nothing is not quite 0
    figure, axes = panels(len(BYTES), height_in=1 + ROW_IN * len(shown))
    for ax, (column, title) in zip(axes, BYTES.items()):
        ends = shown[column].fillna(LEAST).clip(lower=LEAST)
        ax.barh(shown.implementation, ends, color=[look(name)["color"] for name in shown.implementation])
        for name, value, end in zip(shown.implementation, shown[column], ends):
            ax.annotate(number(value), (end, name), xytext=(4, 0), textcoords="offset points", va="center")
        ax.set_xscale("log")
        ax.set_xlim(LEAST, 1e9)
        ax.set_xticks([1, 1e3, 1e6], ["1", "1 kB", "1 MB"])
        ax.set_title(title)
        ax.invert_yaxis()
        ax.tick_params(labelleft=ax is axes[0])
    note = "Counted around an alignment; medians, and the slope over iterations. The map is on the device before."
    return Drawing("transfers", "What moves", finding(shown), figure, shown, note)
