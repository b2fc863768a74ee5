"""report.html from a Report: one file, nothing fetched; its script sorts tables and draws the chart."""

import base64
import functools
import hashlib
import re
from pathlib import Path

import jinja2
import pandas as pd
from markupsafe import Markup

from ..figures.style import Looks
from ..figures.svg import page_colour
from ..judge.answer import answer_table
from ..judge.replayer import NO_DRIVE, STATED
from ..page_numbers import NONE, number, percent
from ..read.environment import gpus
from ..sections.section import Part, Report
from .beside import Beside
from .chart import element, specification
from .vega import MISSING, vega_script

TEMPLATES = Path(__file__).parent / "templates"
FOLDERS = (TEMPLATES, Path(__file__).parents[1] / "sections")
MACROS = ("named", "success", "figures")

# Characters that look like matplotlib's markers.
SHAPES = {"o": "●", "s": "■", "^": "▲", "v": "▼", "D": "◆", "P": "✚", "X": "✖", "<": "◀", ">": "▶"}
SHAPES |= {"h": "⬢", "d": "♦", "p": "⬟", ".": "•", "*": "★", "+": "+", "x": "×"}


def badge(implementation: str, look: Looks) -> Markup:
    """The colour and the marker's letter shape of the figures, beside the name."""
    style = look(implementation)
    return mark(style["color"], style["marker"], implementation)


def mark(colour: str, marker, label: str) -> Markup:
    """An entry of a legend. marker: of matplotlib, None for a line."""
    return Markup('<span class="mark" style="color:{}" aria-hidden="true">{}</span>&#8239;{}').format(
        page_colour(colour), SHAPES.get(marker, "━"), label
    )


def script(charted: bool = False) -> Markup:
    """All that may run: what sorts tables, and with a chart its library."""
    own = [(TEMPLATES / name).read_text("utf-8") for name in ("page.js", *(["chart.js"] if charted else []))]
    return Markup("\n".join([vega_script(), *own] if charted else own))


def script_hash(text: str) -> str:
    """As a Content-Security-Policy names the only script that may run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def charted(drawing, runs=None) -> Markup | None:
    """The specification of the drawing's chart; None without one, or without the library. runs: of specification()."""
    return element(specification(drawing.chart, runs)) if drawing is not None and drawing.chart and vega_script() else None


def span(low, high, digits=3) -> str:
    """Numbers from least to largest, or one if they read the same."""
    low, high = number(low, digits), number(high, digits)
    return low if low == high else f"{low}–{high}"


def broken(name: Markup) -> Markup:
    """A name that a narrow table may break where its words end."""
    return Markup(re.sub(r"([_:])(?![^<]*>)", r"\1<wbr>", str(name)))


@functools.cache
def template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDERS),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(number=number, percent=percent)
    return environment.get_template(name)


def render(report: Report, beside: Beside = None) -> str:
    """beside: another run, which the chart shows in a column of its own."""
    first = report.first
    chart = charted(first, beside and beside.charts)
    code = "\n" + script(chart is not None)
    common = {
        "report": report,
        "run": report.run,
        "verdict": report.verdict,
        "first": first,
        "moved": first is not None and len(first.picture.panels) == 1,
        "dash": NONE,
        "badge": lambda name: badge(name, report.look),
        "mark": mark,
    }
    macros = template("section.html.jinja").make_module(common)
    common |= {name: getattr(macros, name) for name in MACROS}
    bodies = [(part, _body(part, report, common)) for part in report.parts.values()]
    return template("report.html.jinja").render(
        **common,
        untimed=report.table.align_ms_p50.isna().all(),  # then the first figure's finding is the answer
        answer=answer_table(report.table, report.shown).to_dict("records"),
        bodies=[(part, body) for part, body in bodies if body.strip()],
        absent=[part for part, body in bodies if not body.strip() and not part.drawings],
        beside=beside,
        chart=chart,
        missing=MISSING,
        span=span,
        broken=broken,
        gpus=gpus(report.run.environment),
        replayer_stated=STATED,
        no_drive=NO_DRIVE,
        script=code,
        script_hash=script_hash(code),
    )


def _body(part: Part, report: Report, common: dict) -> Markup:
    """A section by its template, which sees its tables as records and its own values."""
    tables = {name: t.to_dict("records") if isinstance(t, pd.DataFrame) else t for name, t in part.tables.items()}
    values = part.section.values(report, part.tables)
    return Markup(template(part.section.template).render(common | tables | values | {"part": part}))
