"""Times against sizes and threads, after idle, by iteration, and of batches."""

from functools import partial

from ..figures import batches, idle, iteration_time, scaling
from ..judge.batches import batch_table
from ..judge.idle import call_name, cell, idle_calls, idle_lines, idle_rows, idle_table
from ..judge.iteration_time import feature_costs, iteration_time_table
from ..judge.scaling import scaling_points, thread_points
from .section import Section

SCALING = Section(
    "scaling",
    "Scaling",
    "scaling",
    figures=lambda report, tables: [
        lambda: scaling.draw(scaling_points(report.measurements), report.look),
        lambda: scaling.draw_threads(thread_points(report.measurements), report.look),
    ],
    drawn=True,
)

IDLE = Section(
    "idle",
    "After idle",
    "idle",
    tables=lambda report: {"idle": idle_table(report.loaded.measurements, report.loaded.at_rates)},
    figures=lambda report, tables: [partial(idle.draw, tables["idle"], report.look)],
    template="idle.html.jinja",
    values=lambda report, tables: {
        "idle": idle_rows(tables["idle"]),
        "idle_calls": [call_name(*call) for call in idle_calls(tables["idle"])],
        "idle_cell": cell,
    },
    csv=("idle",),
    lines=lambda tables: idle_lines(tables["idle"]),
    timed="alignments after idle",
)


def _iteration_tables(report) -> dict:
    times = iteration_time_table(report.measurements)
    return {"iteration_times": times, "feature_costs": feature_costs(times)}


ITERATIONS = Section(
    "iterations",
    "Time of an iteration",
    "iterations",
    tables=_iteration_tables,
    figures=lambda report, tables: [partial(iteration_time.draw, tables["iteration_times"], report.look)],
    template="iterations.html.jinja",
    lead=4,
)

# A scan from many guesses in one call.
BATCHES = Section(
    "batches",
    "Batches",
    "batch",
    tables=lambda report: {"batches": batch_table(report.loaded.measurements)},
    figures=lambda report, tables: [partial(batches.draw, tables["batches"], report.look)],
    template="batches.html.jinja",
    timed="batches",
    lead=3,
)
