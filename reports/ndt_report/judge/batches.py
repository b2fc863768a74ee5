"""Many poses of one scan in one call: what a pose and an iteration of it cost, and what single calls would
have taken."""

from dataclasses import replace

import numpy as np
import pandas as pd

from .accuracy import KEY
from ..read.load import Run
from ..read.rows import search_name

COLUMNS = [
    "points",
    "poses",
    "n",
    "launches",
    "batch_ms_p50",
    "pose_iteration_us",
    "pose_iterations_per_s",
    "speed_up",
    "why_not",
]


def alignments_alone(run: Run) -> Run:
    """The run without batches and searches: neither is an alignment, whatever its first or best pose. May
    have no measurement left."""
    return replace(
        run,
        measurements=run.measurements[
            (run.measurements.poses == 1) & run.measurements.search.isna()
        ].reset_index(drop=True),
    )


def kinds_as_variants(run: Run) -> Run:
    """The run with the batches of each size and the searches of each name as variants of their own, so that
    the measurements of two runs can be paired."""
    named = [
        variant
        + ("" if poses == 1 else f", {poses:g} poses")
        + (f", search {search_name(search)}" if search else "")
        for variant, poses, search in zip(
            run.measurements.variant, run.measurements.poses, run.measurements.search
        )
    ]
    return replace(run, measurements=run.measurements.assign(variant=named))


def batch_table(measurements: pd.DataFrame) -> pd.DataFrame:
    """Returns one row per KEY and number of poses, 1 included. batch_ms_p50: of a whole call, the median over n
    measurements of their medians. launches: of a call, NaN on a CPU. speed_up: over as many single calls, NaN
    without them. why_not: of what was skipped or failed, whose numbers are NaN. Further columns are
    pose_iteration_us and pose_iterations_per_s. measurements: of a run, with batches."""
    out = []
    for key, group in measurements[measurements.search.isna()].groupby(KEY, sort=False):
        if not (group.poses > 1).any():
            continue
        single = _times(group[group.poses == 1])
        for poses, same in group.groupby("poses"):
            done = _times(same)
            ms, steps = done.ms.median(), done.iterations.median()
            out.append(
                dict(zip(KEY, key))
                | {"points": group.points.median(), "poses": int(poses), "n": len(done)}
                | {"launches": done.launches.dropna().median(), "batch_ms_p50": ms}
                | {"pose_iteration_us": 1000 * ms / steps, "pose_iterations_per_s": 1000 * steps / ms}
                | {"speed_up": poses * single.ms.median() / ms}
                | {"why_not": "" if len(done) else same.error.iloc[0]}
            )
    return pd.DataFrame(out, columns=KEY + COLUMNS)


def _times(measurements: pd.DataFrame) -> pd.DataFrame:
    done = measurements[measurements.error.isna()]
    return done.assign(ms=np.array([np.median(v) / 1000 for v in done.align_us], float))
