"""Draws the curves of soak_alignments: python3 curves.py <alignments.csv> <curves.png>

Resident memory and time of one piece of work, against the share of the work that is done. It needs pandas and matplotlib."""

import sys

import matplotlib
import pandas as pd

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402


def draw(rows: pd.DataFrame) -> plt.Figure:
    kinds = list(rows["what"].unique())
    figure, axes = plt.subplots(2, len(kinds), figsize=(5 * len(kinds), 6), sharex=True, squeeze=False, layout="constrained")
    for (memory, time), kind in zip(axes.T, kinds):
        for name, curve in rows[rows["what"] == kind].groupby("implementation", sort=False):
            done = curve["done"].to_numpy()
            each_ms = 1e3 * curve["seconds"].diff() / curve["done"].diff()
            share = done / max(1, done[-1])
            memory.plot(share, curve["resident_kib"] / 1024, label=f"{name} ({done[-1]:,})")
            time.plot(share[1:], each_ms.iloc[1:], label=name)
        memory.set(title=kind, ylabel="resident [MiB]", ylim=(0, None))
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
