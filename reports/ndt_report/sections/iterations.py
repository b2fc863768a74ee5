"""The time of an iteration, and what features add to it."""

from functools import partial

from ..figures import iteration_time
from ..judge.iteration_time import feature_costs, iteration_time_table
from .section import Section


def tables(report) -> dict:
    times = iteration_time_table(report.measurements)
    return {"iteration_times": times, "feature_costs": feature_costs(times)}


SECTION = Section(
    "iterations",
    "Time of an iteration",
    "iterations",
    tables=tables,
    figures=lambda report, tables: [partial(iteration_time.draw, tables["iteration_times"], report.look)],
    template="iterations.html.jinja",
    lead=4,
)
