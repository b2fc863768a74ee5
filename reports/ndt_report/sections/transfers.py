"""The bytes that an alignment moves to and from a device."""

from functools import partial

from ..figures import transfers
from ..judge.transfers import meetings_table, transfers_table, without_counts, zero_transfer_table
from ..page_numbers import NONE, number
from .section import Section


def count(row, name) -> str:
    """Median of a count of an alignment, and its largest where that is another."""
    median, most = row[f"{name}_p50"], row[f"{name}_max"]
    return number(median, 6) if median == most or median != median else f"{number(median, 6)} / {number(most, 6)}"


def per_iteration(row, name) -> str:
    """Slope over iterations, "about" if the counts are on no line; a dash if iterations do not vary."""
    slope = row[f"{name}_per_iteration"]
    about = "about " if row[f"{name}_off_the_line"] >= 0.5 else ""
    return NONE if slope != slope else about + number(0.0 if abs(slope) < 1e-6 else slope, 4)


SECTION = Section(
    "transfers",
    "GPU internals: transfers, launches, waits",
    "transfers",
    tables=lambda report: {
        "transfers": transfers_table(report.measurements, report.run.implementations),
        "zero_transfer": zero_transfer_table(report.measurements),
        "meetings": meetings_table(report.measurements),
        "without_counts": without_counts(report.measurements, report.run.implementations),
    },
    figures=lambda report, tables: [partial(transfers.draw, tables["transfers"], report.look)],
    template="transfers.html.jinja",
    values=lambda report, tables: {"count": count, "per_iteration": per_iteration},
)
