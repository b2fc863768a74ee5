"""A figure as files, SVG and PDF, and inline in the page. There it takes the page's colours, and comes apart into panels for a
narrow screen."""

import io
import re
import zlib
from dataclasses import dataclass

import matplotlib.pyplot as plt
import numpy as np
from markupsafe import Markup
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text

MOST_LABEL = 160  # characters of any text in a figure: longer ones would leave no room for data
PT_PER_INCH = 72
MARGIN_PT = 3  # around a panel
# Colours that the page's style replaces, so that they can be read on a dark ground too.
OF_THE_PAGE = {
    "#000000": "var(--ink)",
    "#ffffff": "var(--paper)",
    "#222222": "var(--oracle)",
    "#666666": "var(--muted)",
    "#e4e4e4": "var(--grid)",
    "#f0f0f0": "var(--band)",
    "#4c4c4c": "var(--grey)",
}


@dataclass
class Panel:
    view: str  # viewBox
    group: str  # id of what is in it
    width_pt: float
    bar: bool  # of colours: it is read at its own size


@dataclass
class Picture:
    file: str  # the text of an SVG file
    pdf: bytes
    inline: Markup  # an <svg> for the page
    width_pt: float
    panels: list
    legend: list  # (colour, marker of matplotlib or None, label)


def picture_of(figure: Figure, name: str) -> Picture:
    """name: of the drawing, which no other one of the page has. Closes the figure."""
    for text in figure.findobj(Text, include_self=False):
        if len(text.get_text()) > MOST_LABEL:
            text.set_text(text.get_text()[: MOST_LABEL - 1] + "…")
    prefix = f"f{zlib.crc32(name.encode()):08x}-"
    for i, ax in enumerate(figure.axes):
        ax.set_gid(f"panel{i}")
    file = _saved(figure, "svg", {"Date": None, "Creator": None}).decode("utf-8")
    picture = Picture(
        file,
        _saved(figure, "pdf", {"CreationDate": None, "Creator": None, "Producer": None}),
        Markup(_inline(file, prefix)),
        PT_PER_INCH * figure.get_size_inches()[0],
        _panels(figure, prefix),
        _legend(figure),
    )
    plt.close(figure)
    return picture


def _saved(figure, form: str, metadata: dict) -> bytes:
    """metadata: without a time, so that the same figure has the same bytes."""
    out = io.BytesIO()
    figure.savefig(out, format=form, metadata=metadata)
    return out.getvalue()


def page_colour(colour: str) -> str:
    return OF_THE_PAGE.get(colour.lower(), colour)


def _inline(file: str, prefix: str) -> str:
    text = file[file.index("<svg") :]
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)  # what glyphs spell
    text = re.sub(r"\s*\n\s*(?!\s|<)", " ", text)  # inside of a path
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.S)
    text = re.sub(r'<g id="patch_1">.*?</g>', "", text, count=1, flags=re.S)  # the white ground
    text = re.sub(r'\bid="', f'id="{prefix}', text)
    text = re.sub(r'(xlink:href="|url\()#', rf"\g<1>#{prefix}", text)
    return re.sub(r"#[0-9a-f]{6}\b(?=[;\"])", lambda m: page_colour(m[0]), text)


def _panels(figure, prefix: str) -> list:
    """One for every axes, in reading order."""
    height, scale = PT_PER_INCH * figure.get_size_inches()[1], PT_PER_INCH / figure.dpi
    renderer = figure.canvas.get_renderer()
    out = []
    for i, ax in enumerate(figure.axes):
        box = ax.get_tightbbox(renderer)
        if box is None or not np.isfinite(box.extents).all():
            continue
        x0, y0, x1, y1 = box.extents * scale
        view = [x0 - MARGIN_PT, height - y1 - MARGIN_PT, x1 - x0 + 2 * MARGIN_PT, y1 - y0 + 2 * MARGIN_PT]
        of_colours = ax.get_label() == "<colorbar>"
        out.append(Panel(" ".join(f"{v:.1f}" for v in view), f"{prefix}panel{i}", view[2], of_colours))
    return out


def _legend(figure) -> list:
    out = []
    for legend in figure.legends:
        # matplotlib 3.7 renamed legendHandles, 3.9 removed the old name.
        handles = legend.legend_handles if hasattr(legend, "legend_handles") else legend.legendHandles
        for handle, text in zip(handles, legend.get_texts()):
            colour, marker = _look(handle)
            out.append((colour, marker, text.get_text()))
    return out


def _look(handle):
    if isinstance(handle, Line2D):
        marker = handle.get_marker()
        return to_hex(handle.get_color()), marker if isinstance(marker, str) and marker != "None" else None
    colours = handle.get_facecolor() if hasattr(handle, "get_facecolor") else ()
    colour = np.atleast_2d(colours)[0] if np.size(colours) else (0, 0, 0, 1)
    return to_hex(colour), "s"
