"""environment.json and plan.json as lines of text for the page."""


def flat(value: dict, prefix="") -> list:
    """(name, text) of every leaf, nested names joined by dots; objects in a list are counted from 0."""
    if isinstance(value, dict):
        return [
            pair for key, inner in value.items() for pair in flat(inner, f"{prefix}.{key}" if prefix else key)
        ]
    if isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
        return [pair for i, entry in enumerate(value) for pair in flat(entry, f"{prefix}.{i}")]
    if isinstance(value, list):
        return [(prefix, ", ".join(str(v) for v in value) or "-")]
    return [(prefix, "-" if value is None else str(value))]


def plan_facts(plan: dict) -> list:
    """(name, text) of a plan without its jobs, which are counted, and without what was left out."""
    facts = flat({key: value for key, value in plan.items() if key not in ("jobs", "left_out")}, "plan")
    return facts + [("plan.jobs", str(len(plan["jobs"])))]


def left_out(plan: dict) -> list:
    """Sentences of what a preset names and this run could not do."""
    return [f"{entry['what']}: {entry['why']}" for entry in plan.get("left_out") or []]


def gpus(environment: dict) -> str:
    """The GPUs that implementations could use, e.g. "2 x NVIDIA H200"; empty if there was none or it is
    unknown."""
    cuda = environment.get("cuda") or {}
    if cuda.get("unavailable"):
        return ""
    names = [device["name"] for device in cuda.get("devices") or []]
    return ", ".join(
        name if names.count(name) == 1 else f"{names.count(name)} x {name}" for name in dict.fromkeys(names)
    )


def checkout(environment: dict) -> str:
    """How to get the run's source; empty if it is unknown."""
    commit = environment.get("commit") or ""
    clean = commit.removesuffix("-dirty")
    return f"git checkout {clean}" + ("      # had local changes" if clean != commit else "") if clean else ""
