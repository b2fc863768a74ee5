"""The cost of an iteration, what an alignment costs before its first, and what features add to an iteration:
times of alignments with different numbers of them."""

import numpy as np
import pandas as pd

from .accuracy import KEY
from .latency import timed
from .scaling import family
from .transfers import iteration_fit

PLAIN = "autoware"  # the variant without line search and regularisation
LEAST_SIZES = 2
LEAST_RANGE = 3  # iterations between the shortest and the longest alignment: on less, noise is the slope


def iteration_time_table(measurements: pd.DataFrame) -> pd.DataFrame:
    """Returns one row per KEY whose iterations vary. iteration_us: slope over iterations between guesses of the
    same scan, NaN unless times grow with iterations. constant_us: upload, result and everything else that
    happens once, NaN if below 0. off_the_line_us: largest residual. Further columns are points, voxels, scans,
    n, iterations_min and iterations_max."""
    out = []
    for key, group in timed(measurements).groupby(KEY, sort=False):
        if not group.iterations.max() - group.iterations.min() >= LEAST_RANGE:  # or not counted
            continue
        fit = iteration_fit(group.assign(align_us_p50=1000 * group.align_ms), ["align_us_p50"])
        if fit is None:
            continue
        if fit.slope <= 0:  # noise is larger than what an iteration takes
            fit = fit._replace(slope=np.nan, constant=np.nan)
        out.append(
            dict(zip(KEY, key))
            | {"points": float(np.median(group.points)), "voxels": float(np.median(group.voxels))}
            | {"scans": group.frame.nunique(), "n": len(group)}
            | {"iterations_min": group.iterations.min(), "iterations_max": group.iterations.max()}
            | {"iteration_us": fit.slope, "constant_us": fit.constant if fit.constant >= 0 else np.nan}
            | {"off_the_line_us": fit.worst}
        )
    columns = ["points", "voxels", "scans", "n", "iterations_min", "iterations_max"]
    columns += ["iteration_us", "constant_us", "off_the_line_us"]
    return pd.DataFrame(out, columns=KEY + columns)


def by_size(table: pd.DataFrame) -> pd.DataFrame:
    """Selects from iteration_time_table() the plain rows on datasets that come in LEAST_SIZES sizes or more, with their
    family: of every implementation its largest thread count, sorted by points."""
    plain = table[(table.variant == PLAIN) & table.iteration_us.notna()].assign(family=table.dataset.map(family))
    most = plain.groupby(["dataset", "implementation"]).threads.transform("max")
    plain = plain[plain.threads == most]
    sizes = plain.groupby("family").points.transform("nunique")
    return plain[sizes >= LEAST_SIZES].sort_values(["family", "points"], kind="stable")


def feature_costs(table: pd.DataFrame) -> pd.DataFrame:
    """One row per variant of a scan that has a plain row too: cost = its iteration_us over the plain one's,
    cost_within (how far the cost may be off: both lines' largest residuals over their ranges). Only datasets
    with one scan: what differs between scans is no feature."""
    own = table[(table.scans == 1) & table.iteration_us.notna()]
    own = own.assign(
        within=own.off_the_line_us / (own.iterations_max - own.iterations_min) / own.iteration_us
    )
    on = [name for name in KEY if name != "variant"]
    plain = own[own.variant == PLAIN][on + ["iteration_us", "within"]]
    # how="left" keeps the table's order; without it, pandas up to 2.1 groups rows of the same keys.
    both = own[own.variant != PLAIN].merge(plain, on=on, how="left", suffixes=("", "_plain"))
    both = both[both.iteration_us_plain.notna()]
    both = both.assign(cost=both.iteration_us / both.iteration_us_plain)
    return both.assign(cost_within=both.cost * (both.within + both.within_plain))
