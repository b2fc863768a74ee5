"""The table of the report: accuracy, latency and speed of every implementation on every dataset."""

from ..judge.against_truth import STATED
from ..judge.cautions import change_of_nvtl
from ..judge.verdict import interval
from ..page_numbers import NONE, error
from .section import Section, by_dataset


def error_pair(row, name) -> str:
    """Median / largest of an error in mm or deg; one too small to matter is not spelt out."""
    if row[f"{name}_max"] != row[f"{name}_max"]:
        return NONE
    least = 0.001 if name.endswith("_mm") else 0.0001
    return f"{error(row[f'{name}_p50'], least)} / {error(row[f'{name}_max'], least)}"


def fastest_cpu(rows) -> str:
    return next((row["cpu_base"] for row in rows if row["cpu_base"]), "")


SECTION = Section(
    "table",
    "Results",
    tables=lambda report: {"summary": report.table},
    template="results.html.jinja",
    values=lambda report, tables: {
        "groups": by_dataset(report.table),
        "shown": report.shown,
        "densities": dict(zip(report.measurements.dataset, report.measurements.get("density", ()))),
        "truth_stated": STATED,
        "change_of_nvtl": change_of_nvtl,
        "interval": interval,
        "fastest_cpu": fastest_cpu,
        "error_pair": error_pair,
    },
    csv=("summary",),
)
