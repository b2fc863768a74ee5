"""Every column of a run folder: its unit, its kind (kinds.py), and when it may be null. load.py accepts these
and nothing else. The run's own columns.json describes the columns of results.jsonl, and must hold REQUIRED."""

from typing import NamedTuple

from .kinds import FITS, SAID

NEVER = "never"  # null is refused
ERROR = "with an error"  # null if the measurement failed, otherwise refused
MAY = "may be null"
LATER = "may be null, and is missing in runs made before there was such a column"


class Column(NamedTuple):
    name: str
    unit: str
    kind: str  # of kinds.FITS
    null: str  # one of the four above
    meaning: str


def column_complaint(entry):
    """Returns what is wrong with one parsed entry of columns.json, or None."""
    if not isinstance(entry, dict) or set(entry) != set(Column._fields):
        return "not an object of " + ", ".join(Column._fields)
    if wrong := [key for key in Column._fields if not isinstance(entry[key], str)]:
        return f"{wrong[0]} is not text"
    if entry["kind"] not in FITS:
        return f"kind is '{entry['kind']}', not one of {', '.join(FITS)}"
    if entry["null"] not in (NEVER, ERROR, MAY, LATER):
        return f"null is '{entry['null']}', not one of {'; '.join((NEVER, ERROR, MAY, LATER))}"
    return None


# The columns that the report computes with: {(kind, unit, null): names}. A run's own columns.json has these, of those that came LATER
# maybe not all, and maybe more; a run without one has exactly these.
_REQUIRED = {
    ("text", "", NEVER): "run_id implementation dataset frame guess_name variant",
    ("int", "", NEVER): "job threads",
    ("number", "m", NEVER): "resolution_m",
    ("matrix", "", ERROR): "guess pose",
    ("text", "", ERROR): "stop timing",
    ("int", "", ERROR): "points map_points voxels iterations evaluations oscillation_count correspondences",
    ("number", "us", ERROR): "build_us",
    ("numbers", "us", ERROR): "align_us",
    ("maybe numbers", "us", ERROR): "align_after_idle_us",
    ("matrix", "", MAY): "truth",
    ("offset", "m, deg", MAY): "guess_offset",
    ("int", "", MAY): "newton_fallbacks launches synchronisations",
    ("number", "", MAY): "score transform_probability nvtl",
    ("number", "us", MAY): "calibration_us",
    ("int", "bytes", MAY): "peak_rss_bytes upload_bytes download_bytes",
    ("number", "m", MAY): "translation_error_m",
    ("number", "deg", MAY): "rotation_error_deg",
    ("trace", "", MAY): "trace",
    ("text", "", MAY): "error error_kind",
    ("int", "", LATER): "poses uploads downloads allocations exchanges barriers",
    ("text", "", LATER): "density verdict solver",
    ("number", "Hz", LATER): "rate_hz",
    ("number", "ms", LATER): "announced_ms",
    ("number", "voxels", LATER): "grid_shift",
    ("number", "us", LATER): "prepare_us",
    ("int", "bytes", LATER): "peak_device_bytes",
    ("search", "", LATER): "search",
}
REQUIRED = [Column(name, unit, kind, null, "") for (kind, unit, null), names in _REQUIRED.items() for name in names.split()]

# Counts of the NDT that peers from outside do not have: null without an error too, since there are such peers.
NOT_OF_PEERS = ("voxels", "iterations", "evaluations", "oscillation_count", "correspondences")

# The object `search` of a measurement. ERROR: null if the search failed.
SEARCH_COLUMNS = [
    Column("name", "", "text", NEVER, "of the setting, unique in a preset"),
    Column("strategy", "", "text", NEVER, "how the particles are aligned: one of STRATEGIES"),
    Column("method", "", "text", NEVER, "what proposes them: one of METHODS"),
    Column("particles", "", "int", NEVER, "alignments that a search shall make; 0 of a peer's own"),
    Column("startup", "", "int", NEVER, "of them before the method is guided by results"),
    Column("at_once", "", "int", NEVER, "proposals a round when guided; 1 unless the strategy makes rounds"),
    Column("candidates", "", "int", LATER, "places considered for each guided proposal"),
    Column("reliable_nvtl", "", "number", LATER, "what the best particle's NVTL must exceed; null if none is known"),
    Column("reliable_matched", "", "number", LATER, "what matched must exceed; null if that is not known"),
    Column("seed", "", "int", NEVER, "of the proposals"),
    Column("prior", "", "text", LATER, "map: anywhere in the map; pose or null: about guess, as sigma tells"),
    Column("sigma", "m, rad", "sigma", NEVER, "prior around guess: x, y, z, roll, pitch; yaw is uniform"),
    Column("best_particle", "", "int", ERROR, "index of the best that came to rest"),
    Column("reliable", "", "flag", MAY, "the verdict is reliable; null if it is unknown"),
    Column("ambiguous", "", "flag", ERROR, "the verdict is ambiguous"),
    Column("verdict", "", "text", LATER, "reliable, ambiguous, not_found or unknown; null of a peer"),
    Column("doubts", "", "text", LATER, "what speaks against the answer; null if nothing does"),
    Column("overlap", "", "number", LATER, "share of the scan's points with a voxel at the answer"),
    Column("matched", "", "number", LATER, "share of the scan's points that match the map at the answer"),
    Column("spread_m", "m", "number", LATER, "how far from the answer alignments from beside it end at most"),
    Column("spread_deg", "deg", "number", LATER, "the same of the rotation"),
    Column("agreeing", "", "int", LATER, "proposed particles that came to the answer's mode"),
    Column("seen_through", "", "number", LATER, "share of the map's points in the way of the scan's rays that it looks through"),
    Column("unmapped", "", "number", LATER, "share of the scan's points that stand before all that the map has there"),
    Column("interrupted", "", "text", LATER, "cancelled or timeout; null if all particles are finished"),
    Column("place_cell_m", "m", "number", LATER, "edge of the coarse score's cells; null, as the next five, unless method anywhere"),
    Column("pyramid_us", "us", "number", LATER, "time of building the map's pyramid, once per map, no part of the search's"),
    Column("pyramid_bytes", "bytes", "int", LATER, "memory of the pyramid"),
    Column("coarse_us", "us", "number", LATER, "part of the search's time in which places were looked for"),
    Column("coverage", "", "number", LATER, "share of the prior's lattice that was scored or excluded"),
    Column("places", "", "int", LATER, "places that were found and aligned"),
    Column(
        "runner_up_ratio",
        "",
        "number",
        MAY,
        "how good the best particle of another mode is beside the answer, which has 1; null without",
    ),
    Column("runner_up_pose", "", "matrix", MAY, "of that particle"),
    Column(
        "improvements",
        "us, m, deg",
        "improvements",
        ERROR,
        "every time the best so far changed, with its errors",
    ),
    Column(
        "paths",
        "m, rad",
        "paths",
        MAY,
        "x, y, yaw of every particle's start and end, and its NVTL; null if not asked for",
    ),
]

IMPLEMENTATION_COLUMNS = [
    Column("name", "", "text", NEVER, "as in the measurements"),
    Column("runs_on", "", "text", NEVER, "CPU threads, GPU, ..."),
    Column("schedule", "", "text", NEVER, "how it schedules the algorithm"),
    Column("note", "", "text", MAY, "how it differs"),
    Column("stop_rule", "", "text", MAY, "the rule it applies"),
    Column("peer", "", "flag", NEVER, "another algorithm on the same data, not held to the oracle"),
    Column("own", "", "flag", LATER, "the user's own peer, from the folder that NDT_PEERS names"),
    Column("one_thread", "", "flag", NEVER, "has one thread, whatever it is given"),
    Column("available", "", "flag", NEVER, "could run on this machine"),
    Column("reason", "", "text", MAY, "why not"),
    Column(
        "oracle",
        "",
        "flag",
        LATER,
        "all others are compared with it; where it is missing, the first entry is",
    ),
    Column(
        "budget", "", "budget", LATER, "what one alignment may do at most, as counted; null without a promise"
    ),
]

DATASET_COLUMNS = [
    Column("name", "", "text", NEVER, "as in the measurements"),
    Column("kind", "", "text", NEVER, "scan_to_map, sequence (each scan onto the one before), pair, split (halves of scans) or no_pose (every pose is wrong)"),
    Column("description", "", "text", NEVER, "one line"),
    Column("frames", "", "int", NEVER, "scans that were aligned"),
    Column("map_points", "", "int", MAY, "of the map; null if every frame has its own"),
    Column("resolution_m", "m", "number", NEVER, "voxel edge"),
    Column("preparation", "", "text", MAY, "filters applied to scan and map"),
    Column("truth_quality", "", "text", MAY, "how good the truth is; null without truth"),
    Column("truth_exact", "", "flag", MAY, "the truth is known exactly"),
    Column("truth_accuracy_m", "m", "number", MAY, "errors below this say nothing"),
    Column(
        "success_translation_m",
        "m",
        "number",
        NEVER,
        "a pose no farther from the truth than this is a success",
    ),
    Column("success_rotation_deg", "deg", "number", NEVER, "and turned no more than this"),
    Column("licence", "", "text", MAY, "of the data"),
    Column("source", "", "text", MAY, "where it comes from"),
    Column("fingerprint", "", "text", MAY, "checksum over the clouds as aligned"),
    Column("picture", "", "picture", MAY, "frame, and two PCD files: the map near the scan, and the scan"),
]

# The keys that the report reads of these files, which hold more.
ENVIRONMENT_COLUMNS = [
    Column("run_id", "", "text", NEVER, "as in the measurements"),
    Column("commit", "", "text", LATER, "of the source, with -dirty where that had local changes"),
    Column("command_line", "", "text", LATER, "that made the run"),
    Column("build_type", "", "text", LATER, "of CMake"),
    Column("sanitizers", "", "text", LATER, "of the build"),
    Column("cpu_model", "", "text", LATER, ""),
    Column("cores", "", "int", LATER, ""),
    Column("load_average_1_min", "", "number", LATER, "when the run began"),
    Column("cuda", "", "cuda", LATER, "unavailable (why not, or null), devices"),
]
PLAN_COLUMNS = [
    Column("run_id", "", "text", LATER, "as in the measurements"),
    Column("preset", "", "text", NEVER, "what was planned"),
    Column("left_out", "", "left out", LATER, "what the preset names and the run could not do, and why"),
    Column("jobs", "", "jobs", NEVER, "with their number and how many rows they were to give"),
    Column("shard", "", "shard", LATER, "the parts of the plan that were run here, and their jobs"),
]

TIMINGS = ("settled", "wall_cap", "single")
ERROR_KINDS = ("exception", "crash", "timeout", "memory", "skipped")
OWN = "own"  # strategy and method of a peer's search: what it does is not known
STRATEGIES = ("sequential", "batched", "batched_persistent", OWN)
METHODS = ("tpe", "random", "grid", "anywhere", OWN)
PRIORS = (None, "pose", "map")


class Complaints:
    """Says what is wrong with parsed JSON objects that have these columns. others: there may be more keys."""

    def __init__(self, columns, others=False):
        self.columns, self.names, self.others = columns, {c.name for c in columns}, others

    def of(self, entry, failed=False):
        """None if all is right. failed: it is a measurement with an error."""
        if not isinstance(entry, dict):
            return "not a JSON object"
        if not self.others and not entry.keys() <= self.names:
            return f"unknown key '{next(name for name in entry if name not in self.names)}'"
        for column in self.columns:
            if column.name not in entry:
                if column.null == LATER:
                    continue
                return f"key '{column.name}' is missing"
            value = entry[column.name]
            if value is None:
                if column.null == NEVER or (column.null == ERROR and not failed):
                    return f"{column.name} is null"
            elif what := _wrong(column, value, failed):
                return what
        return None


_SEARCH = Complaints(SEARCH_COLUMNS)


def _wrong(column, value, failed):
    if not FITS[column.kind](value):
        return f"{column.name} is not {SAID[column.kind]}"
    if column.kind == "search" and (what := _SEARCH.of(value, failed) or _unknown_word(value)):
        return f"{column.name}: {what}"
    if column.unit == "us" and isinstance(value, list) and min(value, default=1) <= 0:
        return f"{column.name} holds a time that is not above 0"
    return None


def _unknown_word(search):
    for key, allowed in (("strategy", STRATEGIES), ("method", METHODS)):
        if search[key] not in allowed:
            return f"{key} is '{search[key]}', not one of {', '.join(allowed)}"
    if search.get("prior") not in PRIORS:
        return f"prior is '{search['prior']}', not one of {', '.join(PRIORS[1:])}"
    return None
