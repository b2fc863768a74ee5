"""Times against sizes and threads."""

from ..figures import scaling
from ..judge.scaling import scaling_points, thread_points
from .section import Section


def figures(report, tables) -> list:
    return [
        lambda: scaling.draw(scaling_points(report.measurements), report.look),
        lambda: scaling.draw_threads(thread_points(report.measurements), report.look),
    ]


SECTION = Section("scaling", "Scaling", "scaling", figures=figures, drawn=True)
