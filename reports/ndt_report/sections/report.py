"""What the page shows: every section's figures and tables, computed once."""

from dataclasses import dataclass, field

import pandas as pd

from ..judge.basin import basin_bands, basin_cells
from ..judge.batches import alignments_alone, batch_table
from ..judge.convergence import one_thread, stopping_table, trace_points
from ..judge.detection import detection_table, judged_poses, mark_wrong
from ..figures.drawings import drawings_of, first_of
from ..judge.equivalence import equivalence_table, worst_cases
from ..judge.false_answers import false_answer_sentences, false_answers_table, judged_answers
from ..judge.grids import split_by_guess
from ..judge.idle import idle_table
from ..judge.iteration_time import feature_costs, iteration_time_table
from ..judge.latency import tail_table
from ..read.load import Run
from ..judge.own_scans import without_their_truth
from ..judge.scaling import scaling_datasets
from ..judge.prior_ladder import beside_ladders, ladder_sentences, ladder_table
from ..judge.search_verdict import search_sentences
from ..judge.searches import at_once_table, search_measurements, search_table
from ..judge.summary import judged_measurements, summary_table
from ..judge.trajectories import trajectories, trajectory_errors
from ..judge.transfers import meetings_table, transfers_table, without_counts
from ..judge.verdict import Verdict, verdict_of
from ..judge.zero_transfer import zero_transfer_table


@dataclass
class Report:
    run: Run
    measurements: pd.DataFrame
    table: pd.DataFrame
    verdict: Verdict
    shown: list  # of main_datasets()
    drawings: dict = field(default_factory=dict)  # section: list of Drawing
    first: object = None  # the Drawing beside the verdict, one of drawings
    not_drawn: dict = field(default_factory=dict)  # section: sentences on what is missing there
    answers: pd.DataFrame = None
    basin_cells: pd.DataFrame = None
    basin: pd.DataFrame = None  # by distance and yaw
    idle: pd.DataFrame = None
    equivalence: pd.DataFrame = None
    worst: pd.DataFrame = None
    stopping: pd.DataFrame = None
    detection: pd.DataFrame = None
    iteration_times: pd.DataFrame = None
    feature_costs: pd.DataFrame = None
    tails: pd.DataFrame = None
    batches: pd.DataFrame = None
    searches: pd.DataFrame = None
    at_once: pd.DataFrame = None
    ladder: pd.DataFrame = None
    transfers: pd.DataFrame = None
    zero_transfer: pd.DataFrame = None
    meetings: pd.DataFrame = None
    without_counts: list = None  # (implementation, why)
    trajectories: list = None
    trajectory_errors: pd.DataFrame = None


def make_report(run: Run) -> Report:
    idle = idle_table(run.measurements, run.at_rates)
    run = without_their_truth(run)
    batches, searches = batch_table(run.measurements), search_measurements(run.measurements)
    found, ladder = search_table(searches, run.oracle), ladder_table(searches)
    run = split_by_guess(alignments_alone(run))
    measurements = judged_measurements(run)
    table = summary_table(measurements, run.implementations, run.datasets)
    shown = main_datasets(measurements, scaling_datasets(measurements))
    points = trace_points(measurements)
    answers = false_answers_table(judged_answers(measurements))
    report = Report(
        run,
        measurements,
        table,
        verdict_of(
            run,
            measurements,
            table,
            shown,
            ladder_sentences(ladder) + search_sentences(beside_ladders(found, searches), run.oracle),
            false_answer_sentences(answers),
            [name for name, rows in (("searches", found), ("batches", batches), ("alignments after idle", idle)) if len(rows)],
        ),
        shown,
        answers=answers,
        idle=idle,
    )
    report.equivalence, report.worst = equivalence_table(measurements), worst_cases(
        measurements, run.implementations
    )
    report.basin_cells = basin_cells(measurements)
    report.basin = basin_bands(report.basin_cells)
    report.stopping = stopping_table(measurements, points)
    report.iteration_times = iteration_time_table(measurements)
    report.feature_costs = feature_costs(report.iteration_times)
    report.tails, report.batches = tail_table(measurements), batches
    report.searches, report.at_once, report.ladder = found, at_once_table(found, run.oracle), ladder
    report.transfers = transfers_table(measurements, run.implementations)
    report.zero_transfer, report.meetings = zero_transfer_table(measurements), meetings_table(measurements)
    report.without_counts = without_counts(measurements, run.implementations)
    report.trajectories = trajectories(measurements, run.datasets)
    report.trajectory_errors = trajectory_errors(report.trajectories)
    poses = _judged(measurements, points, run)
    report.detection = detection_table(poses)
    report.drawings, report.not_drawn = drawings_of(report, searches, points, poses)
    report.first = first_of(report.drawings)
    return report


def main_datasets(measurements: pd.DataFrame, sized: set) -> list:
    """Datasets that stand for themselves: not made for their size, and timed if any dataset is. sized: of
    scaling_datasets()."""
    timed = set(measurements[measurements.timing.isin(["settled", "wall_cap"])].dataset)
    names = [name for name in dict.fromkeys(measurements.dataset) if name not in sized]
    return [n for n in names if n in timed] or names or list(dict.fromkeys(measurements.dataset))


def _judged(measurements, points, run: Run) -> pd.DataFrame:
    oracle = measurements[
        (measurements.implementation == run.oracle)
        & (measurements.variant == "autoware")
        & measurements.error.isna()
    ]
    oracle = oracle.sort_values("threads", kind="stable").drop_duplicates(["dataset", "frame", "guess_name"])
    return judged_poses(
        oracle, mark_wrong(one_thread(points[points.implementation == run.oracle]), run.datasets)
    )
