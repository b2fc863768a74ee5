"""Computes a report: what all sections share, their tables, the verdict, their figures."""

import pandas as pd

from . import SECTIONS
from .. import live_line
from ..figures import drawn_or_said
from ..figures.style import Looks
from ..judge.batches import alignments_alone
from ..judge.convergence import trace_points
from ..judge.grids import split_by_guess
from ..judge.own_scans import without_their_truth
from ..judge.scaling import scaling_datasets
from ..judge.searches import search_measurements
from ..judge.summary import judged_measurements, summary_table
from ..judge.verdict import verdict_of
from ..read.load import Run
from .section import Part, Report


def make_report(run: Run) -> Report:
    loaded = without_their_truth(run)
    run = split_by_guess(alignments_alone(loaded))
    measurements = judged_measurements(run)
    report = Report(
        run,
        loaded,
        measurements,
        summary_table(measurements, run.implementations, run.datasets),
        main_datasets(measurements, scaling_datasets(measurements)),
        trace_points(measurements),
        search_measurements(loaded.measurements),
        Looks(run.implementations),
    )
    report.parts = {section.name: Part(section, section.tables(report)) for section in SECTIONS}
    report.verdict = _verdict(report)
    for part in live_line.counted(list(report.parts.values()), "drawing the sections"):
        part.drawings, part.not_drawn = drawn_or_said(part.section.figures(report, part.tables))
    return report


def _verdict(report: Report):
    parts = report.parts.values()
    said = [part.section.says(report, part.tables) for part in parts]
    searches, cautions = ([s for says in said for s in says.get(name, [])] for name in ("searches", "cautions"))
    timed = [part.section.timed for part in parts if part.section.timed and len(next(iter(part.tables.values())))]
    return verdict_of(report.run, report.measurements, report.table, report.shown, searches, cautions, timed[::-1])


def main_datasets(measurements: pd.DataFrame, sized: set) -> list:
    """Datasets that stand for themselves: not made for their size, and timed if any dataset is. sized: of
    scaling_datasets()."""
    timed = set(measurements[measurements.timing.isin(["settled", "wall_cap"])].dataset)
    names = [name for name in dict.fromkeys(measurements.dataset) if name not in sized]
    return [n for n in names if n in timed] or names or list(dict.fromkeys(measurements.dataset))
