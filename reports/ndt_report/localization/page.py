"""The page, the files and the terminal's lines of a report on localisation runs."""

from pathlib import Path

from ..read.files import write_file
from ..page.html import badge, broken, charted, mark, script, script_hash, span, template
from ..page.vega import MISSING
from ..page_numbers import error, number, percent
from ..read.printable import printable
from ..page.terminal import WIDTH, wrapped
from ..page.write import csv_text, write_drawings
from .methods import RIGHT_M, WRONG_DEG, WRONG_M, totals
from .nees import CITED, TAIL
from .report import LocalizationReport
from .summary import LIMITS_MS, answer_table

SECTIONS = {
    "methods": "Methods side by side",
    "runs": "Runs side by side",
    "map": "Trajectory over the map",
    "errors": "Error along and across the road",
    "chain": "Closed loop: ATE, RPE, KITTI",
    "verdicts": "Frames lost, and found again",
    "latency": "Time of a frame",
    "covariance": "Covariance and NEES",
    "detectors": "Detectors of wrong poses",
    "method": "How it was made",
}
DRAWN = ["methods", "map", "errors", "verdicts", "latency", "covariance", "detectors"]
MOST_LINES = 24


def render(report: LocalizationReport) -> str:
    look = report.look
    first = next((d for name in DRAWN for d in report.drawings[name]), None)
    chart = charted(first)
    text = "\n" + script(chart is not None)
    return template("localization.html.jinja").render(
        report=report,
        runs=report.runs,
        sections={key: name for key, name in SECTIONS.items() if key != "methods" or len(report.methods)},
        first=first,
        untimed=False,
        moved=first is not None and len(first.picture.panels) == 1,
        chart=chart,
        missing_library=MISSING,
        answer=answer_table(report.runs, report.table).to_dict("records"),
        span=span,
        broken=broken,
        rows=report.table.to_dict("records"),
        methods=report.methods.to_dict("records"),
        totals=totals(report.methods).to_dict("records"),
        wrong=(WRONG_M, WRONG_DEG, RIGHT_M),
        episodes=report.episodes.to_dict("records"),
        nees=report.nees.to_dict("records"),
        detectors=report.detectors.to_dict("records"),
        reasons=report.reasons.to_dict("records"),
        stages=report.stages.to_dict("records"),
        cited=CITED,
        confidence=f"{100 * (1 - 2 * TAIL):g} %",
        limits_ms=LIMITS_MS,
        labels=look.names,
        badge=lambda label: badge(label, look),
        mark=mark,
        mm=_mm,
        of=_of,
        script=text,
        script_hash=script_hash(text),
    )


def _mm(metres) -> str:
    return error(1000 * metres, 0.001)


def _of(count, n) -> str:
    """A count and its share; a dash if it is not known."""
    return number(count) if count != count or not n else f"{count:g} ({percent(count / n)} %)"


def write_localization(report: LocalizationReport, folder: Path) -> Path:
    """report.html, figures/*.csv and .svg, and summary.csv, into a folder that is there. Returns the page's path."""
    html = render(report)
    write_drawings(folder, [d for drawings in report.drawings.values() for d in drawings])
    write_file(folder, "summary.csv", csv_text(report.table))
    if len(report.methods):
        write_file(folder, "methods.csv", csv_text(report.methods))
    write_file(folder, "report.html", html)
    return folder / "report.html"


def terminal_lines(report: LocalizationReport, path: Path, columns: int = WIDTH) -> list:
    """At most MOST_LINES, the page's path the last."""
    sentences = [report.headline, *report.sentences, *report.truth, *(f"! {text}" for text in report.cautions)]
    lines = wrapped(sentences, columns)
    if len(lines) >= MOST_LINES:
        lines = [*lines[: MOST_LINES - 2], "The rest is in the report."]
    return [*lines, printable(str(path))]
