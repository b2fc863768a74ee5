"""One look for all figures: a colour, marker and line per implementation, and the same bytes each time."""

import itertools
import zlib

import matplotlib
import numpy as np
import pandas as pd

from ..colours import BAD, GOOD, MUTED  # noqa: F401  figures take them from here
from ..read.load import oracle_of, users_own

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.figure import Figure  # noqa: E402
from matplotlib.ticker import AutoLocator, FuncFormatter, LogLocator, NullLocator  # noqa: E402

WIDTH_IN = 10.0  # 960 px as shown: an SVG point is 4/3 px
PANEL_IN = 4.3  # at most: a phone, 357 px wide inside its margins, shows the smallest text of a panel in 10 px
STRIP_IN = 0.45  # above the panels, for a legend of one line
FONT_PT = 9.5  # 12.7 px
DENSE_DPI = 130  # of what is drawn as pixels: clouds, tens of thousands of points

# Okabe and Ito's palette, which the colour-blind can tell apart; the marker says it once more.
ORACLE = ("#222222", "o", "-")
PEER_GREYS, PEER_MARKERS = ("#757575", "#4C4C4C", "#9E9E9E"), ("<", ">", "d", "p", "v", "h", "^")
OWN = (("#D4007F", "*", "-"), ("#7A00CC", "*", "-"), ("#B35900", "*", "-"))  # the user's methods
SPARE_COLOURS = ("#8C564B", "#6A3D9A", "#B2A000", "#4D6B2F")
SPARE_MARKERS = ("h", ">", "d", "p")
OTHERS = (
    ("#009E73", "D", "-"),
    ("#56B4E9", "P", "--"),
    ("#E69F00", "X", "-."),
    ("#D55E00", "^", "-"),
    ("#0072B2", "s", "-"),
    ("#CC79A7", "v", "--"),
    *((colour, marker, "--") for colour, marker in zip(SPARE_COLOURS, SPARE_MARKERS)),
)
GRID, BAND = "#E4E4E4", "#F0F0F0"
MUTED_DOTS = "#7F7F7F"
SEQUENTIAL = "cividis"

matplotlib.rcParams.update(
    {
        "font.family": "DejaVu Sans",
        "font.size": FONT_PT,
        "axes.titlesize": FONT_PT + 0.5,
        "axes.labelsize": FONT_PT,
        "legend.fontsize": FONT_PT,
        "xtick.labelsize": FONT_PT - 0.5,
        "ytick.labelsize": FONT_PT - 0.5,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.facecolor": "none",
        "axes.grid": True,
        "grid.color": GRID,
        "grid.linewidth": 0.8,
        "axes.axisbelow": True,
        "lines.linewidth": 1.8,
        "lines.markersize": 6,
        "legend.frameon": False,
        "figure.dpi": 96,
        "figure.max_open_warning": 0,  # all of a report's figures are made before the page is
        "savefig.dpi": DENSE_DPI,
        "svg.fonttype": "path",
        "pdf.fonttype": 42,  # texts that can be searched
        "text.parse_math": False,  # a name with $ is a name, no formula
        "svg.hashsalt": "ndt_report",
        "figure.constrained_layout.use": True,
    }
)


def _greys():
    """Looks of peers: greys that differ, and each with a marker of its own until all are used."""
    return ((PEER_GREYS[i % len(PEER_GREYS)], PEER_MARKERS[i % len(PEER_MARKERS)], ":") for i in itertools.count())


class Looks:
    """Colour, marker and line of every implementation of a run. The oracle is near-black, peers are grey, the user's own have full
    colour. The others have a palette in the order of implementations.json."""

    def __init__(self, implementations: pd.DataFrame):
        self.names = list(implementations.index)
        oracle, peers, others, own = oracle_of(implementations), _greys(), iter(OTHERS), iter(OWN)
        self.looks = {}
        users = set(users_own(implementations))
        for entry in implementations.itertuples():
            kind = own if entry.name in users else peers if entry.peer else others
            look = ORACLE if entry.name == oracle else next(kind, None)
            self.looks[entry.name] = look or self._unknown(entry.name)

    def __call__(self, name: str) -> dict:
        """Keyword arguments of plot()."""
        colour, marker, line = self.looks.get(name) or self._unknown(name)
        edge = {"markeredgecolor": "white", "markeredgewidth": 0.6}
        return {"color": colour, "marker": marker, "linestyle": line} | edge

    @staticmethod
    def _unknown(name: str):
        """Depends on the name alone."""
        number = zlib.crc32(name.encode())
        return SPARE_COLOURS[number % 4], SPARE_MARKERS[number // 4 % 4], "--"

    def in_order(self, names) -> list:
        """Distinct names in the order of implementations.json, unknown ones after them as they come."""
        known = {name: i for i, name in enumerate(self.names)}
        return sorted(dict.fromkeys(names), key=lambda name: known.get(name, len(known)))


def on_any_ground(colour: str) -> str:
    """Returns a grey for the oracle's near-black: no page can change the colours of pixels."""
    return MUTED_DOTS if colour == ORACLE[0] else colour


def panels(count: int, columns: int = 3, height_in: float = 3.0):
    """(figure, axes) of `count` panels in rows of at most `columns`, with a strip above them for the legend.
    Spare axes are removed."""
    columns = min(columns, count)
    rows, width_in = -(-count // columns), min(WIDTH_IN, PANEL_IN * columns)
    height_in = min(height_in, PANEL_IN) if columns == 1 else height_in
    figure, axes = plt.subplots(rows, columns, figsize=(width_in, height_in * rows + STRIP_IN), squeeze=False)
    for spare in axes.flat[count:]:
        spare.remove()
    return figure, list(axes.flat[:count])


class _LogTicks(LogLocator):
    def tick_values(self, vmin, vmax):
        """Even steps where a power of ten would be the only tick: newer ones of matplotlib would leave it alone."""
        places = super().tick_values(vmin, vmax)
        shown = np.count_nonzero((places >= min(vmin, vmax)) & (places <= max(vmin, vmax)))
        return places if shown > 1 else AutoLocator().tick_values(vmin, vmax)


def log_axis(axis):
    """Logarithmic with plain numbers: 1, 2, 5, 10 where that fits, then 1, 3, 10, then whole decades. Millions side by side need
    the room of three."""
    axis.axes.set_xscale("log") if axis.axis_name == "x" else axis.axes.set_yscale("log")
    low, high = axis.get_view_interval()
    span = high / max(low, 1e-300)
    room = 3 if axis.axis_name == "x" and high >= 1e6 else 1
    subs = (1, 2, 5) if span < 60 / room**2 else (1, 3) if span < 3000 / room**2 else (1,)
    axis.set_major_locator(_LogTicks(subs=subs, numticks=12))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_locator(NullLocator())


def finish(figure: Figure, axes, columns: int = 5) -> Figure:
    """One legend for all panels in the strip above them, never on data; entries in order of first
    appearance."""
    entries = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels()):
            entries.setdefault(label, handle)
    if not entries:
        return figure
    label_in = 0.6 + 0.6 * FONT_PT / 72 * max(map(len, entries))  # with its marker
    columns = max(1, min(columns, int(figure.get_size_inches()[0] / label_in)))
    # Constrained layout does not see a figure's legend: room is made by hand, beyond what panels() left.
    inches = 0.12 + 0.2 * -(-len(entries) // columns)
    width_in, height_in = figure.get_size_inches()
    figure.set_size_inches(width_in, height_in + max(0.0, inches - STRIP_IN))
    figure.get_layout_engine().set(rect=(0, 0, 1, 1 - inches / figure.get_size_inches()[1]))
    figure.legend(
        entries.values(),
        entries.keys(),
        loc="upper left",
        ncol=min(len(entries), columns),
        handlelength=2.6,
        columnspacing=1.6,
        borderaxespad=0.1,
    )
    return figure
