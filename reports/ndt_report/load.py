"""Reads a run folder strictly into DataFrames. What every column means is in its columns.json and in
columns.py.

A broken line, an unknown or a missing key is refused with its file and line; a column that came later may be
missing. A results.jsonl that misses its end (the run was stopped) is not: the run is loaded as far as it got,
and Run.notes says so.
"""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from .columns import COLUMNS_BEFORE, DATASET_COLUMNS, ERROR_KINDS, IMPLEMENTATION_COLUMNS, TIMINGS
from .columns import Column, column_complaint, complaint
from .refusal import refusal

MEASUREMENT = ["dataset", "frame", "guess_name", "implementation", "threads", "variant"]
SAME_CHECKOUT = "make the report with the checkout that made the run"
RUN_AGAIN = "run ndt-bench run again"


@dataclass
class Run:
    folder: Path
    environment: dict
    plan: dict
    implementations: pd.DataFrame  # index: name, in report order
    datasets: pd.DataFrame  # index: name, in report order
    measurements: pd.DataFrame  # a row each; matrices are (4, 4) arrays, lists are arrays, missing ones None
    notes: list = field(default_factory=list)  # what a reader must know about the run as a whole

    @property
    def finished(self) -> bool:
        return not self.notes

    @property
    def oracle(self) -> str:
        return oracle_of(self.implementations)


def oracle_of(implementations: pd.DataFrame) -> str:
    """The implementation that all others are compared with: the one that says so, else the first of the
    list."""
    said = implementations[implementations.oracle.eq(True)]
    return (said if len(said) else implementations).index[0]


def load_run(folder) -> Run:
    """Throws InputError for anything that is not a run folder."""
    folder = Path(folder)
    if not (folder / "results.jsonl").is_file():
        raise refusal(folder, "", "no results.jsonl in it", "give the folder that ndt-bench run --out wrote")
    implementations = _read_list(folder / "implementations.json", IMPLEMENTATION_COLUMNS)
    datasets = _read_list(folder / "datasets.json", DATASET_COLUMNS)
    pictures = [_with_clouds(folder, picture) for picture in datasets.picture]
    datasets["picture"] = pd.Series(pictures, datasets.index, object)
    plan = _read_object(folder / "plan.json", ["preset", "jobs"])
    environment = _read_object(folder / "environment.json", ["run_id"])
    columns = _measured_columns(folder / "columns.json")
    entries, notes = _read_results(folder / "results.jsonl", columns, implementations, datasets)
    planned = _planned_measurements(folder / "plan.json", plan["jobs"])
    if len(entries) < planned:
        notes.append(f"This run did not finish: {len(entries)} of {planned} planned measurements are there.")
    measurements = _measurement_frame(entries, columns, implementations, datasets)
    return Run(folder, environment, plan, implementations, datasets, measurements, notes)


def _planned_measurements(path: Path, jobs) -> int:
    if not isinstance(jobs, list):
        raise refusal(path, "", "jobs is not a list", SAME_CHECKOUT)
    for number, job in enumerate(jobs, 1):
        if not isinstance(job, dict) or not isinstance(job.get("row_count"), int):
            raise refusal(path, f"job {number}", "row_count is missing or not a whole number", SAME_CHECKOUT)
    return sum(job["row_count"] for job in jobs)


def search_name(search) -> str:
    """Of a measurement's search; empty for an alignment or a batch."""
    return search["name"] if search else ""


def natural_key(name: str):
    """Sorts scan_2 before scan_10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name) if part]


# --- JSON files ---


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise refusal(path, "", "missing", RUN_AGAIN) from None
    except UnicodeDecodeError as error:
        raise refusal(path, f"byte {error.start}", "not UTF-8", RUN_AGAIN) from None


def _parsed(path: Path):
    try:
        return json.loads(_text(path))
    except json.JSONDecodeError as error:
        raise refusal(path, f"line {error.lineno}", f"not JSON: {error.msg}", RUN_AGAIN) from None


def _read_object(path: Path, keys) -> dict:
    value = _parsed(path)
    if not isinstance(value, dict):
        raise refusal(path, "", "not a JSON object", RUN_AGAIN)
    for key in keys:
        if key not in value:
            raise refusal(path, "", f"key '{key}' is missing", SAME_CHECKOUT)
    return value


def _read_list(path: Path, columns) -> pd.DataFrame:
    entries = _parsed(path)
    if not isinstance(entries, list) or not entries:
        raise refusal(path, "", "not a list of objects, or empty", RUN_AGAIN)
    for index, entry in enumerate(entries):
        if what := complaint(entry, columns):
            raise refusal(path, f"entry {index + 1}", what, SAME_CHECKOUT)
    frame = pd.DataFrame(entries, columns=[c.name for c in columns])
    if frame["name"].duplicated().any():
        raise refusal(
            path, "", f"'{frame['name'][frame['name'].duplicated()].iloc[0]}' is there twice", RUN_AGAIN
        )
    return frame.astype(object).where(frame.notna(), None).set_index("name", drop=False)


def _with_clouds(folder: Path, picture):
    """The picture, or None if its clouds are left out of the folder, as in published runs."""
    there = picture is not None and all((folder / picture[key]).is_file() for key in ("map", "scan"))
    return picture if there else None


def _measured_columns(path: Path) -> list:
    """Those of the run's columns.json, or COLUMNS_BEFORE without one. The report computes with
    COLUMNS_BEFORE, therefore each of them is expected with the same unit, kind and null; there may be
    more."""
    if not path.is_file():
        return COLUMNS_BEFORE
    entries = _parsed(path)
    if not isinstance(entries, list):
        raise refusal(path, "", "not a list of objects", RUN_AGAIN)
    columns = {}
    for index, entry in enumerate(entries, 1):
        if what := column_complaint(entry):
            raise refusal(path, f"entry {index}", what, SAME_CHECKOUT)
        if entry["name"] in columns:
            raise refusal(path, f"entry {index}", f"duplicate column '{entry['name']}'", RUN_AGAIN)
        columns[entry["name"]] = Column(**entry)
    for expected in COLUMNS_BEFORE:
        found = columns.get(expected.name)
        if found is None:
            raise refusal(path, "", f"column '{expected.name}' is missing", SAME_CHECKOUT)
        for key in ("unit", "kind", "null"):
            if getattr(found, key) != getattr(expected, key):
                said = f"{key} is '{getattr(found, key)}', expected '{getattr(expected, key)}'"
                raise refusal(path, f"column '{found.name}'", said, SAME_CHECKOUT)
    return list(columns.values())


# --- results.jsonl ---


def _read_results(path: Path, columns, implementations, datasets):
    text = _text(path)
    lines = text.split("\n")
    notes, entries, seen = [], [], {}
    if lines[-1]:
        # Every line ends with a newline: this one was being written when the run was stopped.
        notes.append(
            f"This run was stopped while it wrote line {len(lines)} of results.jsonl, which is left out."
        )
    for number, line in enumerate(lines[:-1], 1):
        entry = _read_line(path, number, line, columns)
        for key, known in (("implementation", implementations), ("dataset", datasets)):
            if entry[key] not in known.index:
                raise refusal(
                    path, f"line {number}", f"{key} '{entry[key]}' is not in {key}s.json", RUN_AGAIN
                )
        measurement = tuple(entry[key] for key in MEASUREMENT)
        measurement += (entry.get("poses") or 1, search_name(entry.get("search")))
        if measurement in seen:
            raise refusal(
                path,
                f"line {number}",
                f"the measurement of line {seen[measurement]} again",
                "two runs were written into one folder: give each its own --out",
            )
        seen[measurement] = number
        entries.append(entry)
    if not entries:
        raise refusal(path, "", "empty: no measurement in it", RUN_AGAIN)
    return entries, notes


def _read_line(path: Path, number: int, line: str, columns) -> dict:
    where = f"line {number}"
    try:
        entry = json.loads(line, parse_constant=lambda name: name)
    except json.JSONDecodeError as error:
        raise refusal(
            path, where, f"not JSON: {error.msg} at column {error.colno}", "delete the line or " + RUN_AGAIN
        ) from None
    failed = isinstance(entry, dict) and entry.get("error") is not None
    if what := complaint(entry, columns, failed):
        raise refusal(path, where, what, SAME_CHECKOUT)
    if failed != (entry["error_kind"] is not None):
        raise refusal(path, where, "error and error_kind must both be null or both be text", SAME_CHECKOUT)
    for key, allowed in (("timing", TIMINGS), ("error_kind", ERROR_KINDS)):
        if entry[key] is not None and entry[key] not in allowed:
            raise refusal(
                path, where, f"{key} is '{entry[key]}', not one of {', '.join(allowed)}", SAME_CHECKOUT
            )
    return entry


def _measurement_frame(entries, columns, implementations, datasets) -> pd.DataFrame:
    data = {}
    for column in columns:
        values = [entry.get(column.name) for entry in entries]
        if column.kind == "matrix":
            values = [None if v is None else np.array(v, float).reshape(4, 4) for v in values]
        elif column.kind in ("numbers", "maybe numbers"):
            values = [None if v is None else np.array(v, float) for v in values]
        elif column.kind in ("int", "number"):
            data[column.name] = pd.Series([np.nan if v is None else v for v in values])
            continue
        data[column.name] = pd.Series(values, dtype=object)
    measurements = pd.DataFrame(data)
    measurements["poses"] = measurements.poses.fillna(1).astype(int)
    order = {name: i for i, name in enumerate(datasets.index)}, {
        name: i for i, name in enumerate(implementations.index)
    }
    keys = [
        (order[0][r.dataset], r.variant != "autoware", r.variant, order[1][r.implementation], r.threads)
        + (natural_key(r.frame), natural_key(r.guess_name), r.poses, natural_key(search_name(r.search)))
        for r in measurements.itertuples()
    ]
    return measurements.iloc[sorted(range(len(keys)), key=keys.__getitem__)].reset_index(drop=True)
