"""Writes a report's files into its run folder."""

from pathlib import Path

import pandas as pd
from pandas.api.types import is_numeric_dtype

from ..read.files import make_folder, write_bytes, write_file
from .html import render
from ..sections.section import Report

NUMBER = "%.9g"
FORMULA = ("=", "+", "-", "@")  # what a spreadsheet takes for the start of one


def write_report(report: Report, folder: Path, beside=None) -> Path:
    """report.html, figures/*.csv, .svg and .pdf, summary.csv, and what the sections have beside. Returns the path of report.html.
    beside: of render()."""
    html = render(report, beside)
    write_drawings(folder, report.drawings)
    write_file(folder, "summary.csv", csv_text(report.table))
    for part in report.parts.values():
        for name, table in part.csv().items():
            write_file(folder, name, csv_text(table))
        part.section.files(folder, part.tables)
    write_file(folder, "report.html", html)
    return folder / "report.html"


def write_drawings(folder: Path, drawings):
    make_folder(folder, "figures")
    for drawing in drawings:
        write_file(folder, f"figures/{drawing.file}", csv_text(drawing.data))
        write_file(folder, f"figures/{drawing.svg_file}", drawing.picture.file)
        write_bytes(folder, f"figures/{drawing.pdf_file}", drawing.picture.pdf)


def csv_text(frame: pd.DataFrame) -> str:
    """The text of every CSV file. A text that a spreadsheet would compute begins with an apostrophe."""
    # Texts are objects up to pandas 2; from 3 on they have a type of their own.
    texts = {name: frame[name].map(_no_formula) for name in frame.columns if not is_numeric_dtype(frame[name])}
    return frame.assign(**texts).to_csv(index=False, float_format=NUMBER)


def _no_formula(value):
    return "'" + value if isinstance(value, str) and value.startswith(FORMULA) else value
