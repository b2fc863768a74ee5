"""Reads a run folder strictly into DataFrames. What every column means is in its columns.json and in
columns.py.

A broken line, an unknown or a missing key is refused with its file and line; a column that came later may be
missing. A results.jsonl that misses its end (the run was stopped) is not: the run is loaded as far as it got,
and Run.notes says so.
"""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from .columns import DATASET_COLUMNS, ENVIRONMENT_COLUMNS, IMPLEMENTATION_COLUMNS, LATER, MAY, NOT_OF_PEERS
from .columns import PLAN_COLUMNS, REQUIRED, Column, Complaints, column_complaint
from .files import RUN_AGAIN, is_there, leads_out
from .json_files import read_json
from .refusal import refusal
from .rows import CALLS, OWN_FOLDERS, SAME_CHECKOUT, read_rows, search_name

JOB_KEYS = ["implementation", "dataset", "variant", "threads"]  # a job's, and those of its rows


@dataclass
class Run:
    folder: Path
    environment: dict
    plan: dict
    implementations: pd.DataFrame  # index: name, in report order
    datasets: pd.DataFrame  # index: name, in report order
    measurements: pd.DataFrame  # a row each; matrices are (4, 4) arrays, lists are arrays, missing ones None
    notes: list = field(default_factory=list)  # what is missing of the run as a whole
    remarks: list = field(default_factory=list)  # what else a reader must know
    at_rates: pd.DataFrame = None  # measurements with a rate_hz: only idle.py looks at them
    shifted: pd.DataFrame = None  # measurements with a grid_shift: only density.py looks at them

    @property
    def finished(self) -> bool:
        return not self.notes

    @property
    def oracle(self) -> str:
        return oracle_of(self.implementations)

    @property
    def own(self) -> list:
        return users_own(self.implementations)


def oracle_of(implementations: pd.DataFrame) -> str:
    """The implementation that all others are compared with: the one that says so, else the first of the
    list."""
    said = implementations[implementations.oracle.eq(True)]
    return (said if len(said) else implementations).index[0]


def users_own(implementations: pd.DataFrame) -> list:
    """The names of the peers that the user brought."""
    return [] if "own" not in implementations else list(implementations.index[implementations.own.eq(True)])


def load_run(folder) -> Run:
    """Throws InputError for anything that is not a run folder."""
    folder = Path(folder)
    if not is_there(folder / "results.jsonl"):
        raise refusal(folder, "", "no results.jsonl in it", "give the folder that ndt-bench run --out wrote")
    implementations = _read_list(folder / "implementations.json", IMPLEMENTATION_COLUMNS)
    datasets = _read_list(folder / "datasets.json", DATASET_COLUMNS)
    pictures = [_with_clouds(folder, name, picture) for name, picture in datasets.picture.items()]
    datasets["picture"] = pd.Series(pictures, datasets.index, object)
    plan = _read_object(folder / "plan.json", PLAN_COLUMNS)
    environment = _read_object(folder / "environment.json", ENVIRONMENT_COLUMNS)
    columns = _measured_columns(folder / "columns.json")
    known = {"implementation": set(implementations.index), "dataset": set(datasets.index)}
    rows, notes = read_rows(folder / "results.jsonl", columns, known)
    _refuse_other_runs(folder, rows, plan, environment)
    planned = sum(job["row_count"] - job.get("shared_rows", 0) for job in _own_jobs(plan))
    if shard := plan.get("shard"):
        parts = ", ".join(map(str, shard["parts"]))
        notes.append(f"This is part {parts} of {shard['of']} of a run: ndt-bench merge joins them.")
    if len(rows) < planned:
        notes.append(f"This run did not finish: {len(rows)} of {planned} planned measurements are there.")
    measurements = rows.iloc[_report_order(rows, datasets, implementations)].reset_index(drop=True)
    at_a_rate, moved = measurements.rate_hz.notna(), measurements.grid_shift.notna()
    at_rates = measurements[at_a_rate & ~moved].drop(columns="grid_shift").reset_index(drop=True)
    shifted = measurements[moved & ~at_a_rate].drop(columns=["rate_hz", "announced_ms"]).reset_index(drop=True)
    measurements = measurements[~at_a_rate & ~moved].drop(columns=CALLS).reset_index(drop=True)
    return Run(folder, environment, plan, implementations, datasets, measurements, notes, at_rates=at_rates, shifted=shifted)


def _refuse_other_runs(folder: Path, rows: pd.DataFrame, plan: dict, environment: dict):
    """Rows of two runs give no verdict: they differ in more than their implementations. A row belongs to the
    run that environment.json names, and to a job of its plan."""
    run_id, path = environment["run_id"], folder / "results.jsonl"
    if plan.get("run_id", run_id) != run_id:
        said = f"run_id is '{plan['run_id']}', that of environment.json is '{run_id}'"
        raise refusal(folder / "plan.json", "", said, OWN_FOLDERS)
    other = (rows.run_id != run_id).to_numpy()
    if other.any():
        line = int(np.argmax(other))
        said = f"run_id is '{rows.run_id[line]}', that of environment.json is '{run_id}'"
        raise refusal(path, f"line {line + 1}", said, OWN_FOLDERS)
    jobs = _planned_jobs(folder / "plan.json", plan["jobs"])
    for number, group in rows.groupby("job", sort=False):
        if what := _not_of_job(group, jobs.get(number)):
            line, said = what
            raise refusal(path, f"line {line + 1}", f"{said} {int(number)} in plan.json", OWN_FOLDERS)


def _own_jobs(plan: dict) -> list:
    """Returns the jobs of its parts, if several processes shared the plan."""
    if not plan.get("shard"):
        return plan["jobs"]
    own = set(plan["shard"]["jobs"])
    return [job for job in plan["jobs"] if job["job"] in own]


def _planned_jobs(path: Path, jobs) -> dict:
    """{number: job}. shared_rows: those of row_count that another job has too; missing where there are none."""
    for number, job in enumerate(jobs, 1):
        for key, default in (("job", None), ("row_count", None), ("shared_rows", 0)):
            value = job.get(key, default) if isinstance(job, dict) else None
            if type(value) is not int or value < 0:
                said = f"{key} is missing or not a whole number of 0 or more"
                raise refusal(path, f"job {number}", said, SAME_CHECKOUT)
    return {job["job"]: job for job in jobs}


def _not_of_job(rows: pd.DataFrame, job):
    """(position of the first row that is wrong, what is wrong with it), or None."""
    if job is None:
        return rows.index[0], "there is no job"
    for key in JOB_KEYS:
        if key == "dataset" and _is_path(job.get(key)):
            continue
        wrong = rows[key] != job.get(key, rows[key])
        if wrong.any():
            return rows.index[int(np.argmax(wrong))], f"another {key} than job"
    return None


def _report_order(rows: pd.DataFrame, datasets: pd.DataFrame, implementations: pd.DataFrame):
    """Positions of the rows, sorted as the report shows them."""
    keys = [
        rows.dataset.map({name: i for i, name in enumerate(datasets.index)}),
        _ranks(rows.variant, lambda name: (name != "autoware", name)),
        rows.implementation.map({name: i for i, name in enumerate(implementations.index)}),
        rows.threads,
        _ranks(rows.frame, natural_key),
        _ranks(rows.guess_name, natural_key),
        rows.poses,
        _ranks(rows.search.map(search_name), natural_key),
    ]
    return np.lexsort(keys[::-1])


def _ranks(names: pd.Series, key) -> np.ndarray:
    """The place of every name among all of them; names with equal keys share one."""
    codes, there = pd.factorize(names)
    keys = [key(name) for name in there]
    place = {k: i for i, k in enumerate(sorted(set(keys)))}
    return np.array([place[k] for k in keys], int)[codes]


def natural_key(name: str):
    """Sorts scan_2 before scan_10. Digits are compared as text: a name may hold any number of them."""
    return tuple(_natural_part(part) for part in re.split(r"(\d+)", name) if part)


def _natural_part(part: str):
    digits = part.lstrip("0")
    return (len(digits), digits) if part.isdecimal() else (-1, part)


def _is_path(dataset) -> bool:
    """Whether a plan names a dataset by its place, as ndt-bench run takes it; its rows have the name that its
    dataset.toml gives."""
    return isinstance(dataset, str) and ("/" in dataset or dataset.rpartition("@")[0].endswith(".toml") or dataset.endswith(".toml"))


# --- JSON files ---


def _read_object(path: Path, columns) -> dict:
    value = read_json(path)
    if not isinstance(value, dict):
        raise refusal(path, "", "not a JSON object", RUN_AGAIN)
    if what := Complaints(columns, others=True).of(value):
        raise refusal(path, "", what, SAME_CHECKOUT)
    return value


def _read_list(path: Path, columns) -> pd.DataFrame:
    entries = read_json(path)
    if not isinstance(entries, list) or not entries:
        raise refusal(path, "", "not a list of objects, or empty", RUN_AGAIN)
    complaints = Complaints(columns)
    for index, entry in enumerate(entries):
        if what := complaints.of(entry):
            raise refusal(path, f"entry {index + 1}", what, SAME_CHECKOUT)
    frame = pd.DataFrame(entries, columns=[c.name for c in columns])
    if frame["name"].duplicated().any():
        raise refusal(
            path, "", f"'{frame['name'][frame['name'].duplicated()].iloc[0]}' is there twice", RUN_AGAIN
        )
    return frame.astype(object).where(frame.notna(), None).set_index("name", drop=False)


def _with_clouds(folder: Path, dataset: str, picture):
    """The picture, or None if its clouds are left out of the folder, as in published runs."""
    if picture is None:
        return None
    for key in ("map", "scan"):
        if leads_out(folder, picture[key]):
            where = f"dataset '{dataset}', picture"
            raise refusal(folder / "datasets.json", where, f"{key} is outside the run's folder", RUN_AGAIN)
    there = all(os.path.lexists(folder / picture[key]) for key in ("map", "scan"))
    return picture if there else None


def _measured_columns(path: Path) -> list:
    """Reads the run's columns.json, or returns REQUIRED without one. Each of REQUIRED must have the same unit, kind and null; one that
    came later than the run is null everywhere."""
    if not is_there(path):
        return REQUIRED
    entries = read_json(path)
    if not isinstance(entries, list):
        raise refusal(path, "", "not a list of objects", RUN_AGAIN)
    columns = {}
    for index, entry in enumerate(entries, 1):
        if what := column_complaint(entry):
            raise refusal(path, f"entry {index}", what, SAME_CHECKOUT)
        if entry["name"] in columns:
            raise refusal(path, f"entry {index}", f"duplicate column '{entry['name']}'", RUN_AGAIN)
        columns[entry["name"]] = Column(**entry)
    for expected in REQUIRED:
        found = columns.setdefault(expected.name, expected) if expected.null == LATER else columns.get(expected.name)
        if found is None:
            raise refusal(path, "", f"column '{expected.name}' is missing", SAME_CHECKOUT)
        if found.null == MAY and expected.name in NOT_OF_PEERS:
            expected = expected._replace(null=MAY)
        for key in ("unit", "kind", "null"):
            if getattr(found, key) != getattr(expected, key):
                said = f"{key} is '{getattr(found, key)}', expected '{getattr(expected, key)}'"
                raise refusal(path, f"column '{found.name}'", said, SAME_CHECKOUT)
    return list(columns.values())
