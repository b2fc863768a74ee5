"""Every measurement against the oracle's: computed here from the poses, never by the run itself."""

import numpy as np
import pandas as pd

from ..read.load import oracle_of
from ..read.poses import rotation_differences_deg, translation_differences_m

SAME_ALIGNMENT = ["dataset", "frame", "guess_name", "variant"]
EQUAL_TRANSLATION_M = 0.01  # users need 1 cm ...
EQUAL_ROTATION_DEG = 0.1  # ... and 0.1 degrees
COMPARED = [
    "translation_vs_ref_m",
    "rotation_vs_ref_deg",
    "iterations_vs_ref",
    "score_vs_ref",
    "nvtl_vs_ref",
    "correspondences_vs_ref",
]


def add_reference_errors(measurements: pd.DataFrame, oracle: str) -> pd.DataFrame:
    """Adds COMPARED, same_stop, and ref_stop: how the oracle ended from the same guess, None where it has no
    pose.

    The oracle's pose is that of its smallest thread count. Its own measurements, and those
    without it, have NaN.
    """
    measurements = measurements.copy()
    own = measurements[(measurements.implementation == oracle) & measurements.error.isna()].sort_values(
        "threads", kind="stable"
    )
    own = own.drop_duplicates(SAME_ALIGNMENT).set_index(SAME_ALIGNMENT)
    ref_at = own.index.get_indexer(pd.MultiIndex.from_frame(measurements[SAME_ALIGNMENT]))
    columns = {name: np.full(len(measurements), np.nan) for name in COMPARED}
    same_stop, ref_stop = np.full(len(measurements), None, object), np.full(len(measurements), None, object)
    ref_stop[ref_at >= 0] = own.stop.to_numpy()[ref_at[ref_at >= 0]]
    compared = (ref_at >= 0) & (measurements.implementation != oracle) & measurements.error.isna()
    rows, refs = measurements[compared], own.iloc[ref_at[compared]].reset_index(drop=True).set_index(
        measurements.index[compared]
    )
    if len(rows):
        poses, ref_poses = np.stack(list(rows.pose)), np.stack(list(refs.pose))
        columns["translation_vs_ref_m"][compared] = translation_differences_m(poses, ref_poses)
        columns["rotation_vs_ref_deg"][compared] = rotation_differences_deg(poses, ref_poses)
        columns["iterations_vs_ref"][compared] = rows.iterations - refs.iterations
        columns["score_vs_ref"][compared] = (rows.score - refs.score) / refs.score.where(refs.score != 0)
        columns["nvtl_vs_ref"][compared] = rows.nvtl - refs.nvtl
        columns["correspondences_vs_ref"][compared] = rows.correspondences - refs.correspondences
        same_stop[compared] = (rows.stop == refs.stop).to_numpy()
    return measurements.assign(**columns, same_stop=same_stop, ref_stop=ref_stop)


def within_equal_bound(measurements: pd.DataFrame) -> pd.Series:
    """Final pose within 1 cm and 0.1 degrees of the oracle's; False where there is nothing to compare."""
    return (measurements.translation_vs_ref_m <= EQUAL_TRANSLATION_M) & (
        measurements.rotation_vs_ref_deg <= EQUAL_ROTATION_DEG
    )


def reference_threads(measurements: pd.DataFrame, implementations: pd.DataFrame) -> pd.DataFrame:
    """For every (dataset, variant, threads, implementation) the thread count of the oracle to compare its
    speed with.

    The oracle's run with an equal count, if there is one. For an implementation on a GPU, or with a count the
    oracle lacks, its largest count: the best it can do on this machine. NaN if the oracle was not run.
    """
    keys = (
        measurements[["dataset", "variant", "threads", "implementation"]]
        .drop_duplicates()
        .reset_index(drop=True)
    )
    counts = (
        measurements[measurements.implementation == oracle_of(implementations)]
        .groupby(["dataset", "variant"])
        .threads.agg(set)
    )
    chosen = []
    for key in keys.itertuples():
        there = counts.get((key.dataset, key.variant), set())
        same = key.threads in there and not on_gpu(key.implementation, implementations)
        chosen.append(key.threads if same else max(there, default=np.nan))
    return keys.assign(ref_threads=chosen)


def on_gpu(implementation: str, implementations: pd.DataFrame) -> bool:
    return "GPU" in implementations.loc[implementation, "runs_on"]
