"""Errors of the poses against the truth, of a closed loop: what each frame is wrong by, and the whole chain."""

import numpy as np
import pandas as pd

from ..read.poses import rotation_differences_deg, translation_differences_m
from ..judge.trajectory import ate, kitti, rpe

CHAIN = ["judged", "ate_rmse_m", "ate_mean_m", "ate_max_m", "ate_rmse_deg", "rpe_translation_rmse_m"]
AXES = ("along", "across")  # of the truth: ahead, and to the left
CHAIN += [f"{axis}_{name}_m" for axis in AXES for name in ("rmse", "max")]
CHAIN += ["rpe_rotation_rmse_deg", "kitti_translation_percent", "kitti_rotation_deg_per_m"]
LEAST_POSES = 2


def finite(poses) -> np.ndarray:
    return np.isfinite(poses).all(axis=(1, 2))


def with_errors(frames: pd.DataFrame, poses, truth) -> pd.DataFrame:
    """The errors of frames.csv, computed anew where localization_truth.tum has the frame's pose: in the map's axes, and in the
    truth's own, x ahead and y to the left."""
    both = finite(poses) & finite(truth)
    if not both.any():
        return frames
    estimate, true = poses[both], truth[both]
    moved = estimate[:, :3, 3] - true[:, :3, 3]
    own = np.einsum("nji,nj->ni", true[:, :3, :3], moved)
    turned = np.einsum("nji,njk->nik", true[:, :3, :3], estimate[:, :3, :3])
    values = {
        "error_m": translation_differences_m(estimate, true),
        "error_deg": rotation_differences_deg(estimate, true),
        "error_yaw_deg": np.degrees(np.arctan2(turned[:, 1, 0], turned[:, 0, 0])),
    }
    values |= {f"error_{axis}_m": moved[:, i] for i, axis in enumerate("xyz")}
    values |= {f"error_{axis}_m": own[:, i] for i, axis in enumerate(("along", "across", "up"))}
    out = frames.copy()
    for name, of_both in values.items():
        out.loc[both, name] = of_both
    return out


def rotation_errors_rad(poses, truth) -> np.ndarray:
    """[n, 3]: the turn from the truth to the pose about the map's axes, NaN without one of the two."""
    out = np.full((len(poses), 3), np.nan)
    both = finite(poses) & finite(truth)
    turn = poses[both][:, :3, :3] @ truth[both][:, :3, :3].transpose(0, 2, 1)
    axis = np.stack(
        [turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], axis=1
    )
    sine, cosine = np.linalg.norm(axis, axis=1) / 2, (np.trace(turn, axis1=1, axis2=2) - 1) / 2
    angle = np.arctan2(sine, cosine)
    out[both] = axis * np.where(sine > 1e-12, angle / np.maximum(2 * sine, 1e-300), 0.5)[:, None]
    return out


def chain_errors(frames: pd.DataFrame, poses, truth) -> dict:
    """ATE, RPE and KITTI's errors of all frames with pose and truth, lost ones too, not moved onto the truth. The
    numbers of CHAIN, NaN where there are none: without localization_truth.tum there is an ATE alone."""
    out = dict.fromkeys(CHAIN, np.nan)
    errors = frames.error_m.dropna()
    if not len(errors):
        return out | {"judged": 0}
    out |= {
        "judged": len(errors),
        "ate_rmse_m": float(np.sqrt(np.mean(errors**2))),
        "ate_mean_m": float(errors.mean()),
        "ate_max_m": float(errors.max()),
        "ate_rmse_deg": float(np.sqrt(np.mean(frames.error_deg.dropna() ** 2))) if frames.error_deg.notna().any() else np.nan,
    }
    for axis in AXES:
        own = frames[f"error_{axis}_m"].dropna().abs()
        if len(own):
            out |= {f"{axis}_rmse_m": float(np.sqrt(np.mean(own**2))), f"{axis}_max_m": float(own.max())}
    both = finite(poses) & finite(truth)
    if both.sum() < LEAST_POSES:
        return out
    estimate, true = poses[both], truth[both]
    absolute, relative, drift = ate(true, estimate), rpe(true, estimate), kitti(true, estimate)
    out |= {f"ate_{name}_m": absolute[f"{name}_m"] for name in ("rmse", "mean", "max")}
    out["rpe_translation_rmse_m"] = relative["translation_rmse_m"]
    out["rpe_rotation_rmse_deg"] = relative["rotation_rmse_deg"]
    for name in ("translation_percent", "rotation_deg_per_m"):
        out[f"kitti_{name}"] = np.nan if drift[name] is None else drift[name]
    return out
