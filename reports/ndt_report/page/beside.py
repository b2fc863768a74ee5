"""Another run beside the one of the page: its verdict, what compare says of both, and its points in a column of the chart."""

from dataclasses import dataclass

from ..compare import comparison, comparison_lines
from ..read.printable import printable
from ..sections.section import Report


@dataclass
class Beside:
    name: str  # of the other run
    headline: str
    lines: str  # what compare says of the page's run against the other
    charts: dict  # {run: Chart}, the other run first; empty unless both have one


def beside_of(other: Report, report: Report) -> Beside:
    """Throws InputError if the runs have no timed measurement in common."""
    names = [run.folder.resolve().name for run in (other.run, report.run)]
    if names[0] == names[1]:
        names = [f"{name} {which}" for name, which in zip(names, ("A", "B"))]
    drawings = dict(zip(names, (other.first, report.first)))
    charts = {name: d.chart for name, d in drawings.items()} if all(d is not None and d.chart for d in drawings.values()) else {}
    lines = comparison_lines(comparison(other.loaded, report.loaded))
    return Beside(printable(names[0]), f"{names[0]}: {other.verdict.headline}", "\n".join(lines), charts)
