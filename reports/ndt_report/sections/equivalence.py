"""Every result against the oracle's from the same guess."""

from ..judge.equivalence import equivalence_table, worst_cases
from .section import Section

SECTION = Section(
    "equivalence",
    "Equivalence",
    tables=lambda report: {
        "equivalence": equivalence_table(report.measurements),
        "worst": worst_cases(report.measurements, report.run.implementations),
    },
    template="equivalence.html.jinja",
)
