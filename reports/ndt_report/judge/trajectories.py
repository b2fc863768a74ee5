"""Poses of a drive as trajectories: TUM files, and ATE and RPE against the truth."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from ..read.files import file_name, make_folder, write_file
from ..read.load import natural_key
from ..read.poses import chained, quaternion_xyzw, rotation_differences_deg, translation_differences_m
from .trajectory import ate, kitti, rpe

LEAST_POSES = 5


@dataclass
class Trajectory:
    dataset: str
    implementation: str
    frames: list  # names
    poses: np.ndarray  # [n, 4, 4] map_from_scan; of a sequence: first_scan_from_scan, chained
    truth: np.ndarray  # [n, 4, 4], or None
    failed: int  # frames without a pose: left out, or in a chain replaced by their guess
    guess_rms_m: float = np.nan  # how far the guesses are from the truth
    guess_rms_deg: float = np.nan


def trajectories(measurements: pd.DataFrame, datasets: pd.DataFrame) -> list:
    """Returns for every (dataset, implementation) with at least LEAST_POSES frames the first guess of each frame, the
    smallest thread count, variant autoware."""
    kept = measurements[
        (measurements.variant == "autoware") & (measurements.frame != "") & measurements.guess_offset.isna()
    ]
    kept = (
        kept.sort_values("threads", kind="stable")
        .drop_duplicates(["dataset", "implementation", "frame"])
        .sort_index()
    )
    out = []
    for (dataset, implementation), group in kept.groupby(["dataset", "implementation"], sort=False):
        group = group.sort_values("frame", key=lambda names: names.map(natural_key), kind="stable")
        if datasets.loc[dataset, "kind"] in ("pair", "no_pose", "split") or len(group) < LEAST_POSES:
            continue
        made = _chain(group) if datasets.loc[dataset, "kind"] == "sequence" else _as_they_are(group)
        if made is not None and len(made[1]) >= LEAST_POSES:
            failed = int(group.pose.isna().sum())
            out.append(Trajectory(dataset, implementation, *made, failed=failed, **_guess_distances(group)))
    return out


def _guess_distances(group) -> dict:
    """How far the guesses are from the truth, root mean square: NaN without one of the two."""
    known = group[group.guess.notna() & group.truth.notna()]
    if known.empty:
        return {"guess_rms_m": np.nan, "guess_rms_deg": np.nan}
    guesses, truths = np.array(list(known.guess)), np.array(list(known.truth))
    differences = translation_differences_m(guesses, truths), rotation_differences_deg(guesses, truths)
    return {f"guess_rms_{unit}": float(np.sqrt(np.mean(d**2))) for unit, d in zip(("m", "deg"), differences)}


def _as_they_are(group):
    good = group[group.pose.notna()]
    truth = np.array(list(good.truth)) if good.truth.notna().all() and len(good) else None
    return list(good.frame), np.array(list(good.pose)), truth


def _chain(group):
    """A scan without a pose would break the chain: there its guess is taken."""
    steps = [guess if pose is None else pose for pose, guess in zip(group.pose, group.guess)]
    if any(step is None for step in steps):
        return None
    truth = chained(group.truth) if group.truth.notna().all() else None
    return ["start", *group.frame], chained(steps), truth


def trajectory_errors(all_trajectories) -> pd.DataFrame:
    """ATE, RPE (from frame to frame) and KITTI's translational error (over 100 to 800 m of path) of every
    trajectory with truth, not aligned to it: both are in the map's frame."""
    out = []
    for t in all_trajectories:
        if t.truth is None:
            continue
        absolute, relative = ate(t.truth, t.poses, align=False), rpe(t.truth, t.poses, delta=1)
        drift = kitti(t.truth, t.poses)["translation_percent"]  # None if the drive is too short
        out.append(
            {
                "dataset": t.dataset,
                "implementation": t.implementation,
                "poses": len(t.poses),
                "failed": t.failed,
                "guess_rms_m": t.guess_rms_m,
                "guess_rms_deg": t.guess_rms_deg,
                "ate_rmse_m": absolute["rmse_m"],
                "ate_mean_m": absolute["mean_m"],
                "ate_max_m": absolute["max_m"],
                "rpe_translation_rmse_m": relative["translation_rmse_m"],
                "rpe_rotation_rmse_deg": relative["rotation_rmse_deg"],
                "kitti_translation_percent": np.nan if drift is None else drift,
            }
        )
    columns = [
        "dataset",
        "implementation",
        "poses",
        "failed",
        "guess_rms_m",
        "guess_rms_deg",
        "ate_rmse_m",
        "ate_mean_m",
        "ate_max_m",
        "rpe_translation_rmse_m",
        "rpe_rotation_rmse_deg",
        "kitti_translation_percent",
    ]
    return pd.DataFrame(out, columns=columns)


def _stamps(frames):
    """The number in each frame's name where these rise, else the index: a TUM file needs times, and a run has
    none."""
    numbers = [re.findall(r"\d{1,100}", re.sub(r"\.\w+$", "", name)) for name in frames]
    stamps = [int(found[-1]) if found else -1 for found in numbers]
    return stamps if all(a < b for a, b in zip(stamps, stamps[1:])) else list(range(len(frames)))


def tum_text(t: Trajectory) -> str:
    lines = []
    for stamp, pose in zip(_stamps(t.frames), t.poses):
        lines.append(" ".join([str(stamp)] + [f"{v:.9g}" for v in (*pose[:3, 3], *quaternion_xyzw(pose))]))
    return "\n".join(lines) + "\n"


def write_tum(folder: Path, all_trajectories):
    """trajectories/*.tum in a run's folder."""
    make_folder(folder, "trajectories")
    for t in all_trajectories:
        name = file_name(f"{t.implementation}__{t.dataset}", ".tum")
        write_file(folder, f"trajectories/{name}", tum_text(t))
