"""All that the page of localisation runs shows, computed once."""

from dataclasses import dataclass, field

import pandas as pd

from ..figures.style import Looks
from .detectors import detector_table, judged_alignments, pooled_table, reason_table, verdict_row
from .drawings import draw_all
from .episodes import EPISODES, episodes
from .frames import stage_table
from .methods import method_sentences, methods_table
from .nees import NEES, nees_table, with_nees
from .summary import summary_table
from .words import cautions, headline, sentences, truth_sentences


ALL_RUNS = "all runs"


@dataclass
class LocalizationReport:
    runs: list  # of Localization, whose frames have NEES too
    table: pd.DataFrame  # a row for each run
    methods: pd.DataFrame  # a row for each run of a list with several methods
    episodes: pd.DataFrame
    nees: pd.DataFrame
    judged: dict  # {label: of judged_alignments()}; with several runs ALL_RUNS too, those with the same poses once
    detectors: pd.DataFrame  # the same runs
    reasons: pd.DataFrame
    stages: pd.DataFrame
    headline: str
    sentences: list
    truth: list
    cautions: list
    drawings: dict = field(default_factory=dict)  # section: list of Drawing
    not_drawn: dict = field(default_factory=dict)  # section: sentences

    @property
    def look(self) -> Looks:
        """Returns the looks of the runs' labels, in their order."""
        names = [run.label for run in self.runs]
        return Looks(pd.DataFrame({"name": names, "peer": False, "oracle": False}, index=names))


def make_localization_report(runs) -> LocalizationReport:
    for run in runs:
        run.frames = with_nees(run.frames, run.poses, run.truth)
    limits = {run.label: (run.facts.wrong_m, run.facts.wrong_deg) for run in runs}
    judged = {run.label: judged_alignments(run.frames, *limits[run.label]) for run in runs}
    stretches = _of_each(runs, lambda run: episodes(run.frames, *limits[run.label]), EPISODES)
    nees = _of_each(runs, lambda run: nees_table(run.frames), NEES)
    table, methods = summary_table(runs, stretches), methods_table(runs)
    detectors = _of_each(runs, lambda run: _detectors(run, judged[run.label], limits[run.label]), [])
    judged, detectors = _with_all(judged, detectors, set(table.run[table.same_poses_as == ""]))
    report = LocalizationReport(
        runs,
        table,
        methods,
        stretches,
        nees,
        judged,
        detectors,
        _of_each(runs, lambda run: reason_table(judged[run.label]), []),
        _of_each(runs, lambda run: stage_table(run.frames), []),
        headline(table),
        method_sentences(methods) if len(methods) else sentences(table),
        truth_sentences(runs),
        cautions(runs, nees),
    )
    report.drawings, report.not_drawn = draw_all(report)
    return report


def _detectors(run, judged: pd.DataFrame, limits) -> pd.DataFrame:
    rows = [verdict_row(run.frames, *limits), detector_table(judged, run.facts)]
    rows = [r for r in rows if len(r)]
    return pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()


def _with_all(judged: dict, detectors: pd.DataFrame, counted: set):
    """Both with ALL_RUNS before the others, where several of the runs that are counted have a truth."""
    parts = [own for label, own in judged.items() if label in counted and len(own)]
    if len(parts) < 2:
        return judged, detectors
    pooled = pd.concat(parts, ignore_index=True)
    table = pooled_table(pooled, detectors[detectors.run.isin(counted)]).assign(run=ALL_RUNS)
    return {ALL_RUNS: pooled} | judged, pd.concat([table, detectors], ignore_index=True)


def _of_each(runs, make, columns) -> pd.DataFrame:
    """The tables of all runs, with the column run."""
    tables = [make(run).assign(run=run.label) for run in runs]
    tables = [table for table in tables if len(table)]
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame(columns=[*columns, "run"])
