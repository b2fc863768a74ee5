"""Do the scores that come with a pose tell a wrong pose from a right one? Truth decides which is which."""

import numpy as np
import pandas as pd

SCORES = {"nvtl": "NVTL", "transform_probability": "transform probability"}
LEAST_OF_EACH = 5  # wrong and right poses below which a curve says nothing
AUTOWARE_THRESHOLDS = {
    "nvtl": 2.3,
    "transform_probability": 3.0,
}  # converged_param_* of ndt_scan_matcher as shipped


def judged_poses(measurements: pd.DataFrame, points: pd.DataFrame) -> pd.DataFrame:
    """Poses of the oracle with truth and scores: dataset, pose ("final" or "on the way"), SCORES,
    translation_error_m, wrong.

    Final poses where enough are wrong; otherwise those on the way there (traces, from the guess on), which
    are wrong poses too. measurements: of one implementation, variant and thread count, with success by
    truth. points: their trace_points().
    """
    final = measurements[measurements.translation_error_m.notna() & measurements.nvtl.notna()]
    final = final.assign(wrong=final.success == 0, pose="final")[
        ["dataset", "pose", *SCORES, "translation_error_m", "wrong"]
    ]
    out = []
    for dataset, group in final.groupby("dataset", sort=False):
        if _enough(group.wrong):
            out.append(group)
            continue
        way = points[(points.dataset == dataset) & points.translation_error_m.notna() & points.nvtl.notna()]
        way = way.assign(pose="on the way", wrong=way.wrong, transform_probability=way.score / way.points)
        if _enough(way.wrong):
            out.append(way[["dataset", "pose", *SCORES, "translation_error_m", "wrong"]])
    columns = ["dataset", "pose", *SCORES, "translation_error_m", "wrong"]
    return pd.concat(out, ignore_index=True) if out else pd.DataFrame(columns=columns)


def mark_wrong(points: pd.DataFrame, datasets: pd.DataFrame) -> pd.DataFrame:
    """Adds wrong to trace points, by the dataset's limits of success."""
    near = points.translation_error_m <= points.dataset.map(datasets.success_translation_m).astype(float)
    straight = points.rotation_error_deg <= points.dataset.map(datasets.success_rotation_deg).astype(float)
    return points.assign(wrong=~(near & straight))


def roc(score, wrong) -> pd.DataFrame:
    """Share of wrong poses found against share of right poses rejected, when poses scored below a threshold
    are rejected. One row per distinct threshold, from rejecting none to rejecting all."""
    score, wrong = np.asarray(score, float), np.asarray(wrong, bool)
    thresholds = np.concatenate([[-np.inf], np.unique(score)])
    found, rejected_right = (
        np.searchsorted(np.sort(score[which]), thresholds, side="right") / which.sum()
        for which in (wrong, ~wrong)
    )
    return pd.DataFrame({"threshold": thresholds, "found": found, "rejected_right": rejected_right})


def auc(score, wrong) -> float:
    """Chance that a wrong pose scores below a right one; a tie counts half. 1: always, 0.5: the score says
    nothing."""
    score, wrong = np.asarray(score, float), np.asarray(wrong, bool)
    ranks = pd.Series(score).rank().to_numpy()
    n_wrong, n_right = wrong.sum(), (~wrong).sum()
    return float((ranks[~wrong].sum() - n_right * (n_right + 1) / 2) / (n_wrong * n_right))


def detection_table(poses: pd.DataFrame) -> pd.DataFrame:
    """Per (dataset, score): n, AUC, and what Autoware's threshold finds and rejects."""
    out = []
    for (dataset, pose), group in poses.groupby(["dataset", "pose"], sort=False):
        for score in SCORES:
            below = group[score] < AUTOWARE_THRESHOLDS[score]
            out.append(
                {
                    "dataset": dataset,
                    "pose": pose,
                    "score": score,
                    "wrong": int(group.wrong.sum()),
                    "right": int((~group.wrong).sum()),
                    "auc": auc(group[score], group.wrong),
                    "threshold": AUTOWARE_THRESHOLDS[score],
                    "found": float(below[group.wrong].mean()),
                    "rejected_right": float(below[~group.wrong].mean()),
                }
            )
    return pd.DataFrame(
        out,
        columns=["dataset", "pose", "score", "wrong", "right", "auc", "threshold", "found", "rejected_right"],
    )


def _enough(wrong) -> bool:
    return wrong.sum() >= LEAST_OF_EACH and (~wrong.astype(bool)).sum() >= LEAST_OF_EACH
