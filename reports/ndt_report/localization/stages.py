"""The stages of a frame, and the time of each."""

import pandas as pd

from .frames import STAGES

NAMED = {
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


def stage_table(frames: pd.DataFrame) -> pd.DataFrame:
    """Returns a row for every stage that ran in a frame."""
    rows = []
    for column in STAGES:
        times = frames[column].dropna()
        if len(times):
            quantiles = {f"ms_p{round(100 * q)}": float(times.quantile(q)) for q in (0.5, 0.99)}
            rows.append({"stage": NAMED[column], "frames": len(times), **quantiles, "ms_max": float(times.max())})
    return pd.DataFrame(rows)
