"""Writes a report's files into its run folder."""

from pathlib import Path

import pandas as pd
from pandas.api.types import is_numeric_dtype

from ..read.files import make_folder, write_file
from .html import render
from ..sections.report import Report
from ..judge.trajectories import write_tum

NUMBER = "%.9g"
FORMULA = ("=", "+", "-", "@")  # what a spreadsheet takes for the start of one


def write_report(report: Report, folder: Path) -> Path:
    """report.html, figures/*.csv and .svg, summary.csv, searches.csv, idle.csv and basin.csv where there are
    such, trajectories/*.tum. Returns the path of report.html."""
    html = render(report)
    make_folder(folder, "figures")
    for drawing in (d for drawings in report.drawings.values() for d in drawings):
        write_file(folder, f"figures/{drawing.file}", csv_text(drawing.data))
        write_file(folder, f"figures/{drawing.svg_file}", drawing.picture.file)
    write_file(folder, "summary.csv", csv_text(report.table))
    for name in ("searches", "idle", "basin"):
        if len(table := getattr(report, name)):
            write_file(folder, f"{name}.csv", csv_text(table))
    write_tum(folder, report.trajectories)
    write_file(folder, "report.html", html)
    return folder / "report.html"


def csv_text(frame: pd.DataFrame) -> str:
    """The text of every CSV file. A text that a spreadsheet would compute begins with an apostrophe."""
    # Texts are objects up to pandas 2; from 3 on they have a type of their own.
    texts = {name: frame[name].map(_no_formula) for name in frame.columns if not is_numeric_dtype(frame[name])}
    return frame.assign(**texts).to_csv(index=False, float_format=NUMBER)


def _no_formula(value):
    return "'" + value if isinstance(value, str) and value.startswith(FORMULA) else value
