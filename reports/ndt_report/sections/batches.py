"""A scan from many guesses in one call."""

from functools import partial

from ..figures import batches
from ..judge.batches import batch_table
from .section import Section

SECTION = Section(
    "batches",
    "Batches",
    "batch",
    tables=lambda report: {"batches": batch_table(report.loaded.measurements)},
    figures=lambda report, tables: [partial(batches.draw, tables["batches"], report.look)],
    template="batches.html.jinja",
    timed="batches",
    lead=3,
)
