"""Every column of a run folder: its unit, its type, and when it may be null. load.py accepts these and nothing else."""

import math
from typing import NamedTuple

NEVER = "never"  # null is refused
ERROR = "with an error"  # null if the measurement failed, otherwise refused
MAY = "may be null"
LATER = "may be null, and is missing in runs made before there was such a column"


class Column(NamedTuple):
    name: str
    unit: str
    kind: str  # text, int, number, flag, matrix (16 numbers), numbers (a list), maybe numbers (or empty), or an object named below
    null: str
    meaning: str


ROW_COLUMNS = [
    Column("run_id", "", "text", NEVER, "of the run; the same in every line"),
    Column("job", "", "int", NEVER, "child process that made the measurement: a block of frames of one implementation"),
    Column("implementation", "", "text", NEVER, "row of implementations.json"),
    Column("dataset", "", "text", NEVER, "row of datasets.json"),
    Column("frame", "", "text", NEVER, "name of the scan; empty if the job failed before it"),
    Column("guess_name", "", "text", NEVER, "which initial guess of the frame"),
    Column("variant", "", "text", NEVER, "named set of options; autoware unless the preset names more"),
    Column("threads", "", "int", NEVER, "host threads the row was given"),
    Column(
        "poses",
        "",
        "int",
        LATER,
        "of a batch: one call, and one measurement; 1 where it is missing. iterations and evaluations are summed over its "
        "poses, align_us and traffic are the call's; pose and all else is the first pose's, which starts from guess",
    ),
    Column("resolution_m", "m", "number", NEVER, "voxel edge"),
    Column("points", "", "int", ERROR, "of the scan, after its preparation"),
    Column("map_points", "", "int", ERROR, "of the map, after its preparation"),
    Column("voxels", "", "int", ERROR, "of the map that have a distribution"),
    Column("guess", "", "matrix", ERROR, "map_from_scan before the alignment"),
    Column("guess_offset", "m, deg", "offset", MAY, "x_m, y_m, z_m, yaw_deg of a guess on a grid, in the truth's frame"),
    Column("truth", "", "matrix", MAY, "map_from_scan; null where nobody knows"),
    Column("pose", "", "matrix", ERROR, "map_from_scan that the implementation returned"),
    Column("stop", "", "text", ERROR, "why the alignment ended"),
    Column("iterations", "", "int", ERROR, "Newton steps"),
    Column("evaluations", "", "int", ERROR, "passes over the scan"),
    Column("correspondences", "", "int", ERROR, "point-voxel pairs at the returned pose"),
    Column("oscillation_count", "", "int", ERROR, "longest run of reversed steps"),
    Column("newton_fallbacks", "", "int", MAY, "steps with an indefinite Hessian; null if the library does not tell"),
    Column("score", "", "number", MAY, "sum over pairs at the returned pose; null if it is not finite"),
    Column("transform_probability", "", "number", MAY, "score / points"),
    Column("nvtl", "", "number", MAY, "nearest voxel transformation likelihood"),
    Column("build_us", "us", "number", ERROR, "set_map, once per job"),
    Column("align_us", "us", "numbers", ERROR, "every timed repeat, threads awake, caches warm"),
    Column(
        "align_after_idle_us", "us", "maybe numbers", ERROR, "repeats right after the threads had slept; empty if single"
    ),
    Column("timing", "", "text", ERROR, "settled, wall_cap (the cap came first) or single (not a timing measurement)"),
    Column("calibration_us", "us", "number", MAY, "a fixed one-thread workload, timed just before the repeats"),
    Column("peak_rss_bytes", "bytes", "int", MAY, "largest resident memory of the child process so far"),
    # Traffic of one timed alignment; null on CPU rows.
    Column("upload_bytes", "bytes", "int", MAY, "host to device"),
    Column("uploads", "", "int", LATER, "copies from host to device"),
    Column("download_bytes", "bytes", "int", MAY, "device to host"),
    Column("downloads", "", "int", LATER, "copies from device to host"),
    Column("launches", "", "int", MAY, "of kernels and graphs by the host"),
    Column("synchronisations", "", "int", MAY, "times the host waited for the device"),
    Column("allocations", "", "int", LATER, "of device and pinned memory: most of any alignment after the warm-up"),
    Column("peak_device_bytes", "bytes", "int", LATER, "largest device memory of the row so far, map and work space"),
    Column("translation_error_m", "m", "number", MAY, "of the pose against the truth; null without truth"),
    Column("rotation_error_deg", "deg", "number", MAY, "of the pose against the truth; null without truth"),
    Column(
        "trace", "", "trace", MAY, "per iteration, index 0 = the guess: score, nvtl, step_m, errors; null if not asked for"
    ),
    Column(
        "search",
        "",
        "search",
        LATER,
        "of a search for the initial pose, one measurement: SEARCH_COLUMNS; null for alignments and batches. guess is the prior's mean, "
        "iterations and evaluations are summed over the particles, align_us and traffic are the whole search's; pose and all "
        "that is said of it is the best particle's",
    ),
    Column("error", "", "text", MAY, "why there is no measurement; null if there is one"),
    Column("error_kind", "", "text", MAY, "exception, crash, timeout, memory or skipped (a batch that was too long to begin)"),
]

# The object `search` of a row. ERROR: null if the search failed.
SEARCH_COLUMNS = [
    Column("name", "", "text", NEVER, "of the setting, unique in a preset"),
    Column("strategy", "", "text", NEVER, "how the particles are aligned: one of STRATEGIES"),
    Column("method", "", "text", NEVER, "what proposes them: one of METHODS"),
    Column("particles", "", "int", NEVER, "alignments that a search shall make"),
    Column("startup", "", "int", NEVER, "of them before the method is guided by results"),
    Column("at_once", "", "int", NEVER, "proposals a round when guided; 1 unless batched_persistent"),
    Column("candidates", "", "int", LATER, "places considered for each guided proposal"),
    Column("reliable_nvtl", "", "number", LATER, "what the best particle's NVTL must exceed"),
    Column("seed", "", "int", NEVER, "of the proposals"),
    Column("sigma", "m, rad", "sigma", NEVER, "prior around guess: x, y, z, roll, pitch; yaw is uniform"),
    Column("best_particle", "", "int", ERROR, "index of the particle with the largest NVTL"),
    Column("reliable", "", "flag", ERROR, "its NVTL is above the threshold"),
    Column("ambiguous", "", "flag", ERROR, "another mode is nearly as good"),
    Column("interrupted", "", "text", LATER, "cancelled or timeout; null if all particles are finished"),
    Column("runner_up_ratio", "", "number", MAY, "NVTL of the best converged particle of another mode / the best; null without"),
    Column("runner_up_pose", "", "matrix", MAY, "of that particle"),
    Column("improvements", "us, m, deg", "improvements", ERROR, "every time the best so far changed, with its errors"),
    Column("paths", "m, rad", "paths", MAY, "x, y, yaw of every particle's start and end, and its NVTL; null if not asked for"),
]

IMPLEMENTATION_COLUMNS = [
    Column("name", "", "text", NEVER, "as in the rows"),
    Column("runs_on", "", "text", NEVER, "CPU threads, GPU, ..."),
    Column("schedule", "", "text", NEVER, "how it schedules the algorithm"),
    Column("note", "", "text", MAY, "how it differs"),
    Column("stop_rule", "", "text", MAY, "the rule it really applies"),
    Column("peer", "", "flag", NEVER, "another algorithm on the same data, not held to the oracle"),
    Column("one_thread", "", "flag", NEVER, "has one thread, whatever it is given"),
    Column("available", "", "flag", NEVER, "could run on this machine"),
    Column("reason", "", "text", MAY, "why not"),
]

DATASET_COLUMNS = [
    Column("name", "", "text", NEVER, "as in the rows"),
    Column("kind", "", "text", NEVER, "scan_to_map, sequence (each scan onto the one before) or pair"),
    Column("description", "", "text", NEVER, "one line"),
    Column("frames", "", "int", NEVER, "scans that were aligned"),
    Column("map_points", "", "int", MAY, "of the map; null if every frame has its own"),
    Column("resolution_m", "m", "number", NEVER, "voxel edge"),
    Column("preparation", "", "text", MAY, "filters applied to scan and map"),
    Column("truth_quality", "", "text", MAY, "how good the truth is; null without truth"),
    Column("truth_exact", "", "flag", MAY, "the truth is known exactly"),
    Column("truth_accuracy_m", "m", "number", MAY, "errors below this say nothing"),
    Column("success_translation_m", "m", "number", NEVER, "a pose no farther from the truth than this is a success"),
    Column("success_rotation_deg", "deg", "number", NEVER, "and turned no more than this"),
    Column("licence", "", "text", MAY, "of the data"),
    Column("source", "", "text", MAY, "where it comes from"),
    Column("fingerprint", "", "text", MAY, "checksum over the clouds as aligned"),
    Column("picture", "", "picture", MAY, "frame, and two PCD files: the map near the scan, and the scan"),
]

TIMINGS = ("settled", "wall_cap", "single")
ERROR_KINDS = ("exception", "crash", "timeout", "memory", "skipped")
OFFSET_KEYS = ("x_m", "y_m", "z_m", "yaw_deg")
TRACE_KEYS = ("score", "nvtl", "step_m", "translation_error_m", "rotation_error_deg")
PICTURE_KEYS = ("frame", "map", "scan")
STRATEGIES = ("sequential", "batched", "batched_persistent")
METHODS = ("tpe", "random", "grid")
IMPROVEMENT_KEYS = ("particle", "us", "nvtl", "translation_error_m", "rotation_error_deg")
PATH_KEYS = ("x0_m", "y0_m", "yaw0_rad", "x1_m", "y1_m", "yaw1_rad", "nvtl")


def _number(value) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _whole(value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _numbers(value) -> bool:
    return isinstance(value, list) and all(_number(v) for v in value)


def _trace(value) -> bool:
    if not isinstance(value, dict) or set(value) != set(TRACE_KEYS):
        return False
    lists = [v for v in value.values() if v is not None]
    entries_fit = all(isinstance(v, list) and all(e is None or _number(e) for e in v) for v in lists)
    return entries_fit and isinstance(value["step_m"], list) and all(len(v) == len(value["step_m"]) for v in lists)


def _improvement(value) -> bool:
    if not isinstance(value, dict) or set(value) != set(IMPROVEMENT_KEYS):
        return False
    errors = [value["translation_error_m"], value["rotation_error_deg"]]
    return _whole(value["particle"]) and all(_number(value[k]) for k in ("us", "nvtl")) and all(e is None or _number(e) for e in errors)


def _improvements(value) -> bool:
    """In the order in which they happened; several particles of a round end at the same time."""
    if not isinstance(value, list) or not all(_improvement(v) for v in value):
        return False
    return all(a["particle"] < b["particle"] and a["us"] <= b["us"] for a, b in zip(value, value[1:]))


_FITS = {
    "text": lambda v: isinstance(v, str),
    "int": _whole,
    "number": _number,
    "flag": lambda v: isinstance(v, bool),
    "matrix": lambda v: _numbers(v) and len(v) == 16,
    "numbers": lambda v: _numbers(v) and len(v) > 0,
    "maybe numbers": _numbers,
    "offset": lambda v: isinstance(v, dict) and set(v) == set(OFFSET_KEYS) and all(_number(e) for e in v.values()),
    "trace": _trace,
    "picture": lambda v: isinstance(v, dict)
    and set(v) == set(PICTURE_KEYS)
    and all(isinstance(e, str) for e in v.values()),
    "search": lambda v: isinstance(v, dict),  # complaint() looks into it
    "sigma": lambda v: _numbers(v) and len(v) == 5,
    "improvements": _improvements,
    "paths": lambda v: isinstance(v, list) and len(v) > 0 and all(_numbers(p) and len(p) == len(PATH_KEYS) for p in v),
}
_SAID = {
    "text": "text",
    "int": "a whole number",
    "number": "a finite number",
    "flag": "true or false",
    "matrix": "16 finite numbers, a row-major 4x4 matrix",
    "numbers": "a list of finite numbers, not empty",
    "maybe numbers": "a list of finite numbers",
    "offset": "an object of the numbers " + ", ".join(OFFSET_KEYS),
    "trace": "an object of equally long lists " + ", ".join(TRACE_KEYS),
    "picture": "an object of the texts " + ", ".join(PICTURE_KEYS),
    "search": "an object",
    "sigma": "5 finite numbers",
    "improvements": "a list, in order of particle and us, of objects " + ", ".join(IMPROVEMENT_KEYS),
    "paths": "a list, not empty, of lists " + ", ".join(PATH_KEYS),
}


def complaint(entry, columns, failed=False):
    """What is wrong with one parsed JSON object, or None. failed: it is a measurement with an error."""
    if not isinstance(entry, dict):
        return "not a JSON object"
    for name in entry:
        if name not in {c.name for c in columns}:
            return f"unknown key '{name}'"
    for column in columns:
        if column.name not in entry and column.null == LATER:
            continue
        if column.name not in entry:
            return f"key '{column.name}' is missing"
        value = entry[column.name]
        if value is None:
            if column.null == NEVER or (column.null == ERROR and not failed):
                return f"{column.name} is null"
        elif not _FITS[column.kind](value):
            return f"{column.name} is not {_SAID[column.kind]}"
        elif column.kind == "search" and (what := complaint(value, SEARCH_COLUMNS, failed) or _unknown_word(value)):
            return f"{column.name}: {what}"
    return None


def _unknown_word(search):
    for key, allowed in (("strategy", STRATEGIES), ("method", METHODS)):
        if search[key] not in allowed:
            return f"{key} is '{search[key]}', not one of {', '.join(allowed)}"
    return None
