"""Folders as ndt-bench localize writes them, of a drive along a circle."""

import json

import numpy as np
from ndt_report.localization.frames import FIGURES, NUMBERS, STAGES, TEXTS
from ndt_report.read.poses import quaternion_xyzw
from synthetic_entries import write_pcd

RADIUS_M, RATE_HZ, SPEED_M_S = 50.0, 10.0, 10.0
SIGMA_M = 0.02  # of x and y in each frame
VARIANCE = {"variance_x_m2": SIGMA_M**2, "covariance_xy_m2": 0.0, "variance_y_m2": SIGMA_M**2}
ANGLE_SIGMA_RAD = 0.001


def truth_at(k):
    angle = k * SPEED_M_S / RATE_HZ / RADIUS_M
    pose = np.eye(4)
    heading = angle + np.pi / 2
    pose[:2, :2] = [[np.cos(heading), -np.sin(heading)], [np.sin(heading), np.cos(heading)]]
    pose[:2, 3] = RADIUS_M * np.cos(angle), RADIUS_M * np.sin(angle)
    return pose


class SyntheticDrive:
    """Frames as dicts of the cells of frames.csv, which a test may change before write()."""

    def __init__(self, frames=40, seed=1, implementation="persistent_cpu", scans="circle", sigma_m=SIGMA_M):
        self.implementation, self.scans = implementation, scans
        self.truth = np.array([truth_at(k) for k in range(frames)])
        self.options = {"least_score": 2.4, "score": "nvtl", "jump": 3.0, "spread_bound": 0.2}
        random = np.random.default_rng(seed)
        self.rows = [self._row(k, random, sigma_m) for k in range(frames)]

    def _row(self, k, random, sigma_m):
        x, y = self.truth[k][:2, 3] + random.normal(0, sigma_m, 2)
        yaw = np.arctan2(self.truth[k][1, 0], self.truth[k][0, 0]) + random.normal(0, ANGLE_SIGMA_RAD if sigma_m else 0)
        row = dict.fromkeys([*TEXTS, *NUMBERS], "")
        row |= {"frame": k, "scan": f"{k:06}", "stamp_s": k / RATE_HZ, "verdict": "ok", "reason": "none"}
        row |= {"source": "aligned", "predicted_by": "constant_velocity", "stop": "step", "rejected": 0}
        row |= {"x_m": x, "y_m": y, "z_m": 0.0, "roll_rad": 0.0, "pitch_rad": 0.0, "yaw_rad": yaw}
        row |= dict.fromkeys(FIGURES, 1.0) | {"nvtl": 3.0, "moved_m": 0.1, "iterations": 5, "spread_m": 0.05}
        row |= VARIANCE | {"variance_z_m2": SIGMA_M**2, "covariance_by": "fixed"}
        row |= dict.fromkeys(["variance_roll_rad2", "variance_pitch_rad2", "variance_yaw_rad2"], ANGLE_SIGMA_RAD**2)
        row |= dict.fromkeys(STAGES, "") | {"execution_ms": 5.0 + k % 10, "align_ms": 4.0}
        return row | {"aligned_error_m": float(np.hypot(*(np.array([x, y]) - self.truth[k][:2, 3]))), "aligned_error_deg": 0.0}

    def lose(self, first, end, off_m=20.0, recovered=True):
        """Rejected from first on, lost after five, and found again at end by a search."""
        for k in range(first, end):
            verdict = "doubtful" if k < first + 4 else "lost"
            self.rows[k] |= {"verdict": verdict, "reason": "score", "source": "predicted", "rejected": k - first + 1}
            self.rows[k] |= {"x_m": float(self.truth[k][0, 3]) + off_m, "nvtl": 1.0, "aligned_error_m": off_m}
            self.rows[k] |= dict.fromkeys([*VARIANCE, "variance_z_m2", "covariance_by"], "")
        if recovered:
            self.rows[end] |= {"source": "searched", "search_attempt": 2, "search_found": "true"}
        return self

    def write(self, folder, left_out=(), columns=None):
        """left_out: names of files."""
        folder.mkdir(parents=True)
        columns = columns or [*TEXTS, *NUMBERS]
        lines = [",".join(columns)]
        lines += [",".join(f'"{r[c]}"' if c == "scan" else str(r[c]) for c in columns) for r in self.rows]
        texts = {"frames.csv": lines, "localization_truth.tum": self._tum(self.truth), "poses.tum": self._poses()}
        texts |= {"localization.json": [json.dumps(self._facts())], "diagnostics.jsonl": []}
        for name, content in texts.items():
            (folder / name).write_text("".join(line + "\n" for line in content))
        angles = np.linspace(0, 2 * np.pi, 500)
        write_pcd(folder / "localization_map.pcd", 60 * np.c_[np.cos(angles), np.sin(angles), 0 * angles])
        for name in left_out:
            (folder / name).unlink()
        return folder

    def _facts(self):
        return {
            "implementation": self.implementation,
            "runs_on": "CPU threads",
            "scans": self.scans,
            "scan_count": len(self.rows),
            "truth": {"quality": "exact", "exact": True, "accuracy_m": 0.0, "success_translation_m": 0.2, "success_rotation_deg": 1.0},
            "localizer": self.options,
            "align": {"profile": "pyramid", "max_iterations": 30},
            "environment": {"commit": "0" * 40, "cpu_model": "Made-up CPU"},
        }

    def _tum(self, poses):
        times = (k / RATE_HZ for k in range(len(poses)))
        return [" ".join(map(repr, (t, *map(float, p[:3, 3]), *map(float, quaternion_xyzw(p))))) for t, p in zip(times, poses)]

    def _poses(self):
        return ["# time_s x_m y_m z_m qx qy qz qw"] + [f"{r['stamp_s']} {r['x_m']} {r['y_m']} 0 0 0 0 1" for r in self.rows]
