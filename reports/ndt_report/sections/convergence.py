"""The convergence of alignments, and the rules by which they stop."""

from ..figures import convergence
from ..judge.convergence import one_thread, stopping_table
from .section import Section

SECTION = Section(
    "convergence",
    "Convergence",
    "tracking",
    tables=lambda report: {"stopping": stopping_table(report.measurements, report.points)},
    figures=lambda report, tables: [lambda: convergence.draw(one_thread(report.points), report.shown, report.look)],
    template="convergence.html.jinja",
    drawn=True,
)
