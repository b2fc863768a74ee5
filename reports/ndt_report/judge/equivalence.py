"""Is it the same algorithm? Every result against the oracle's from the same guess."""

import numpy as np
import pandas as pd

from .reference import SAME_ALIGNMENT

FINE_TRANSLATION_M, FINE_ROTATION_DEG = (
    0.001,
    0.01,
)  # what implementations that are no peers must keep, near the origin
WORST_SHOWN = 10


def _share_of_zeros(differences: pd.Series) -> float:
    """NaN where nothing can be compared: a peer from outside need not count."""
    known = differences.dropna()
    return float((known == 0).mean()) if len(known) else np.nan


def _fine(group) -> pd.Series:
    return (group.translation_vs_ref_m <= FINE_TRANSLATION_M) & (group.rotation_vs_ref_deg <= FINE_ROTATION_DEG)


KEY = ["dataset", "variant", "implementation"]
COLUMNS = {
    "n": len,
    "same_iterations_share": lambda group: _share_of_zeros(group.iterations_vs_ref),
    "same_stop_share": lambda group: float(group.same_stop.astype(bool).mean()),
    "fine_share": lambda group: float(_fine(group).mean()),
    "translation_mm_p50": lambda group: 1000 * group.translation_vs_ref_m.median(),
    "translation_mm_max": lambda group: 1000 * group.translation_vs_ref_m.max(),
    "rotation_deg_p50": lambda group: group.rotation_vs_ref_deg.median(),
    "rotation_deg_max": lambda group: group.rotation_vs_ref_deg.max(),
    "score_relative_max": lambda group: group.score_vs_ref.abs().max(),
    "same_correspondences_share": lambda group: _share_of_zeros(group.correspondences_vs_ref),
}


def equivalence_table(measurements: pd.DataFrame) -> pd.DataFrame:
    """Per KEY, all thread counts together, COLUMNS: shares, and largest differences."""
    compared = measurements[measurements.translation_vs_ref_m.notna()]
    groups = compared.groupby(KEY, sort=False)
    rows = [dict(zip(KEY, key)) | {name: of(group) for name, of in COLUMNS.items()} for key, group in groups]
    return pd.DataFrame(rows, columns=[*KEY, *COLUMNS])


def worst_cases(measurements: pd.DataFrame, implementations: pd.DataFrame) -> pd.DataFrame:
    """The alignments of implementations that are no peers whose pose is farthest from the oracle's, worst
    first."""
    own = [not implementations.loc[name, "peer"] for name in measurements.implementation]
    far = measurements[np.array(own, bool) & measurements.translation_vs_ref_m.notna()].sort_values(
        "translation_vs_ref_m", ascending=False, kind="stable"
    )
    far = far.drop_duplicates(SAME_ALIGNMENT + ["implementation"]).head(WORST_SHOWN)
    return far.assign(translation_vs_ref_mm=1000 * far.translation_vs_ref_m)[
        SAME_ALIGNMENT
        + [
            "implementation",
            "threads",
            "translation_vs_ref_mm",
            "rotation_vs_ref_deg",
            "iterations",
            "iterations_vs_ref",
            "stop",
            "ref_stop",
        ]
    ]
