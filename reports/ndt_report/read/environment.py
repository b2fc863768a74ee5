"""environment.json and plan.json as lines of text for the page."""

import os
import re
import shlex

from .files import archive_of


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
    facts = flat({key: value for key, value in plan.items() if key not in ("jobs", "left_out", "shard")}, "plan")
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


def known_commit(environment: dict) -> tuple:
    """(commit, whether it had local changes); ("", False) if it is unknown. What else a folder from elsewhere
    may hold there is no line for a shell."""
    commit = str(environment.get("commit") or "")
    clean = commit.removesuffix("-dirty")
    return (clean, clean != commit) if re.fullmatch(r"[0-9a-f]{7,40}", clean) else ("", False)


def redo(run) -> str:
    """Lines for a shell, in the folder where this report was asked for: the run's source and program, the
    same plan again, its report, and both runs compared. A program that lies elsewhere is taken as it is: the
    folder need not be a checkout of its source."""
    program = _program(run.environment.get("command_line") or "")
    folder = _from_here(run.folder)
    again = folder + "-again"
    archive = archive_of(run.folder / "plan.json")
    plan = os.path.relpath(run.folder / "plan.json", archive.parent) if archive else os.path.join(folder, "plan.json")
    commands = [[program, "run", "--plan", plan, "--out", again], [program, "report", again], [program, "compare", folder, again]]
    lines = _source(program, *known_commit(run.environment))
    lines += [shlex.join(["tar", "-xf", _from_here(archive), plan])] if archive else []
    return "\n".join(lines + [shlex.join(command) for command in commands])


def _program(command: str) -> str:
    try:
        return (shlex.split(command) or ["ndt-bench"])[0]
    except ValueError:  # no closing quotation: the file was edited
        return "ndt-bench"


def _from_here(folder) -> str:
    """As short as it can be written, without what would be an option."""
    inside = os.path.relpath(folder)
    text = os.path.abspath(folder) if inside.startswith("..") or inside == "." else inside
    return "./" + text if text.startswith("-") else text


def _source(program: str, commit: str, changed: bool) -> list:
    """How the program is checked out and built, if it lies where a preset of the project puts it; else what it
    was built from."""
    if not commit:
        return []
    changes = "      # had local changes" if changed else ""
    preset = re.fullmatch(r"(?:\./)?build/([a-z][a-z0-9_-]*)/bin/ndt-bench", program)
    if not preset:
        return [f"# built from commit {commit}{changes}"]
    name = preset.group(1)
    return [
        f"git checkout {commit}{changes}",
        f"cmake --preset {name} && cmake --build build/{name} --target ndt-bench",
    ]
