"""The report in at most 24 lines of a terminal, the last of them its path."""

from ..page_numbers import aligned, number
from ..sections.section import Report
from ..judge.verdict import interval

MOST_LINES = 24
MOST_SEARCHES = 4  # datasets with a line on searches
MOST_BETTER = 3  # datasets with a line on more accurate peers
WIDTH = 120
HEADER = ["dataset", "implementation", "thr", "n", "p50 ms", "p99 ms", "speed against the oracle", "ok %", "err mm", "vs oracle mm"]


def _cut(text: str) -> str:
    return text if len(text) <= WIDTH else text[: WIDTH - 3] + "..."


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


def summary_lines(report: Report, path) -> list:
    """Verdict, as many rows of the table as fit, cautions, path."""
    verdict = report.verdict
    head = [verdict.headline] + verdict.better[:MOST_BETTER] + verdict.searches[:MOST_SEARCHES]
    head += [line for part in report.parts.values() for line in part.section.lines(part.tables)]
    cautions = report.verdict.cautions[:4]
    more = len(report.verdict.cautions) - len(cautions)
    left = [f"{more} more caution{'s are' if more > 1 else ' is'} in the report."] if more > 0 else []
    tail = ["! " + c for c in cautions] + left + [str(path)]
    room = MOST_LINES - len(head) - len(tail) - 1
    chosen = _worth_most(report.table, room if len(report.table) <= room else room - 1)
    rows = [_row(row) for row in chosen.to_dict("records")]
    more = len(report.table) - len(rows)
    table = aligned([HEADER, *rows], left={0, 1, 6}) if rows else []
    if more > 0:
        table.append(f"... and {more} more lines in the report")
    return [_cut(line) for line in head + table + tail[:-1]] + tail[-1:]
