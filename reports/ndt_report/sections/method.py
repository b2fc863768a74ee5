"""The method, the machine, and the lines that repeat the run."""

from ..read.environment import flat, left_out, plan_facts, redo
from .section import Section


def values(report, tables) -> dict:
    run = report.run
    return {
        "has_outside": bool(report.table.prepare_ms_p50.notna().any()),
        "implementations": run.implementations.to_dict("records"),
        "datasets": run.datasets.to_dict("records"),
        "left_out": left_out(run.plan),
        "facts": flat(run.environment) + plan_facts(run.plan),
        "redo": redo(run),
    }


SECTION = Section("method", "Method and environment", template="method.html.jinja", values=values)
