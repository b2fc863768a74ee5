"""The time of alignments: all repeats, and the tail of short alignments."""

from ..figures import ecdf
from ..judge.latency import LEAST_TAIL_SAMPLES, SHORT_ITERATIONS, samples, tail_table
from .section import Section

SECTION = Section(
    "latency",
    "Latency",
    "smoke",
    tables=lambda report: {"tails": tail_table(report.measurements)},
    figures=lambda report, tables: [lambda: ecdf.draw(samples(report.measurements), report.shown, report.look)],
    template="latency.html.jinja",
    values=lambda report, tables: {"short_iterations": SHORT_ITERATIONS, "least_tail_samples": LEAST_TAIL_SAMPLES},
    drawn=True,
)
