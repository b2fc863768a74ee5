"""Accuracy against latency."""

from ..figures import pareto
from .section import Section


def figures(report, tables) -> list:
    datasets, better, shown, look = report.run.datasets, report.verdict.better_peers, report.shown, report.look
    return [
        lambda: pareto.draw(report.table, datasets, better, shown, look, report.run.own),
        lambda: pareto.draw_others(report.table, datasets, better, shown[1:], look),
    ]


SECTION = Section("pareto", "Accuracy and latency", "smoke", figures=figures, lead=1, drawn=True)
