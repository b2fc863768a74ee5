"""Reads results.jsonl line by line into a DataFrame: never more than a part of it is held as parsed JSON."""

from pathlib import Path

import numpy as np
import pandas as pd

from .columns import ERROR_KINDS, TIMINGS, Complaints
from .files import MOST_FILE_BYTES, RUN_AGAIN, unpacked
from .json_files import parsed
from .poses import not_rigid
from .refusal import refusal

MOST_LINE_BYTES = 64 << 20
PART = 10_000  # lines
MEASUREMENT = ["dataset", "frame", "guess_name", "implementation", "threads", "variant", "poses"]
CALLS = ["rate_hz", "announced_ms", "grid_shift"]  # how it is called, each null where it is the usual way
SAME_CHECKOUT = "make the report with the checkout that made the run"
OWN_FOLDERS = "two runs were written into one folder: give each its own --out"


def read_rows(path: Path, columns, known: dict):
    """(a row for each line, notes). A line without its newline was being written when the run was stopped: it
    is left out, and a note says so. known: {column: the names that it may hold}."""
    parts, entries, notes, number = [], [], [], 0
    complaints, read = Complaints(columns), 0
    with unpacked(path, MOST_FILE_BYTES) as file:
        while line := file.readline(MOST_LINE_BYTES + 1):
            number, read = number + 1, read + len(line)
            if read > MOST_FILE_BYTES:
                raise refusal(path, f"line {number}", f"more than {MOST_FILE_BYTES} bytes", RUN_AGAIN)
            if len(line) > MOST_LINE_BYTES:
                raise refusal(path, f"line {number}", f"longer than {MOST_LINE_BYTES} bytes", RUN_AGAIN)
            if not line.endswith(b"\n"):
                notes.append(
                    f"This run was stopped while it wrote line {number} of results.jsonl, which is left out."
                )
                break
            entries.append(_entry(path, f"line {number}", line, complaints, known))
            if len(entries) == PART:
                parts.append(_frame(path, number, entries, columns))
                entries = []
    if entries:
        parts.append(_frame(path, number - bool(notes), entries, columns))
    if not parts:
        raise refusal(path, "", "empty: no measurement in it", RUN_AGAIN)
    rows = pd.concat(parts, ignore_index=True)
    rows["poses"] = rows.poses.fillna(1).astype(int)
    _refuse_repeated(path, rows)
    return rows, notes


def _entry(path: Path, where: str, line: bytes, complaints, known) -> dict:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise refusal(path, where, f"not UTF-8 at byte {error.start}", RUN_AGAIN) from None
    entry = parsed(path, text, where, "delete the line or " + RUN_AGAIN)
    failed = isinstance(entry, dict) and entry.get("error") is not None
    if what := complaints.of(entry, failed):
        raise refusal(path, where, what, SAME_CHECKOUT)
    if failed != (entry["error_kind"] is not None):
        raise refusal(path, where, "error and error_kind must both be null or both be text", SAME_CHECKOUT)
    for key, allowed in (("timing", TIMINGS), ("error_kind", ERROR_KINDS)):
        if entry[key] is not None and entry[key] not in allowed:
            said = f"{key} is '{entry[key]}', not one of {', '.join(allowed)}"
            raise refusal(path, where, said, SAME_CHECKOUT)
    for key, names in known.items():
        if entry[key] not in names:
            raise refusal(path, where, f"{key} '{entry[key]}' is not in {key}s.json", RUN_AGAIN)
    return entry


def _frame(path: Path, last: int, entries: list, columns) -> pd.DataFrame:
    """last: number of the last entry's line."""
    data = {}
    for column in columns:
        values = [entry.get(column.name) for entry in entries]
        if column.kind == "matrix":
            values = _matrices(path, last - len(values) + 1, column.name, values)
        elif column.kind in ("numbers", "maybe numbers"):
            values = [None if v is None else np.array(v, float) for v in values]
        elif column.kind in ("int", "number"):
            numbers = pd.Series([np.nan if v is None else v for v in values])
            data[column.name] = numbers if numbers.dtype == np.int64 else numbers.astype(float)
            continue
        data[column.name] = pd.Series(values, dtype=object)
    return pd.DataFrame(data)


def _matrices(path: Path, first: int, name: str, values: list) -> list:
    there = [i for i, v in enumerate(values) if v is not None]
    matrices = np.array([values[i] for i in there], float).reshape(-1, 4, 4)
    bad = not_rigid(matrices)
    if bad.any():
        where = f"line {first + there[int(np.argmax(bad))]}"
        raise refusal(path, where, f"{name} is not a rigid motion", RUN_AGAIN)
    for i, matrix in zip(there, matrices):
        values[i] = matrix
    return values


def search_name(search) -> str:
    """Returns the name of a measurement's search; empty for an alignment or a batch."""
    return search["name"] if search else ""


def _refuse_repeated(path: Path, rows: pd.DataFrame):
    calls = {name: rows[name].fillna(0) for name in CALLS}
    keys = rows[MEASUREMENT].assign(search=rows.search.map(search_name), **calls)
    repeated = keys.duplicated()
    if repeated.any():
        again = int(np.argmax(repeated))
        first = int(np.argmax((keys == keys.iloc[again]).all(axis=1)))
        raise refusal(path, f"line {again + 1}", f"the measurement of line {first + 1} again", OWN_FOLDERS)
