"""environment.json and plan.json as rows of text for the page."""


def flat(value, prefix="") -> list:
    """(name, text) of every leaf, nested names joined by dots."""
    if isinstance(value, dict):
        return [pair for key, inner in value.items() for pair in flat(inner, f"{prefix}.{key}" if prefix else key)]
    if isinstance(value, list):
        return [(prefix, ", ".join(str(v) for v in value))]
    return [(prefix, "-" if value is None else str(value))]
