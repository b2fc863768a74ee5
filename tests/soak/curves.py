"""Draws the curves of soak_alignments: python3 curves.py <alignments.csv> <curves.png>

Resident memory, and time of one piece of work, against the share of the work that is done: of the CPU as a line, by the
clock as a thin one. It needs pandas and matplotlib."""

import sys

import matplotlib
import pandas as pd

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def draw(rows: pd.DataFrame) -> plt.Figure:
    kinds = list(rows["what"].unique())
    figure, axes = plt.subplots(2, len(kinds), figsize=(5 * len(kinds), 6), sharex=True, squeeze=False, layout="constrained")
    for (memory, time), kind in zip(axes.T, kinds):
        of_kind = rows[rows["what"] == kind]
        for name, curve in of_kind.groupby("implementation", sort=False):
            share = curve["done"] / max(1, curve["done"].max())
            lines = memory.plot(share, curve["resident_kib"] / 1024, label=f"{name} ({curve['done'].max():,})")
            for clock, width in (("cpu_seconds", 1.5), ("seconds", 0.4)):
                each_ms = 1e3 * curve[clock].diff() / curve["done"].diff()
                time.plot(share, each_ms, color=lines[0].get_color(), linewidth=width)
        memory.set(title=kind, ylabel="resident [MiB]", ylim=(0, 1.5 * of_kind["resident_kib"].max() / 1024))
        memory.legend(fontsize=7)
        time.set(xlabel="share of the work done", ylabel="time of one [ms]", yscale="log")
        for axis in (memory, time):
            axis.grid(color="#E4E4E4")
    return figure


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    table = pd.read_csv(sys.argv[1])
    if table.empty:
        sys.exit(f"{sys.argv[1]}: it has no rows; run soak_alignments again")
    draw(table).savefig(sys.argv[2], dpi=110)
