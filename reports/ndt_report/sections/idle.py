"""Alignments after idle, beside those back to back."""

from functools import partial

from ..figures import idle
from ..judge.idle import call_name, cell, idle_calls, idle_lines, idle_rows, idle_table
from .section import Section

SECTION = Section(
    "idle",
    "After idle",
    "idle",
    tables=lambda report: {"idle": idle_table(report.loaded.measurements, report.loaded.at_rates)},
    figures=lambda report, tables: [partial(idle.draw, tables["idle"], report.look)],
    template="idle.html.jinja",
    values=lambda report, tables: {
        "idle": idle_rows(tables["idle"]),
        "idle_calls": [call_name(*call) for call in idle_calls(tables["idle"])],
        "idle_cell": cell,
    },
    csv=("idle",),
    lines=lambda tables: idle_lines(tables["idle"]),
    timed="alignments after idle",
)
