"""environment.json and plan.json as rows of text for the page."""


def flat(value, prefix="") -> list:
    """(name, text) of every leaf, nested names joined by dots."""
    if isinstance(value, dict):
        return [pair for key, inner in value.items() for pair in flat(inner, f"{prefix}.{key}" if prefix else key)]
    if isinstance(value, list):
        return [(prefix, ", ".join(str(v) for v in value))]
    return [(prefix, "-" if value is None else str(value))]


def plan_facts(plan: dict) -> list:
    """(name, text) of a plan without its jobs, which are counted, and without what was left out."""
    facts = flat({key: value for key, value in plan.items() if key not in ("jobs", "left_out")}, "plan")
    return facts + [("plan.jobs", str(len(plan["jobs"])))]


def left_out(plan: dict) -> list:
    """Sentences of what a preset names and this run could not do."""
    return [f"{entry['what']}: {entry['why']}" for entry in plan.get("left_out", [])]


def checkout(environment: dict) -> str:
    """How to get the run's source; empty if nobody knows."""
    commit = environment.get("commit") or ""
    clean = commit.removesuffix("-dirty")
    return f"git checkout {clean}" + ("      # had local changes" if clean != commit else "") if clean else ""
