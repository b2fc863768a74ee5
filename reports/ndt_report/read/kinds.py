"""The kinds of values in a run folder, and what a value of each must be."""

MOST = 1e30  # of a number's size: sums of squares stay finite
MOST_WHOLE = 2**64
MOST_TEXT = 1 << 16  # characters
OFFSET_KEYS = ("x_m", "y_m", "z_m", "yaw_deg")
TRACE_KEYS = ("score", "nvtl", "step_m", "translation_error_m", "rotation_error_deg")
TRUST_REGION_KEYS = ("level", "radius_m")  # of a trace, beside the others, with that step control
PICTURE_KEYS = ("frame", "map", "scan")
IMPROVEMENT_KEYS = ("particle", "us", "nvtl", "translation_error_m", "rotation_error_deg")
PATH_KEYS = ("x0_m", "y0_m", "yaw0_rad", "x1_m", "y1_m", "yaw1_rad", "nvtl")
# The most that one alignment may do; null if nothing is promised. A round is an iteration, or a line search
# that ended without a step: the host may wait for the end of each.
BUDGET_KEYS = (
    "launches",
    "waits",
    "bytes_per_iteration",
    "bytes_per_round",
    "final_download_bytes",
    "allocations",
)


def _number(value) -> bool:
    return type(value) in (float, int) and -MOST <= value <= MOST


def _whole(value) -> bool:
    return type(value) is int and 0 <= value < MOST_WHOLE


def _numbers(value) -> bool:
    """Types and bounds are asked of all at once: a run holds millions."""
    if not isinstance(value, list) or not set(map(type, value)) <= {float, int}:
        return False
    return not value or (-MOST <= min(value) and max(value) <= MOST)


def _matrix(value) -> bool:
    return _numbers(value) and len(value) == 16


def _offset(value) -> bool:
    return (
        isinstance(value, dict) and set(value) == set(OFFSET_KEYS) and all(_number(e) for e in value.values())
    )


def _picture(value) -> bool:
    return (
        isinstance(value, dict)
        and set(value) == set(PICTURE_KEYS)
        and all(isinstance(e, str) for e in value.values())
    )


def _paths(value) -> bool:
    if not isinstance(value, list) or not value:
        return False
    return all(_numbers(path) and len(path) == len(PATH_KEYS) for path in value)


def _trace(value) -> bool:
    if not isinstance(value, dict) or set(value) - set(TRUST_REGION_KEYS) != set(TRACE_KEYS):
        return False
    lists = [v for v in value.values() if v is not None]
    entries_fit = all(isinstance(v, list) and all(e is None or _number(e) for e in v) for v in lists)
    return (
        entries_fit
        and isinstance(value["step_m"], list)
        and all(len(v) == len(value["step_m"]) for v in lists)
    )


def _improvement(value) -> bool:
    if not isinstance(value, dict) or set(value) != set(IMPROVEMENT_KEYS):
        return False
    errors = [value["translation_error_m"], value["rotation_error_deg"]]
    known = _whole(value["particle"]) and all(_number(value[k]) for k in ("us", "nvtl"))
    return known and all(e is None or _number(e) for e in errors)


def _improvements(value) -> bool:
    """In the order in which they happened; several particles of a round end at the same time."""
    if not isinstance(value, list) or not all(_improvement(v) for v in value):
        return False
    return all(a["particle"] < b["particle"] and a["us"] <= b["us"] for a, b in zip(value, value[1:]))


def _budget(value) -> bool:
    if not isinstance(value, dict) or set(value) != set(BUDGET_KEYS):
        return False
    return all(most is None or (_number(most) and most >= 0) for most in value.values())


def _objects_of_texts(value, keys) -> bool:
    """A list of objects that have these keys with texts, and maybe more."""
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        return False
    return all(isinstance(entry.get(key), str) for entry in value for key in keys)


def _cuda(value) -> bool:
    return isinstance(value, dict) and _objects_of_texts(value.get("devices", []), ["name"])


def _shard(value) -> bool:
    if not isinstance(value, dict) or set(value) != {"parts", "of", "jobs"} or not _whole(value["of"]):
        return False
    lists = [value["parts"], value["jobs"]]
    return all(isinstance(v, list) and all(_whole(e) for e in v) for v in lists)


FITS = {
    "text": lambda v: isinstance(v, str) and len(v) <= MOST_TEXT,
    "int": _whole,
    "number": _number,
    "flag": lambda v: isinstance(v, bool),
    "matrix": _matrix,
    "numbers": lambda v: _numbers(v) and len(v) > 0,
    "maybe numbers": _numbers,
    "offset": _offset,
    "trace": _trace,
    "picture": _picture,
    "search": lambda v: isinstance(v, dict),  # columns.py looks into it
    "budget": _budget,
    "sigma": lambda v: _numbers(v) and len(v) == 5,
    "improvements": _improvements,
    "paths": _paths,
    "cuda": _cuda,
    "left out": lambda v: _objects_of_texts(v, ["what", "why"]),
    "jobs": lambda v: isinstance(v, list),  # load.py looks into it
    "shard": _shard,
}
SAID = {
    "text": f"text of at most {MOST_TEXT} characters",
    "int": "a whole number of 0 or more, below 2^64",
    "number": f"a finite number of at most {MOST:g}",
    "flag": "true or false",
    "matrix": "16 finite numbers, a row-major 4x4 matrix",
    "numbers": "a list of finite numbers, not empty",
    "maybe numbers": "a list of finite numbers",
    "offset": "an object of the numbers " + ", ".join(OFFSET_KEYS),
    "trace": "an object of equally long lists " + ", ".join(TRACE_KEYS),
    "picture": "an object of the texts " + ", ".join(PICTURE_KEYS),
    "search": "an object",
    "budget": "an object of numbers or null " + ", ".join(BUDGET_KEYS),
    "sigma": "5 finite numbers",
    "improvements": "a list, in order of particle and us, of objects " + ", ".join(IMPROVEMENT_KEYS),
    "paths": "a list, not empty, of lists " + ", ".join(PATH_KEYS),
    "cuda": "an object with a list `devices` of objects with a name",
    "left out": "a list of objects with the texts what and why",
    "jobs": "a list",
    "shard": "an object of parts, of and jobs",
}
