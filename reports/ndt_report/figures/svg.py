"""A figure as SVG: a file of its own, and the same drawing inline in the page, where it takes the page's colours, has
tooltips on its points, and comes apart into panels for a narrow screen."""

import io
import re
import zlib
from dataclasses import dataclass
from xml.sax.saxutils import escape

import matplotlib.pyplot as plt
import numpy as np
from markupsafe import Markup
from matplotlib.collections import PathCollection
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from matplotlib.ticker import FixedLocator

from ..page_numbers import number

MOST_LABEL = 160  # characters of any text in a figure: longer ones would leave no room for data
MOST_TIPS = 400  # points of one line or collection with a tooltip each
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
    "#5a5a5a": "var(--grey)",
    "#6c6c6c": "var(--grey)",
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
    tips = _mark_tips(figure)
    for i, ax in enumerate(figure.axes):
        ax.set_gid(f"panel{i}")
    out = io.BytesIO()
    figure.savefig(out, format="svg", metadata={"Date": None, "Creator": None})
    file = out.getvalue().decode("utf-8")
    picture = Picture(
        file,
        Markup(_inline(figure, file, prefix, tips)),
        PT_PER_INCH * figure.get_size_inches()[0],
        _panels(figure, prefix),
        _legend(figure),
    )
    plt.close(figure)
    return picture


def page_colour(colour: str) -> str:
    return OF_THE_PAGE.get(colour.lower(), colour)


def _inline(figure, file: str, prefix: str, tips: dict) -> str:
    text = file[file.index("<svg") :]
    text = re.sub(r"<!--.*?-->", "", text, flags=re.S)  # what glyphs spell
    text = re.sub(r"\s*\n\s*(?!\s|<)", " ", text)  # inside of a path
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r"<defs>\s*<style.*?</style>\s*</defs>", "", text, flags=re.S)
    text = re.sub(r'<g id="patch_1">.*?</g>', "", text, count=1, flags=re.S)  # the white ground
    for gid, (ax, label) in tips.items():
        text = _with_tips(text, gid, ax, label, figure)
    text = re.sub(r'\bid="', f'id="{prefix}', text)
    text = re.sub(r'(xlink:href="|url\()#', rf"\g<1>#{prefix}", text)
    return re.sub(r"#[0-9a-f]{6}\b(?=[;\"])", lambda m: page_colour(m[0]), text)


def _mark_tips(figure) -> dict:
    """{group id: (axes, label)} of lines and dots with a tooltip. What has no label of its own has that of another
    artist of its colour."""
    artists = [(ax, a) for ax in figure.axes for a in (*ax.lines, *ax.collections)]
    named = {}
    for _, artist in artists:
        if _label(artist) and isinstance(artist, Line2D):
            named.setdefault(artist.get_color(), _label(artist))
    tips = {}
    for ax, artist in artists:
        if not isinstance(artist, Line2D | PathCollection) or artist.get_rasterized():
            continue
        label = _label(artist) or (named.get(artist.get_color()) if isinstance(artist, Line2D) else "")
        if label or (isinstance(artist, PathCollection) and len(artist.get_offsets()) <= MOST_TIPS):
            gid = f"tip{len(tips)}"
            artist.set_gid(gid)
            tips[gid] = (ax, label or "")
    return tips


def _label(artist) -> str:
    label = str(artist.get_label())
    return "" if label.startswith("_") else label


def _with_tips(text: str, gid: str, ax, label: str, figure) -> str:
    """The group with its label as a title, and at each of its points the point's values."""
    begin = text.find(f'<g id="{gid}">')
    if begin < 0:
        return text
    end = _end_of_group(text, begin)
    group = text[begin:end]
    points = re.findall(r'<use [^>]*x="[^"]+" y="[^"]+"[^>]*/>', group)
    if 0 < len(points) <= MOST_TIPS:
        group = re.sub(
            r'(<use [^>]*x="([^"]+)" y="([^"]+)"[^>]*)/>',
            lambda m: f"{m[1]}>{_title(_said(figure, ax, label, float(m[2]), float(m[3])))}</use>",
            group,
        )
    elif label:
        group = group.replace(">", ">" + _title(label), 1)
    return text[:begin] + group + text[end:]


def _end_of_group(text: str, begin: int) -> int:
    depth = 0
    for tag in re.compile(r"<g\b|</g>").finditer(text, begin):
        depth += 1 if tag[0] == "<g" else -1
        if depth == 0:
            return tag.end()
    return begin


def _title(text: str) -> str:
    return f"<title>{escape(text)}</title>"


def _said(figure, ax, label: str, x_pt: float, y_pt: float) -> str:
    scale = figure.dpi / PT_PER_INCH
    at = np.array([x_pt, PT_PER_INCH * figure.get_size_inches()[1] - y_pt]) * scale
    x, y = ax.transData.inverted().transform(at)
    lines = [label] if label else []
    for axis, value in ((ax.xaxis, x), (ax.yaxis, y)):
        named = axis.get_label_text() or axis.axis_name
        lines.append(f"{named}: {_named_tick(axis, value) or number(float(value))}")
    return "\n".join(lines)


def _named_tick(axis, value) -> str:
    """The name of a tick, on an axis whose ticks were given one by one: names may stand in place of numbers."""
    if not isinstance(axis.get_major_locator(), FixedLocator):
        return ""
    places = axis.get_majorticklocs()
    ticks = zip(places, axis.get_major_formatter().format_ticks(places))
    return next((name for at, name in ticks if abs(at - value) <= 1e-3 * abs(at)), "")


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
