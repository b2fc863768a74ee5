"""The diagnostics of Autoware's node ndt_scan_matcher: its six statuses, with its keys and its conditions for each level. Beside them the
status of the monitor that watches the node's execution times."""

from collections import deque
from typing import NamedTuple

import numpy as np

NODE, MONITOR = "ndt_scan_matcher", "topic_state_monitor"
SCAN_KEYS = ("topic_time_stamp", "sensor_points_size", "sensor_points_delay_time_sec", "is_succeed_transform_sensor_points",
             "sensor_points_max_distance", "is_activated", "is_succeed_interpolate_initial_pose", "is_set_map_points", "iteration_num",
             "local_optimal_solution_oscillation_num", "transform_probability", "nearest_voxel_transformation_likelihood",
             "transform_probability_diff", "transform_probability_before", "nearest_voxel_transformation_likelihood_diff",
             "nearest_voxel_transformation_likelihood_before", "distance_initial_to_result", "execution_time", "skipping_publish_num")
SCORES = {"nvtl": "nearest_voxel_transformation_likelihood", "transform_probability": "transform_probability"}
MAP_PERIOD_NS = 10**9  # of the node's timer
WINDOW, WARN_HZ, ERROR_HZ, TIMEOUT_S = 10, 5, 1, 1  # of the monitor, as driving_log_replayer_v2 sets it


class Status(NamedTuple):
    name: str
    level: str
    message: str
    values: dict
    hardware: str = NODE


class NodeStatuses:
    """Makes the statuses of one recording, scan after scan."""

    def __init__(self, setting):
        self._setting = setting
        self._map_centre, self._map_told_ns = None, None
        self._triggered = False
        self._executed_ns = deque(maxlen=WINDOW)

    def of(self, time_ns, result):
        record = result.diagnostics
        if not self._triggered:
            self._triggered = True
            yield _status("trigger_node_service", {"service_call_time_stamp": time_ns, "is_activated": True, "is_succeed_service": True})
        yield _status("initial_pose_subscriber", {"topic_time_stamp": time_ns, "is_activated": True, "is_expected_frame_id": True})
        if record["regularisation_xy_m"] is not None or record["gnss_miss"] == "contradicts":
            yield _status("regularization_pose_subscriber", {"topic_time_stamp": time_ns})
        yield from self._map(time_ns, result)
        if record["recovery"] is not None:
            yield self._search(time_ns, record)
        values = record | {"topic_time_stamp": time_ns}
        yield _status("scan_matching", {key: values[key] for key in SCAN_KEYS if values[key] is not None}, self._doubts(result))
        yield self._monitor(time_ns, record)

    def _doubts(self, result):
        """The warnings of the node, with its bounds."""
        record, setting, localizer = result.diagnostics, self._setting, self._setting["localizer"]
        score, least = record[SCORES[localizer["score"]]], localizer["least_score"]
        distance, iterations = record["distance_initial_to_result"], record["iteration_num"]
        checks = [
            (record["sensor_points_size"] == 0, "the scan has no points"),
            (_above(record["sensor_points_delay_time_sec"], setting["points_timeout_s"]), "the points came too late"),
            (record["sensor_points_max_distance"] < localizer["required_range"], "the points reach less than the required distance"),
            (not record["is_succeed_interpolate_initial_pose"], "no initial pose could be interpolated"),
            (self._is_outside(result, self._map_centre), "the scanner has left the range of the map"),
            (iterations is not None and iterations >= setting["align"]["max_iterations"], "the iterations reached their limit"),
            (_above(record["local_optimal_solution_oscillation_num"], localizer["oscillations"]), "the solution oscillates"),
            (None not in (score, least) and not score > least, f"the score {score} is not above {least}"),
            (_above(distance, localizer["jump"]), f"the result is {distance} m from the initial pose"),
            (_above(record["execution_time"], setting["critical_ms"]), f"it took {record['execution_time']} ms"),
            (record["skipping_publish_num"] >= localizer["lost_after"], f"{record['skipping_publish_num']} scans in a row were rejected")]
        return [("WARN", message) for holds, message in checks if holds]

    def _is_outside(self, result, centre):
        following = self._setting["map_following"]
        return following is not None and self._distance(result, centre) + following["lidar_radius"] > following["map_radius"]

    @staticmethod
    def _distance(result, centre):
        return float(np.linalg.norm(result.predicted[:2, 3] - centre))

    def _map(self, time_ns, result):
        """The status of the node's timer: once a second, and with every update."""
        if self._setting["map_following"] is None:
            return
        update = result.diagnostics["map_update"]
        centre = result.predicted[:2, 3] if self._map_centre is None else self._map_centre
        self._map_centre = centre if update is None else np.array(update["centre_m"])
        if update is None and self._map_told_ns is not None and time_ns - self._map_told_ns < MAP_PERIOD_NS:
            return
        self._map_told_ns = time_ns
        behind, failed = self._is_outside(result, centre), update is not None and not update["in_force"]
        values = {"timer_callback_time_stamp": time_ns, "is_activated": True, "is_set_last_update_position": True,
                  "distance_last_update_position_to_current_position": self._distance(result, centre)}
        if update is not None:
            values |= _of_update(update, behind)
        yield _status("map_update", values, [("ERROR", "the map does not keep up with the vehicle")] * behind +
                      [("WARN", f"the map could not be read: {update and update['error']}")] * failed)

    @staticmethod
    def _search(time_ns, record):
        recovery = record["recovery"]
        values = {"service_call_time_stamp": time_ns, "is_succeed_transform_initial_pose": True, "is_set_map_points": True,
                  "is_set_sensor_points": record["sensor_points_size"] > 0, "best_particle_score": recovery["nvtl"],
                  "is_succeed_service": recovery["found"]}
        return _status("ndt_align_service", {key: value for key, value in values.items() if value is not None},
                       [("WARN", "the search found no pose")] * (not recovery["found"]))

    def _monitor(self, time_ns, record):
        if record["aligned"] is not None:
            self._executed_ns.append(time_ns)
        times = self._executed_ns
        hertz = (len(times) - 1) * 1e9 / (times[-1] - times[0]) if len(times) > 1 else None
        if not times:
            status, level = "NotReceived", "ERROR"
        elif time_ns - times[-1] > TIMEOUT_S * 10**9:
            status, level = "Timeout", "ERROR"
        elif hertz is not None and hertz < WARN_HZ:
            status, level = ("ErrorRate", "ERROR") if hertz < ERROR_HZ else ("WarnRate", "WARN")
        else:
            status, level = "OK", "OK"
        values = {"topic": "/localization/pose_estimator/exe_time_ms", "status": status, "warn_rate": f"{WARN_HZ:.2f} [Hz]",
                  "error_rate": f"{ERROR_HZ:.2f} [Hz]", "timeout": f"{TIMEOUT_S:.2f} [s]"}
        if hertz is not None:
            values["measured_rate"] = f"{hertz:.2f} [Hz]"
        message = {"OK": "OK", "WARN": "Warn", "ERROR": "Error"}[level]
        return Status(f"{MONITOR}_{NODE}_exe_time: localization_topic_status", level, message, values, MONITOR)


def _status(name, values, doubts=()):
    """doubts: (level, message) of each. The gravest level is that of the status."""
    level = max((level for level, _ in doubts), key=("OK", "WARN", "ERROR").index, default="OK")
    values = {key: str(value) for key, value in values.items()}
    return Status(f"{NODE}: {name}_status", level, "; ".join(message for _, message in doubts), values)


def _above(value, bound):
    return value is not None and value > bound


def _of_update(update, behind):
    return {"is_need_rebuild": behind, "maps_size_before": update["tiles"] - update["added"] + update["removed"],
            "is_succeed_call_pcd_loader": update["in_force"], "maps_to_add_size": update["added"], "maps_to_remove_size": update["removed"],
            "map_update_execution_time": (update["read_ms"] or 0) + (update["build_ms"] or 0), "maps_size_after": update["tiles"],
            "is_updated_map": update["in_force"] and update["added"] + update["removed"] > 0}
