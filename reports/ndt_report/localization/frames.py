"""frames.csv of a localisation, read by the names of its columns. A row or a cell that cannot be read is left out
and counted; a column that is missing has no values."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd

from ..read.files import content, is_there
from ..read.kinds import MOST, MOST_TEXT
from ..read.printable import printable
from ..read.refusal import refusal
from .facts import AGAIN

FILE = "frames.csv"
MOST_BYTES = 256 << 20  # half a million frames
MOST_POSE = 1e8  # metres or radians: farther than any map reaches
VERDICTS = ["ok", "doubtful", "lost"]
TEXTS = ["scan", "verdict", "reason", "source", "predicted_by", "stop", "search_found", "covariance_by"]
POSE = ["x_m", "y_m", "z_m", "roll_rad", "pitch_rad", "yaw_rad"]
FIGURES = [  # of the detectors
    "iterations", "oscillations", "nvtl", "nvtl_before", "transform_probability", "transform_probability_before",
    "moved_m", "condition_number", "surface_condition_number", "push_sigmas", "finish_step_m", "finish_score",
    "spread_m", "spread_deg", "no_ground_nvtl", "no_ground_transform_probability",
]  # fmt: skip
VARIANCES = ["variance_x_m2", "covariance_xy_m2", "variance_y_m2", "variance_z_m2", "variance_roll_rad2"]
VARIANCES += ["variance_pitch_rad2", "variance_yaw_rad2"]
STAGES = {
    "filter_ms": "filters of the scan",
    "prediction_ms": "prediction",
    "before_ms": "score at the prediction",
    "align_ms": "alignment",
    "neighbours_ms": "alignments beside it",
    "search_ms": "search",
    "covariance_ms": "covariance",
    "no_ground_ms": "score without ground",
    "verdict_ms": "verdict",
    "execution_ms": "localisation in all",
    "diagnostics_ms": "poses and diagnostics",
    "frame_ms": "frame in all",
}
ERRORS = ["error_m", "error_deg", "error_x_m", "error_y_m", "error_z_m", "error_along_m", "error_across_m"]
ERRORS += ["error_up_m", "error_yaw_deg"]
NUMBERS = ["frame", "stamp_s", *POSE, *FIGURES, "rejected", "search_attempt", *VARIANCES, *STAGES, *ERRORS]
NUMBERS += ["aligned_error_m", "aligned_error_deg"]
NEEDED = ["stamp_s", "verdict", "execution_ms", *POSE]  # without which a section is missing


def read_frames(folder: Path):
    """(a row for each line with every column of TEXTS and NUMBERS and time_s, sentences). Throws InputError if there
    is no such file."""
    path = folder / FILE
    if not is_there(path):
        raise refusal(folder, "", f"no {FILE} in it", "give folders that ndt-bench localize --out wrote")
    *lines, torn = content(path, MOST_BYTES, AGAIN).split(b"\n")
    notes = [f"The run was stopped while it wrote line {len(lines) + 1} of {FILE}, which is left out."] if torn else []
    names = _cells(lines[0]) if lines else None
    if not names:
        return _frame({}, 0, []), notes + [f"{FILE} has no heading: no frame of this run can be shown."]
    rows, broken = [], []
    for number, line in enumerate(lines[1:], 2):
        cells = _cells(line)
        if cells is None or len(cells) != len(names):
            broken.append(number)
        else:
            rows.append(cells)
    if broken:
        lost = f"{len(broken)} line{'s' if len(broken) > 1 else ''} of {FILE} cannot be read and {_are(broken)} left out"
        notes.append(f"{lost}; the first is line {broken[0]}.")
    columns = dict(zip(reversed(names), reversed(list(zip(*rows))))) if rows else {}
    if missing := [name for name in NEEDED if name not in names]:
        notes.append(f"{FILE} has no column {', '.join(missing)}.")
    frame = _frame(columns, len(rows), notes)
    return frame, notes + _gaps(frame)


def _are(things) -> str:
    return "are" if len(things) > 1 else "is"


def _cells(line: bytes):
    """None for what is no line of CSV."""
    text = line.decode("utf-8", "backslashreplace").rstrip("\r")
    try:
        (cells,) = csv.reader([text], strict=True)
    except (csv.Error, ValueError):
        return None
    return [printable(cell[:MOST_TEXT]) for cell in cells]


def _frame(columns: dict, rows: int, notes: list) -> pd.DataFrame:
    out = {}
    for name in TEXTS:
        out[name] = pd.Series(columns.get(name, [""] * rows), dtype=object)
    for name in NUMBERS:
        out[name] = _numbers(name, columns.get(name), rows, notes)
    frame = pd.DataFrame(out)
    odd = ~frame.verdict.isin([*VERDICTS, ""])
    if odd.any():
        notes.append(f"{odd.sum()} frames have a verdict other than {', '.join(VERDICTS)}.")
        frame.loc[odd, "verdict"] = ""
    frame["number"] = frame.frame.where(frame.frame.notna(), pd.Series(range(rows), dtype=float))
    frame["time_s"] = _times(frame.stamp_s, notes)
    return frame


def _numbers(name: str, cells, rows: int, notes: list) -> pd.Series:
    """NaN where there is no number. Infinite ones stay: a condition number may be."""
    if cells is None:
        return pd.Series(np.full(rows, np.nan))
    texts = pd.Series(cells, dtype=object)
    values = pd.to_numeric(texts, errors="coerce").astype(float)
    most = MOST_POSE if name in POSE else MOST
    values = values.where(~(values.abs() > most) | np.isinf(values))
    odd = values.isna() & (texts != "")
    if name not in FIGURES:
        odd |= np.isinf(values)
        values = values.where(~np.isinf(values))
    if odd.any():
        notes.append(f"{odd.sum()} cell{'s' if odd.sum() > 1 else ''} of column {name} hold{'' if odd.sum() > 1 else 's'} no number.")
    return values


def _times(stamps: pd.Series, notes: list) -> pd.Series:
    """Seconds since the first frame; the frames' count where the times do not increase."""
    known = stamps[stamps.notna()]
    if len(known) and (known.diff().dropna() > 0).all():
        return stamps - known.iloc[0]
    if len(known):
        notes.append("The times of the frames do not increase: frames are counted instead, one a second.")
    return pd.Series(np.arange(len(stamps), dtype=float))


def _gaps(frame: pd.DataFrame) -> list:
    steps = frame.frame.dropna().diff().dropna()
    left_out = int((steps[steps > 1] - 1).sum()) if len(steps) else 0
    if not left_out:
        return []
    return [f"{left_out} scan{'s have' if left_out > 1 else ' has'} no row between other scans: dropped, like scans that arrive too late."]


def stage_table(frames: pd.DataFrame) -> pd.DataFrame:
    """Returns a row for every stage that ran in a frame."""
    rows = []
    for column, name in STAGES.items():
        times = frames[column].dropna()
        if len(times):
            quantiles = {f"ms_p{round(100 * q)}": float(times.quantile(q)) for q in (0.5, 0.99)}
            rows.append({"stage": name, "frames": len(times), **quantiles, "ms_max": float(times.max())})
    return pd.DataFrame(rows)
