"""Writes a report's files into its run folder."""

from pathlib import Path

from .page import render, render_targets
from .sections import Report
from .trajectories import write_tum

NUMBER = "%.9g"


def write_report(report: Report, folder: Path) -> Path:
    """report.html, targets.html, figures/*.csv, summary.csv, searches.csv where there are searches,
    trajectories/*.tum. Returns the path of report.html."""
    html = render(report)
    figures = folder / "figures"
    figures.mkdir(exist_ok=True)
    for drawing in (d for drawings in report.drawings.values() for d in drawings):
        drawing.data.to_csv(figures / f"{drawing.name}.csv", index=False, float_format=NUMBER)
    report.table.to_csv(folder / "summary.csv", index=False, float_format=NUMBER)
    if len(report.searches):
        report.searches.to_csv(folder / "searches.csv", index=False, float_format=NUMBER)
    write_tum(folder / "trajectories", report.trajectories)
    (folder / "targets.html").write_text(render_targets(report), encoding="utf-8")
    page = folder / "report.html"
    page.write_text(html, encoding="utf-8")
    return page
