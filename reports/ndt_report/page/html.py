"""report.html from a Report: one file, nothing fetched; one script, which sorts tables."""

import base64
import functools
import hashlib
from pathlib import Path

import jinja2
import pandas as pd
from markupsafe import Markup

from ..figures.style import Looks
from ..figures.svg import page_colour
from ..judge.replayer import NO_DRIVE, STATED
from ..page_numbers import NONE, number, percent
from ..read.environment import gpus
from ..sections.section import Part, Report

TEMPLATES = Path(__file__).parent / "templates"
FOLDERS = (TEMPLATES, Path(__file__).parents[1] / "sections")
MACROS = ("named", "success", "figures", "draw", "nothing")

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


def script() -> Markup:
    return Markup((TEMPLATES / "page.js").read_text("utf-8"))


def script_hash(text: str) -> str:
    """As a Content-Security-Policy names the only script that may run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


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


def render(report: Report) -> str:
    first, code = report.first, "\n" + script()
    common = {
        "report": report,
        "run": report.run,
        "verdict": report.verdict,
        "parts": report.parts.values(),
        "first": first,
        "moved": first is not None and len(first.picture.panels) == 1,
        "dash": NONE,
        "badge": lambda name: badge(name, report.look),
        "mark": mark,
    }
    macros = template("section.html.jinja").make_module(common)
    common |= {name: getattr(macros, name) for name in MACROS}
    return template("report.html.jinja").render(
        **common,
        bodies=[_body(part, report, common) for part in report.parts.values()],
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
