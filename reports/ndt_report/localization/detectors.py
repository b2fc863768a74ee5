"""Can a wrong pose be told by what an alignment says of itself? Of each detector: how often it misses a wrong pose,
and how often it cries wolf at a right one. An alignment is judged by its own result, also where the localizer did
not use it; the truth decides which is wrong."""

import numpy as np
import pandas as pd

from ..judge.detection import LEAST_OF_EACH, auc, roc
from .episodes import wrong_poses
from .facts import Facts

LOW, HIGH, NOT_OK = "low", "high", "not ok"  # how a wrong pose shows
# column: (what it is called, how a wrong pose shows, the option with the localizer's threshold)
DETECTORS = {
    "nvtl": ("NVTL", LOW, ("localizer", "least_score")),
    "transform_probability": ("transform probability", LOW, ("localizer", "least_score")),
    "no_ground_nvtl": ("NVTL without ground", LOW, None),
    "no_ground_transform_probability": ("transform probability without ground", LOW, None),
    "push_sigmas": ("push test, standard deviations", LOW, None),
    "finish_step_m": ("step of the finish, m", HIGH, None),
    "iterations": ("iterations", HIGH, ("align", "max_iterations")),
    "oscillations": ("oscillations", HIGH, None),
    "moved_m": ("jump from the prediction, m", HIGH, ("localizer", "jump")),
    "condition_number": ("condition number", HIGH, None),
    "surface_condition_number": ("condition number of the surfaces", HIGH, None),
    "spread_m": ("spread of neighbours, m", HIGH, ("localizer", "spread_bound")),
    "spread_deg": ("spread of neighbours, deg", HIGH, None),
}
ABSENT = {"surface_condition_number": 0.0}  # a value that stands for none
FARTHEST = 1e300  # in place of infinity, which cannot be sorted into a curve
TABLE = ["column", "detector", "bad", "threshold", "wrong", "missed", "right", "false_alarms", "auc"]
REASONS = ["reason", "frames", "wrong"]


def judged_alignments(frames: pd.DataFrame, wrong_m: float, wrong_deg: float) -> pd.DataFrame:
    """The aligned frames whose result can be judged, with `wrong`. Where frames.csv has no error of the alignment,
    that of the pose counts for those that were used."""
    own = frames.aligned_error_m.notna()
    used = ~own & (frames.source == "aligned") & frames.error_m.notna()
    error_m = frames.aligned_error_m.where(own, frames.error_m)
    error_deg = frames.aligned_error_deg.where(own, frames.error_deg)
    judged = frames.assign(error_m=error_m, error_deg=error_deg)[own | used]
    return judged.assign(wrong=wrong_poses(judged, wrong_m, wrong_deg))


def threshold(column: str, facts: Facts) -> float:
    """The localizer's own; NaN where there is none, or where it is not known."""
    scores = ("nvtl", "transform_probability")
    if column in scores and facts.option("localizer", "score") not in (None, column):
        return np.nan
    place = DETECTORS[column][2]
    value = facts.option(*place) if place else None
    return float(value) if isinstance(value, (int, float)) else np.nan


def badness(judged: pd.DataFrame, column: str) -> pd.Series:
    """Larger: more likely wrong. Without frames that have no value."""
    values = judged[column].replace([np.inf, -np.inf], [FARTHEST, -FARTHEST]).dropna()
    values = values[values != ABSENT[column]] if column in ABSENT else values
    return values if DETECTORS[column][1] == HIGH else -values


def detector_table(judged: pd.DataFrame, facts: Facts) -> pd.DataFrame:
    rows = []
    for column, (name, bad, _) in DETECTORS.items():
        score = badness(judged, column)
        if not len(score):
            continue
        wrong, limit = judged.wrong[score.index], threshold(column, facts)
        values = [column, name, bad, limit, int(wrong.sum()), np.nan, int((~wrong).sum()), np.nan]
        if limit == limit:
            flagged = _flagged(column, score, limit)
            values[5], values[7] = int((wrong & ~flagged).sum()), int((~wrong & flagged).sum())
        rows.append(dict(zip(TABLE, [*values, _auc(judged, column)])))
    return pd.DataFrame(rows, columns=TABLE)


def pooled_table(judged: pd.DataFrame, tables: pd.DataFrame) -> pd.DataFrame:
    """Joins the alignments of several runs with the runs' own tables. Where some runs have a threshold, the
    counts are theirs alone."""
    rows = []
    for column, own in tables.groupby("column", sort=False):
        known = own[own.missed.notna()] if own.missed.notna().any() else own
        row = known.iloc[0][TABLE].to_dict()
        if known.threshold.nunique(dropna=False) > 1:
            row["threshold"] = np.nan
        row |= {name: known[name].sum(min_count=1) for name in ("wrong", "missed", "right", "false_alarms")}
        rows.append(row | {"auc": _auc(judged, column) if column in DETECTORS else np.nan})
    return pd.DataFrame(rows, columns=TABLE)


def _auc(judged: pd.DataFrame, column: str) -> float:
    score = badness(judged, column)
    wrong = judged.wrong[score.index]
    return auc(-score, wrong) if min(wrong.sum(), (~wrong).sum()) >= LEAST_OF_EACH else np.nan


def _flagged(column: str, score: pd.Series, limit: float) -> pd.Series:
    """As the gates do: a score must exceed its limit, iterations must stay below, all else may reach it."""
    if DETECTORS[column][1] == LOW:
        return score >= -limit
    return score >= limit if column == "iterations" else score > limit


def curves(judged: pd.DataFrame) -> pd.DataFrame:
    """Returns for every detector with enough wrong and right poses found, the share of the wrong ones, against
    rejected_right, of the right ones, at every threshold."""
    out = []
    for column, (name, bad, _) in DETECTORS.items():
        score = badness(judged, column)
        wrong = judged.wrong[score.index]
        if min(wrong.sum(), (~wrong).sum()) < LEAST_OF_EACH:
            continue
        curve = roc(-score, wrong)
        curve["threshold"] = -curve.threshold if bad == HIGH else curve.threshold
        out.append(curve.assign(detector=name))
    columns = ["threshold", "found", "rejected_right", "detector"]
    return pd.concat(out, ignore_index=True) if out else pd.DataFrame(columns=columns)


def verdict_row(frames: pd.DataFrame, wrong_m: float, wrong_deg: float) -> pd.DataFrame:
    """The localizer's verdict as a detector, of the pose that it reported. No row without truth or verdicts."""
    judged = frames[frames.error_m.notna() & (frames.verdict != "")]
    if not len(judged):
        return pd.DataFrame(columns=TABLE)
    wrong, flagged = wrong_poses(judged, wrong_m, wrong_deg), judged.verdict != "ok"
    missed, false_alarms = int((wrong & ~flagged).sum()), int((~wrong & flagged).sum())
    values = ["verdict", "verdict, of the reported pose", NOT_OK, np.nan, int(wrong.sum()), missed]
    return pd.DataFrame([[*values, int((~wrong).sum()), false_alarms, np.nan]], columns=TABLE)


def reason_table(judged: pd.DataFrame) -> pd.DataFrame:
    """Returns what the localizer said of the alignments, and how many of them were wrong."""
    said = judged.reason.where(judged.source != "searched", "rejected, then found by a search")
    said = said.replace({"none": "passed every gate", "": "passed every gate"})
    rows = [[reason, len(group), int(group.wrong.sum())] for reason, group in judged.groupby(said, sort=True)]
    return pd.DataFrame(rows, columns=REASONS)
