"""What an iteration costs and what an alignment costs before its first: times of alignments with different numbers of them."""

import numpy as np
import pandas as pd

from .accuracy import KEY
from .latency import timed
from .transfers import iteration_fit

LEAST_RANGE = 3  # iterations between the shortest and the longest alignment: on less, noise is the slope


def iteration_time_table(rows: pd.DataFrame) -> pd.DataFrame:
    """One row per KEY whose iterations vary: iteration_us (slope over iterations between guesses of the same scan), constant_us
    (upload, result and everything else that happens once), off_the_line_us (largest residual), points, n, iterations_min, _max."""
    out = []
    for key, group in timed(rows).groupby(KEY, sort=False):
        if group.iterations.max() - group.iterations.min() < LEAST_RANGE:
            continue
        fit = iteration_fit(group.assign(align_us_p50=1000 * group.align_ms), ["align_us_p50"])
        if fit is None:
            continue
        out.append(
            dict(zip(KEY, key))
            | {"points": float(np.median(group.points)), "n": len(group)}
            | {"iterations_min": group.iterations.min(), "iterations_max": group.iterations.max()}
            | {"iteration_us": fit.slope, "constant_us": fit.constant, "off_the_line_us": fit.worst}
        )
    columns = ["points", "n", "iterations_min", "iterations_max", "iteration_us", "constant_us", "off_the_line_us"]
    return pd.DataFrame(out, columns=KEY + columns)
