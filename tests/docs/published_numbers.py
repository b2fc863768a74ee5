"""Numbers with a unit in a Markdown page, and where a published CSV has them.

A number is searched in the folders of reports/ that its section links to, from its heading down to the next. If there
are none, the folders that the whole page links to are searched, and for a published page its own. Only columns of its
unit count, rounded as the page rounds it. In a line of a table that begins with names in code, only rows with one of
these names count. A number that is computed from rows is on the published page, or in a text that a command printed. A
table that a run prints into a code block is compared row by row with summary.csv.

A number beside the wrong name in prose may still be found. The check finds numbers that no page has, or has no more.
"""

import csv
import io
import math
import re
import sys
from functools import lru_cache
from typing import NamedTuple

from markdown import ROOT, prose

sys.path.insert(0, str(ROOT / "reports"))
from ndt_report.read.files import packed_files  # noqa: E402

DIGITS = r"\d(?:[\d,]*\d)?(?:\.\d+)?"
MORE = r"(?: /| to| and| or) "  # between numbers of one unit
UNITS = {  # how a column's unit is turned into that of the text
    "µs": {"us": 1, "ms": 1e3},
    "ms": {"ms": 1, "us": 1e-3, "s": 1e3},
    "s": {"s": 1, "ms": 1e-3, "us": 1e-6},
    "mm": {"mm": 1, "m": 1e3},
    "m": {"m": 1, "mm": 1e-3},
    "%": {"share": 100, "success": 100, "percent": 1},
    "degrees": {"deg": 1},
    "times": {"speed": 1, "over": 1, "ratio": 1},
    "MB": {"bytes": 1e-6},
}
NUMBERS = re.compile(rf"(?<![\w.,-])({DIGITS}(?:{MORE}{DIGITS})*) ?({'|'.join(UNITS)})(?![\w/])")
PRINTED = {"p50 ms": ("align_ms_p50", 1), "p99 ms": ("align_ms_p99", 1), "ok %": ("success_share", 100)}
PRINTED |= {"err mm": ("translation_error_mm_p50", 1), "vs oracle mm": ("translation_vs_ref_mm_max", 1)}
LONG_FRAMES = 64 << 10  # characters
FOLDER = re.compile(r"\]\((?:\.\./)*(?:reports/)?(20\d\d-\d\d-\d\d[^/)]*)/")


class Number(NamedTuple):
    line: int
    text: str  # as the page has it
    unit: str
    names: tuple  # in code at the line's beginning, of a table's line
    folders: tuple


def numbers(text: str, own: str = "") -> list:
    """Returns the numbers in a page's prose and tables. own: the folder of a published page, which is then searched first."""
    lines, out = prose(text)[0], []
    everywhere = tuple(dict.fromkeys(FOLDER.findall(text)))
    section_of, section = {}, 0
    for number, line in lines:
        section = number if line.startswith("#") else section
        section_of[number] = section
    for number, line in lines:
        beside = "\n".join(other for n, other in lines if section_of[n] == section_of[number])
        folders = tuple(dict.fromkeys([own] * bool(own) + FOLDER.findall(beside))) or everywhere
        first = line.split("|")[1] if line.startswith("|") else ""
        names = tuple(re.findall(r"`([^`]+)`", first))
        plain = re.sub(r"\]\([^)]*\)", "", line).replace("[", "")
        for match in NUMBERS.finditer(plain):
            out += [Number(number, found, match[2], names, folders) for found in re.findall(DIGITS, match[1])]
    return out


@lru_cache(maxsize=None)
def tables(folder: str) -> tuple:
    """(name, columns, rows) of every CSV file of a published folder, without long rows of localisations, in which many numbers are found."""
    out = []
    for name, text in texts(folder).items():
        if name.endswith(".csv") and (len(text) < LONG_FRAMES or not name.endswith("/frames.csv")):
            columns, *rows = list(csv.reader(io.StringIO(text, newline="")))
            out.append((name, columns, rows))
    return tuple(out)


@lru_cache(maxsize=None)
def texts(folder: str) -> dict:
    """{name: text} of the CSV files, printed texts and pages of a published folder, packed or not."""
    place = ROOT / "reports" / folder
    found = {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()} | packed_files(place)
    return {f"reports/{folder}/{name}": str(found[name], "utf-8") for name in sorted(found) if name.endswith((".csv", ".txt", ".md"))}


def place_of(number: Number, but: str = "") -> str:
    """file: column of a value that rounds to the number; else a text that a command printed, or the folder's page, which has it as it
    is; empty if there is none. but: the page itself, which proves nothing."""
    for folder in number.folders:
        for name, columns, rows in tables(folder):
            if found := _column_with(number, columns, rows):
                return f"{name}: {found}"
    words = "|".join(re.escape(text) for text in {number.text, number.text.replace(",", "")})
    of_its_own = re.compile(rf"(?<![\w.,-])(?:{words})(?![\d]|[.,]\d)")
    for folder in number.folders:
        for name, text in texts(folder).items():
            if name != but and not name.endswith(".csv") and of_its_own.search(text):
                return name
    return ""


def _column_with(number: Number, columns, rows) -> str:
    known = {cell for row in rows for cell in row}
    wanted = [name for name in number.names if name in known]
    if wanted:
        rows = [row for row in rows if any(name in row for name in wanted)]
    for at, column in enumerate(columns):
        for factor in _factors(column, number.unit):
            if any(rounds_to(row[at], factor, number.text) for row in rows if at < len(row)):
                return column
    return ""


def _factors(column: str, unit: str) -> list:
    parts = column.lower().split("_")
    return [factor for name, factor in UNITS[unit].items() if name in parts]


def rounds_to(cell: str, factor: float, text: str) -> bool:
    """Whether the cell's value, in another unit, is the text when it is rounded to its digits."""
    try:
        value = float(cell) * factor
    except ValueError:
        return False
    decimals = len(text.partition(".")[2])
    return math.isfinite(value) and abs(value - float(text.replace(",", ""))) <= 0.5000001 * 10**-decimals


# --- tables that a run prints ---


def printed_rows(text: str, own: str = ""):
    """(line, folders that the line before it links to, {column: cell}) of the rows of code blocks that begin with 'dataset'."""
    folders, names, starts = (own,) * bool(own), None, []
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            names = None
        elif not own and (found := FOLDER.findall(line)):
            folders = tuple(found)
        elif re.match(r"dataset +implementation", line):
            names = re.findall(r"\S+(?: \S+)*", line)
            starts = _edges(line, names)
        elif names and line.strip():
            yield number, folders, {name: cell for name, cell in zip(names, _cells(line, starts))}


def _edges(line: str, names) -> list:
    """(begin, end) of every column's heading."""
    out, at = [], 0
    for name in names:
        begin = line.index(name, at)
        at = begin + len(name)
        out.append((begin, at))
    return out


def _cells(line: str, edges) -> list:
    """A cell touches its heading's columns: aligned to its begin, or to its end."""
    words = [(match.start(), match.end(), match[0]) for match in re.finditer(r"\S+(?: \S+)*", line)]
    return [next((text for begin, end, text in words if begin < stop and end > start), "") for start, stop in edges]


def wrong_cells(folders, row: dict) -> list:
    """Returns the cells of the row that differ from the summary.csv of a folder, or says that the row is missing."""
    for folder in folders:
        for name, columns, rows in tables(folder):
            entries = [dict(zip(columns, cells)) for cells in rows] if name.endswith("/summary.csv") else []
            mine = [e for e in entries if _same_row(e, row)]
            if mine:
                return [f"{column} is {row[column]}" for column, place in PRINTED.items() if not _agrees(mine[0], row[column], *place)]
    return ["there is no such row in the summary.csv of " + (", ".join(folders) or "any folder")]


def _same_row(entry: dict, row: dict) -> bool:
    same = all(entry[key] == row[key] for key in ("dataset", "implementation"))
    return same and entry["threads"] == row["thr"] and entry["variant"] == "autoware"


def _agrees(entry: dict, cell: str, column: str, factor: float) -> bool:
    """Cells of a terminal have two or three significant digits."""
    if cell == "-" or not entry[column]:
        return cell == "-" and not entry[column]
    value, shown = factor * float(entry[column]), float(cell)
    return any(float(f"{value:.{digits}g}") == shown for digits in (1, 2, 3))
