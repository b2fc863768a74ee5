"""The figures of a page of localisation runs, by section."""

from functools import partial

from .. import live_line
from ..figures import MOST_PER_KIND, drawn_or_said
from . import draw_covariance, draw_detectors, draw_map, draw_methods, draw_over_time


def draw_all(report):
    """({section: list of Drawing}, {section: list of sentences}), every section in both."""
    runs, look = report.runs, report.look
    first = runs[:MOST_PER_KIND]
    over_time = first if len(report.methods) else runs  # a list has hundreds, and its tables say more
    sections = {
        "methods": [partial(draw_methods.draw, runs, report.table)],
        "map": [partial(draw_map.draw, run) for run in first],
        "errors": [partial(draw_over_time.draw_errors, over_time, look)],
        "verdicts": [partial(draw_over_time.draw_verdicts, over_time)],
        "latency": [partial(draw_over_time.draw_latency, over_time, look)],
        "covariance": [partial(draw_covariance.draw, run, report.nees) for run in first],
        "detectors": _detectors(report, first),
    }
    drawings, sentences = {}, {}
    for section, makers in live_line.counted(list(sections.items()), "drawing the sections"):
        drawings[section], sentences[section] = drawn_or_said(makers)
    for section in ("map", "covariance", "detectors"):
        if len(runs) > len(first):
            sentences[section].append(f"Drawn are the first {len(first)} of {len(runs)} runs.")
    return drawings, sentences


def _detectors(report, first):
    """Returns what draws all runs together, then each of the first."""
    limits = {run.label: f"{run.facts.wrong_m:g} m or {run.facts.wrong_deg:g} deg" for run in first}
    if len(report.judged) > len(report.runs):
        limits = {next(iter(report.judged)): "the limits of their datasets"} | limits
    tables = dict(iter(report.detectors.groupby("run"))) if len(report.detectors) else {}
    return [
        partial(draw_detectors.draw, label, said, report.judged[label], tables.get(label))
        for label, said in limits.items()
    ]
