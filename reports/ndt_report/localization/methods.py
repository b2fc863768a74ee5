"""Methods side by side: the runs of a list of ./run localize --preset, by what was followed and by the method."""

import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ..page_numbers import error, number
from ..read.files import is_there
from ..read.json_files import read_json
from ..read.kinds import FITS
from ..read.refusal import InputError
from .episodes import wrong_poses
from .facts import AGAIN

FILE = "preset.json"
WRONG_M, WRONG_DEG = 0.3, 3.0  # the same for all methods and datasets
RIGHT_M = 0.1
LEAST_METHODS = 2
NAME = re.compile(r"[\w.:+-]*", re.ASCII)  # of a list, which may stand in a page
COLUMNS = ["condition", "method", "run", "scans", "ok", "doubtful", "lost", "used", "wrong_ok", "wrong_used", "right", "right_ok"]
COLUMNS += ["error_p50_m", "error_max_m", "error_last_m", "ends_wrong", "execution_ms_p50", "execution_ms_p99"]
COUNTS = ["scans", "ok", "doubtful", "lost", "used", "wrong_ok", "wrong_used", "right", "right_ok"]


@dataclass(frozen=True)
class Listed:
    """The place of a run in its list."""

    number: int
    condition: str  # what was followed, in which map, from which start
    method: str


def read_listed(folder: Path):
    """None for a run of no list, and for a file that says it in another form."""
    if not is_there(folder / FILE):
        return None
    try:
        value = read_json(folder / FILE, AGAIN)
    except InputError:
        return None
    texts = [value.get(key) for key in ("run", "variant", "method")] if isinstance(value, dict) else [None]
    if not all(FITS["text"](text) and NAME.fullmatch(text) for text in texts) or not FITS["int"](value.get("number")):
        return None
    run, variant, method = texts
    return Listed(value["number"], f"{run}, {variant}" if variant else run, method)


def methods_table(runs) -> pd.DataFrame:
    """A row for each run of a list, in its order; empty unless there are several methods. Each condition is in one place."""
    listed = sorted((run for run in runs if run.listed), key=lambda run: run.listed.number)
    if len({run.listed.method for run in listed}) < LEAST_METHODS:
        return pd.DataFrame(columns=COLUMNS)
    places = {name: place for place, name in enumerate(dict.fromkeys(run.listed.condition for run in listed))}
    listed.sort(key=lambda run: places[run.listed.condition])
    return pd.DataFrame([_row(run) for run in listed], columns=COLUMNS)


def _row(run) -> dict:
    frames, wrong = run.frames, wrong_poses(run.frames, WRONG_M, WRONG_DEG)
    ok, used = frames.verdict == "ok", frames.source.isin(["aligned", "searched"])
    right = (frames.stop == "converged") & (frames.aligned_error_m <= RIGHT_M) & (frames.aligned_error_deg <= WRONG_DEG)
    errors = frames.error_m.dropna()
    row = {"condition": run.listed.condition, "method": run.listed.method, "run": run.label, "scans": len(frames)}
    row |= {verdict: int((frames.verdict == verdict).sum()) for verdict in ("ok", "doubtful", "lost")}
    row |= {"used": int(used.sum()), "wrong_ok": int((wrong & ok).sum()), "wrong_used": int((wrong & used).sum())}
    row |= {"right": int(right.sum()), "right_ok": int((right & ok).sum())}
    row |= {"error_p50_m": errors.median(), "error_max_m": errors.max(), "error_last_m": errors.iloc[-1] if len(errors) else float("nan")}
    row["ends_wrong"] = int(len(wrong) > 0 and bool(wrong.iloc[-1]))
    return row | {f"execution_ms_{name}": frames.execution_ms.quantile(q) for name, q in (("p50", 0.5), ("p99", 0.99))}


def totals(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each method, of the conditions that it was measured in."""
    groups = table.groupby("method", sort=False)
    return groups[[*COUNTS, "ends_wrong"]].sum().assign(runs=groups.size()).reset_index()


def method_sentences(table: pd.DataFrame) -> list:
    return [
        f"{row.method}: {row.ok} of {row.scans} scans ok, {row.wrong_ok} of them wrong; {row.ends_wrong} of {row.runs} runs end wrong."
        for row in totals(table).itertuples()
    ]


def markdown(table: pd.DataFrame) -> str:
    """A line for each condition and a column for each method; empty without methods."""
    if not len(table):
        return ""
    methods = list(dict.fromkeys(table.method))
    cells = {(row.condition, row.method): _cell(row) for row in table.itertuples()}
    lines = [["", *methods], ["---"] * (1 + len(methods))]
    lines += [[condition, *(cells.get((condition, method), "") for method in methods)] for condition in dict.fromkeys(table.condition)]
    return "\n".join(
        [
            f"Scans ok / doubtful / lost, and among the ok ones those more than {WRONG_M:g} m or {WRONG_DEG:g} degrees wrong, if any;"
            " median and largest error in m; median time of a scan in ms:",
            "",
            *("| " + " | ".join(line) + " |" for line in lines),
        ]
    )


def _cell(row) -> str:
    wrong = f", **{row.wrong_ok} wrong**" if row.wrong_ok else ""
    errors = f"{error(row.error_p50_m, 0.001)}, {error(row.error_max_m, 0.001)} m"
    return f"{row.ok} / {row.doubtful} / {row.lost}{wrong}; {errors}; {number(row.execution_ms_p50)} ms"
