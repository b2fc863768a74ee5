"""localize as its tests call it, and the files that it writes, checked as they are read."""

import csv
import json
import math
import shutil

from conftest import bench

COLUMNS = ["frame", "scan", "stamp_s", "verdict", "reason", "source", "x_m", "y_m", "z_m", "roll_rad", "pitch_rad", "yaw_rad",
           "predicted_by", "sweep_s", "sweep_moved_m", "sweep_turned_deg", "sweep_again", "stop", "iterations", "oscillations", "nvtl", "transform_probability", "nvtl_before",
           "transform_probability_before", "moved_m", "condition_number", "surface_condition_number", "push_sigmas", "finish_step_m",
           "finish_score", "spread_m", "spread_deg", "seen_through", "unmapped", "no_ground_nvtl", "no_ground_transform_probability", "rejected", "search_attempt", "search_found",
           "search_nvtl", "covariance_by", "variance_x_m2", "covariance_xy_m2", "variance_y_m2", "variance_z_m2",
           "variance_roll_rad2", "variance_pitch_rad2", "variance_yaw_rad2", "filter_ms", "prediction_ms", "before_ms", "align_ms",
           "neighbours_ms", "no_ground_ms", "sight_ms", "search_ms", "covariance_ms", "verdict_ms", "execution_ms", "diagnostics_ms", "frame_ms",
           "map_tiles", "map_swap_us", "map_waited_ms", "error_m", "error_deg", "error_x_m", "error_y_m", "error_z_m", "error_along_m", "error_across_m", "error_up_m",
           "error_yaw_deg", "aligned_error_m", "aligned_error_deg"]

NULL, NUMBER, WHOLE, TEXT, FLAG, LIST = type(None), (int, float), int, str, bool, list
# Autoware's keys of scan_matching_status, then those of this project alone. In their order.
AUTOWARE = {
    "topic_time_stamp": [NUMBER], "sensor_points_size": [WHOLE], "sensor_points_delay_time_sec": [NULL],
    "sensor_points_max_distance": [NUMBER], "is_succeed_transform_sensor_points": [FLAG], "is_activated": [FLAG],
    "is_succeed_interpolate_initial_pose": [FLAG], "is_set_map_points": [FLAG], "iteration_num": [WHOLE, NULL],
    "local_optimal_solution_oscillation_num": [WHOLE, NULL], "transform_probability": [NUMBER, NULL],
    "transform_probability_before": [NUMBER, NULL], "transform_probability_diff": [NUMBER, NULL],
    "nearest_voxel_transformation_likelihood": [NUMBER, NULL], "nearest_voxel_transformation_likelihood_before": [NUMBER, NULL],
    "nearest_voxel_transformation_likelihood_diff": [NUMBER, NULL], "distance_initial_to_result": [NUMBER, NULL],
    "execution_time": [NUMBER], "skipping_publish_num": [WHOLE],
}
REAL_TIME = AUTOWARE | {"sensor_points_delay_time_sec": [NUMBER]}
SCHEMA = {"frame": [WHOLE], "scan": [TEXT], "level": [TEXT], "messages": [LIST], **AUTOWARE, "dropped_before": [WHOLE],
          "verdict": [TEXT], "reason": [TEXT], "source": [TEXT], "pose_xyz_m": [LIST], "pose_rpy_rad": [LIST],
          "covariance": [LIST, NULL], "covariance_by": [TEXT, NULL], "aligned": [dict, NULL], "multi_ndt": [LIST, NULL],
          "predicted_by": [TEXT], "predicted_xyz_m": [LIST], "predicted_rpy_rad": [LIST],
          "odometry": [dict, NULL], "odometry_miss": [TEXT], "gnss_miss": [TEXT], "gnss_beside_m": [NUMBER, NULL],
          "no_returns": [dict], "same_bytes": [WHOLE], "regularisation_xy_m": [LIST, NULL], "stop": [TEXT, NULL],
          "condition_number": [NUMBER, NULL], "surface_condition_number": [NUMBER, NULL], "push_sigmas": [NUMBER, NULL],
          "finish_step_m": [NUMBER, NULL], "finish_score": [NUMBER, NULL], "spread_m": [NUMBER, NULL], "spread_deg": [NUMBER, NULL],
          "seen_through": [NUMBER, NULL], "unmapped": [NUMBER, NULL], "no_ground_points_transform_probability": [NUMBER, NULL],
          "no_ground_points_nearest_voxel_transformation_likelihood": [NUMBER, NULL], "recovery": [dict, NULL],
          "map_update": [NULL]}
RECOVERY = {"attempt": [WHOLE], "prior_xyz_m": [LIST], "prior_sigma": [LIST], "particles": [WHOLE], "done": [WHOLE], "planned": [WHOLE], "found": [FLAG],
            "reliable": [FLAG, NULL], "nvtl": [NUMBER, NULL], "stop": [TEXT], "ambiguous": [FLAG], "runner_up_ratio": [NUMBER],
            "interrupted": [TEXT, NULL], "distance_prior_to_best_m": [NUMBER], "spread_m": [NUMBER, NULL],
            "spread_deg": [NUMBER, NULL]}
LEVELS = ["OK", "WARN", "ERROR"]


def check(record, schema):
    assert list(record) == list(schema)
    for key, kinds in schema.items():
        value = record[key]
        fits = any(isinstance(value, kind) and (kind is FLAG or not isinstance(value, bool)) for kind in kinds)
        assert fits, f"{key} = {value!r}"


def check_diagnostics(record, schema=SCHEMA):
    check(record, schema)
    assert record["level"] in LEVELS and (record["level"] == "OK") == (record["messages"] == [])
    assert (record["level"] == "ERROR") == (record["verdict"] == "lost")
    assert len(record["pose_xyz_m"]) == len(record["pose_rpy_rad"]) == 3
    assert record["covariance"] is None or len(record["covariance"]) == 36
    assert (record["covariance"] is None) == (record["covariance_by"] is None) == (record["source"] == "predicted")
    if record["recovery"] is not None:
        check(record["recovery"], RECOVERY)


class Folder:
    def __init__(self, path):
        self.tum = [line.split() for line in (path / "poses.tum").read_text().splitlines() if line[0] != "#"]
        self.kitti = [line.split() for line in (path / "poses_kitti.txt").read_text().splitlines()]
        with open(path / "frames.csv", newline="") as file:
            rows = csv.DictReader(file)
            self.frames = list(rows)
            assert rows.fieldnames == COLUMNS
        self.diagnostics = [json.loads(line) for line in (path / "diagnostics.jsonl").read_text().splitlines()]

    def without_times(self):
        frames = [{k: v for k, v in f.items() if not k.endswith(("_ms", "_us"))} for f in self.frames]
        return self.tum, self.kitti, frames


def localize(scans, out, *args, code=0):
    done = bench("localize", "--scans", scans, "--out", out, "--implementation", "persistent_cpu", *args, code=code)
    return Folder(out), done


def folder_of(town, folder, names):
    folder.mkdir()
    for name, scan in zip(names, sorted((town / "scans").iterdir())):
        shutil.copy(scan, folder / name)
    return folder


def start_in(town):
    start = (town / "truth.tum").read_text().splitlines()[1].split()
    yaw = 2 * math.asin(float(start[6]))
    return ["--map", town / "map.pcd", "--init", f"{start[1]},{start[2]},{start[3]},0,0,{yaw}", "--scan-voxel-leaf", 1]
