"""A Chart as a specification of Vega-Lite: filtered by dataset, methods toggled in the legend, zoomed, two runs side by side."""

import json

import numpy as np
import pandas as pd
from markupsafe import Markup

from ..figures.named import Chart, limits
from ..figures.names import placed

HEIGHT_PX, WIDE_PX, NARROW_PX = 400, 640, 290  # for which names are placed
PHONE_PX = 520  # narrower plots take the places of NARROW_PX
NAME_PX, LETTER_PX, BOLD_PX = 11, 6.2, 7.4
INK, LINE, MUTED = "#1c1c1c", "#e4e4e4", "#666666"  # which the page's style replaces, for a dark ground too
TICKS = [float(f"{digit}e{power}") for power in range(-6, 9) for digit in (1, 2, 5)]
STAR = "M0,-1L.22,-.31L.95,-.31L.36,.12L.59,.81L0,.38L-.59,.81L-.36,.12L-.95,-.31L-.22,-.31Z"
SHAPES = {"o": "circle", "s": "square", "p": "square", "^": "triangle-up", "v": "triangle-down", "<": "triangle-left"}
SHAPES |= {">": "triangle-right", "D": "diamond", "d": "diamond", "P": "cross", "X": "cross", "*": STAR}


def specification(chart: Chart, runs: dict = None) -> dict:
    """runs: {name: Chart} of several runs, in whose columns the same methods stand; {} for one."""
    charts = runs or {"": chart}
    points = pd.concat([c.points.assign(run=name) for name, c in charts.items()], ignore_index=True)
    methods = list(dict.fromkeys(points.method))
    looks = [chart.look(name) for name in methods]
    ends = {name: [*limits(own.x), *limits(own.y)] for name, own in points.groupby("dataset", sort=False)}
    rows = [row for _, own in points.groupby(["dataset", "run"], sort=False) for row in _rows(own, chart, ends)]
    layers = _layers(chart, methods, looks)
    params = [{"name": "ends", "value": ends}, _choice("dataset", list(ends))]
    spec = {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", "background": None, "data": {"values": rows}, "params": params}
    spec |= {"transform": [{"filter": "datum.dataset == dataset"}], "config": _config()}
    if runs:
        header = {"labelFontSize": 13, "labelFontWeight": "bold"}
        column = {"field": "run", "type": "nominal", "title": None, "sort": list(runs), "header": header}
        return spec | {"facet": {"column": column}, "spec": layers | {"height": HEIGHT_PX}}
    return spec | {"width": "container", "height": HEIGHT_PX} | layers


def _choice(name, options) -> dict:
    return {"name": name, "value": options[0], "bind": {"input": "select", "options": options, "name": f"{name} "}}


def _rows(points, chart, ends) -> list:
    """A dictionary for each point, with the place of its name on a wide and on a narrow plot."""
    x0, x1, y0, y1 = np.log(ends[points.dataset.iloc[0]])
    across, up = (np.log(points.x) - x0) / (x1 - x0), (np.log(points.y) - y0) / (y1 - y0)
    sizes = [((BOLD_PX if name in chart.strong else LETTER_PX) * len(name), NAME_PX + 1) for name in points.method]
    told = points[["run", "dataset", "method", "x", "y", "floor", *chart.beside]]
    rows = [{key: value for key, value in row.items() if value == value} for row in told.to_dict("records")]
    for end, width in (("wide", WIDE_PX), ("narrow", NARROW_PX)):
        places = placed(list(zip(across * width, up * HEIGHT_PX)), sizes, (width, HEIGHT_PX))
        for row, (dx, dy, lead) in zip(rows, places):
            path = f"M0,0L{lead[0]:.0f},{-lead[1]:.0f}" if lead else "M0,0"
            row |= {f"dx_{end}": round(dx), f"dy_{end}": round(-dy), f"led_{end}": path}
    return rows


def _layers(chart, methods, looks) -> dict:
    shown = {"condition": {"param": "shown", "empty": False, "value": 1}, "value": 0}
    colours = {"domain": methods, "range": [look["color"] for look in looks]}
    shapes = {"domain": methods, "range": [SHAPES.get(look["marker"], "circle") for look in looks]}
    entry_px = round(7.5 * max(map(len, methods)) + 30)
    columns = {"expr": f"max(1, floor(width / {entry_px}))"}
    legend = {"orient": "bottom", "title": None, "columns": columns, "symbolOpacity": 1, "labelLimit": 300}
    method = {"field": "method", "type": "nominal"}
    toggle = {"type": "point", "fields": ["method"], "toggle": "true"}
    params = [
        {"name": "shown", "select": toggle, "bind": "legend", "value": [{"method": name} for name in methods]},
        {"name": "zoom", "select": {"type": "interval", "zoom": "wheel![event.ctrlKey]"}, "bind": "scales"},
    ]
    strong = {"condition": {"test": {"field": "method", "oneOf": chart.strong}, "value": 150}} if chart.strong else {}
    points = {
        "mark": {"type": "point", "filled": True, "clip": True, "opacity": 1},
        "params": params,
        "encoding": {"shape": method | {"scale": shapes, "legend": legend}, "size": strong | {"value": 90}, "tooltip": _told(chart)},
    }
    floor = {"mark": {"type": "rule", "color": MUTED, "strokeDash": [2, 3], "clip": True}, "transform": [{"filter": "datum.floor > 0"}],
             "encoding": {"y": {"field": "floor", "aggregate": "max", "type": "quantitative"}}}
    colour = {"color": method | {"scale": colours, "legend": legend}, "opacity": shown}
    named = [layer | {"encoding": _places(chart) | colour | layer["encoding"]} for layer in (points, _leaders(), _names(chart))]
    return {"layer": [floor, *named] if chart.points.floor.max() > 0 else named}


def _places(chart) -> dict:
    ticks = {"axis": {"labelOverlap": True, "format": "~g", "values": TICKS}}
    return {axis: ticks | {"field": axis, "type": "quantitative", "title": title, "scale": _scale(i)}
            for i, (axis, title) in enumerate((("x", chart.x), ("y", chart.y)))}


def _scale(axis: int) -> dict:
    low, high = ({"expr": f"ends[dataset][{2 * axis + end}]"} for end in (0, 1))
    return {"type": "log", "nice": False, "domainMin": low, "domainMax": high}


def _by_width(name: str) -> dict:
    return {"expr": f"width < {PHONE_PX} ? datum.{name}_narrow : datum.{name}_wide"}


def _leaders() -> dict:
    """Lines from points to names that are not beside them: paths in pixels, which a size of 4 leaves as they are."""
    mark = {"type": "point", "shape": _by_width("led"), "size": 4, "filled": False, "strokeWidth": 0.7, "clip": True}
    return {"mark": mark, "encoding": {}}


def _names(chart) -> dict:
    strong = {"expr": f"indexof({json.dumps(chart.strong)}, datum.method) < 0 ? 'normal' : 'bold'"}
    mark = {"type": "text", "dx": _by_width("dx"), "dy": _by_width("dy"), "fontSize": NAME_PX, "fontWeight": strong, "clip": True}
    return {"mark": mark | {"align": "center", "baseline": "middle"}, "encoding": {"text": {"field": "method"}}}


def _told(chart) -> list:
    numbers = {"x": chart.x, "y": chart.y} | chart.beside
    return [{"field": "method"}, *({"field": name, "title": title, "format": ".3~g"} for name, title in numbers.items())]


def _config() -> dict:
    axis = {"labelColor": INK, "titleColor": INK, "gridColor": LINE, "domainColor": MUTED, "tickColor": MUTED}
    sizes = {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal"}
    return {"axis": axis | sizes, "legend": {"labelColor": INK, "labelFontSize": 12}, "header": {"labelColor": INK},
            "view": {"stroke": None}, "font": "DejaVu Sans, Segoe UI, Roboto, Arial, sans-serif"}


def element(spec: dict) -> Markup:
    """The specification as an element of the page, which the page's script reads. No text in it can end the element."""
    return Markup(json.dumps(spec, allow_nan=False).replace("<", "\\u003c").replace("&", "\\u0026"))
