"""The cost of an alignment to the machine: cores, the GPU, and energy."""

from ..judge.machine_load import with_load
from .section import Section

SECTION = Section(
    "load",
    "CPU, GPU and energy",
    "load",
    tables=lambda report: {"load": with_load(report.table)},
    template="machine_load.html.jinja",
)
