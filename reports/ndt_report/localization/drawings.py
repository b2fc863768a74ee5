"""The figures of a page of localisation runs, by section."""

from functools import partial

from ..drawings import MOST_PER_KIND, drawn_or_said
from . import draw_covariance, draw_detectors, draw_map, draw_over_time


def draw_all(report):
    """({section: list of Drawing}, {section: list of sentences}), every section in both."""
    runs, look = report.runs, report.look
    first = runs[:MOST_PER_KIND]
    sections = {
        "map": [partial(draw_map.draw, run) for run in first],
        "errors": [partial(draw_over_time.draw_errors, runs, look)],
        "verdicts": [partial(draw_over_time.draw_verdicts, runs)],
        "latency": [partial(draw_over_time.draw_latency, runs, look)],
        "covariance": [partial(draw_covariance.draw, run, report.nees) for run in first],
        "detectors": [partial(draw_detectors.draw, run, report.judged[run.label]) for run in first],
    }
    drawings, sentences = {}, {}
    for section, makers in sections.items():
        drawings[section], sentences[section] = drawn_or_said(makers)
    for section in ("map", "covariance", "detectors"):
        if len(runs) > len(first):
            sentences[section].append(f"Drawn are the first {len(first)} of {len(runs)} runs.")
    return drawings, sentences
