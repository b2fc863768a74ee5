"""Stretches of a drive in which the pose was not known, and how long it took to find it again."""

import numpy as np
import pandas as pd

SAYS_SO, TRUTH = "the localizer says so", "by the truth"
EPISODES = ["how", "first_frame", "frames", "seconds", "over", "largest_error_m", "searches"]


def wrong_poses(frames: pd.DataFrame, wrong_m: float, wrong_deg: float) -> pd.Series:
    """Farther from the truth than a right pose may be; False where there is no truth."""
    return (frames.error_m > wrong_m) | (frames.error_deg > wrong_deg)


def episodes(frames: pd.DataFrame, wrong_m: float, wrong_deg: float) -> pd.DataFrame:
    """Finds the localizer's episodes: frames rejected in a row, from the first of them, if it searched there or was lost. By the
    truth: wrong poses in a row. Seconds end with the first frame whose pose is known again; NaN if none is."""
    rejected = (frames.verdict == "lost") | (frames.rejected > 0)
    searched = (frames.verdict == "lost") | frames.search_attempt.notna() | (frames.source == "searched")
    # A search that finds the pose ends the stretch in its own frame.
    known = [e for e in _stretches(rejected) if searched[e[0] : e[1] + 1].any()]
    wrong = wrong_poses(frames, wrong_m, wrong_deg)
    rows = [_row(frames, SAYS_SO, *stretch) for stretch in known]
    rows += [_row(frames, TRUTH, *stretch) for stretch in _stretches(wrong)]
    return pd.DataFrame(rows, columns=EPISODES)


def _stretches(flags) -> list:
    """[first, end) of each run of True."""
    edges = np.diff(np.r_[0, np.asarray(flags, int), 0])
    return list(zip(np.flatnonzero(edges > 0).tolist(), np.flatnonzero(edges < 0).tolist()))


def _row(frames, how, first, end):
    over = end < len(frames)
    inside = frames.iloc[first : end + 1]
    errors = frames.error_m.iloc[first:end]
    return {
        "how": how,
        "first_frame": frames.number.iloc[first],
        "frames": end - first,
        "seconds": frames.time_s.iloc[end] - frames.time_s.iloc[first] if over else np.nan,
        "over": over,
        "largest_error_m": float(errors.max()) if errors.notna().any() else np.nan,
        "searches": int((inside.search_attempt.notna() | (inside.source == "searched")).sum()),
    }


def lost_at_the_end(frames: pd.DataFrame):
    """Number of the frame since which it is lost; None if it is not."""
    lost = frames.verdict == "lost"
    if not len(frames) or not lost.iloc[-1]:
        return None
    return float(frames.number.iloc[_stretches(lost)[-1][0]])
