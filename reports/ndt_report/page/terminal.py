"""The report in at most 24 lines of a terminal, the last of them its path."""

import os
import sys
import textwrap

from ..page_numbers import aligned, number
from ..sections.section import Report
from ..judge.verdict import interval

MOST_LINES = 24
MOST_SEARCHES = 4  # datasets with a line on searches
MOST_BETTER = 3  # datasets with a line on more accurate peers
WIDTH = 120  # of a line in a file or a pipe
LEAST_COLUMNS = 5  # of the table, on the narrowest terminal
HEADER = ["dataset", "implementation", "thr", "n", "p50 ms", "p99 ms", "speed against the oracle", "ok %", "err mm", "vs oracle mm"]


def width() -> int:
    """The columns of stdout's terminal, else WIDTH."""
    if sys.stdout is None or not sys.stdout.isatty():
        return WIDTH
    return os.get_terminal_size(sys.stdout.fileno()).columns or WIDTH


def wrapped(sentences, columns: int) -> list:
    return [line for text in sentences for line in textwrap.wrap(text, columns, subsequent_indent="  ")]


def _table(rows, most: int) -> list:
    """The lines of the table, with as many columns as fit."""
    columns = len(HEADER)
    while True:
        lines = aligned([row[:columns] for row in [HEADER, *rows]], left={0, 1, 6})
        if max(map(len, lines)) <= most or columns == LEAST_COLUMNS:
            return lines
        columns -= 1


def _cell(value, digits=3) -> str:
    return "-" if value != value else number(value, digits)


def _row(row) -> list:
    speed = (
        f"{row['verdict']} {interval(row)}" if row["verdict"] else row["why_no_verdict"].split(":")[0] or "-"
    )
    share = row["success_share"]
    return [
        row["dataset"],
        row["implementation"] + ("" if row["variant"] == "autoware" else f" {row['variant']}"),
        f"{row['threads']:g}",
        _cell(row["timed_measurements"], 6),
        _cell(row["align_ms_p50"]),
        _cell(row["align_ms_p99"]),
        speed,
        _cell(100 * share),
        _cell(row["translation_error_mm_p50"], 2),
        _cell(row["translation_vs_ref_mm_max"], 2),
    ]


def _worth_most(table, room: int):
    """As many rows as there is room for: of every dataset and implementation the fastest thread count with
    the default options before all others; in report order."""
    fastest = (
        table[table.variant == "autoware"]
        .sort_values("align_ms_p50", kind="stable")
        .drop_duplicates(["dataset", "implementation"])
    )
    first = sorted(fastest.index)
    others = [index for index in table.index if index not in set(first)]
    return table.loc[sorted((first + others)[:room])]


def summary_lines(report: Report, path, columns: int = WIDTH) -> list:
    """Verdict, as many rows of the table as fit, cautions, path."""
    verdict = report.verdict
    head = [verdict.headline, *verdict.own] + verdict.better[:MOST_BETTER] + verdict.searches[:MOST_SEARCHES]
    head += [line for part in report.parts.values() for line in part.section.lines(part.tables)]
    cautions = report.verdict.cautions[:4]
    more = len(report.verdict.cautions) - len(cautions)
    left = [f"{more} more caution{'s are' if more > 1 else ' is'} in the report."] if more > 0 else []
    head, tail = wrapped(head, columns), [*wrapped(["! " + c for c in cautions] + left, columns), str(path)]
    room = max(1, MOST_LINES - len(head) - len(tail) - 1)
    chosen = _worth_most(report.table, room if len(report.table) <= room else room - 1)
    rows = [_row(row) for row in chosen.to_dict("records")]
    more = len(report.table) - len(rows)
    table = _table(rows, columns) if rows else []
    if more > 0:
        table.append(f"... and {more} more lines in the report")
    return head + table + tail
