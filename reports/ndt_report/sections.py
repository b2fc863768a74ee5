"""What the page shows: every section's figures and tables, computed once."""

from dataclasses import dataclass, field

import pandas as pd

from .basin import basin_cells
from .batches import alignments_alone, batch_table
from .clouds import read_pcd
from .convergence import stopping_table, trace_points
from .detection import detection_table, judged_poses, mark_wrong
from .equivalence import equivalence_table, worst_cases
from .figures import basin as basin_figure
from .figures import batches as batches_figure
from .figures import convergence as convergence_figure
from .figures import iteration_time as iteration_figure
from .figures import ecdf, pareto, scan_in_map, scores, search_paths
from .figures import scaling as scaling_figure
from .figures import searches as search_figures
from .figures import trajectory as trajectory_figure
from .grids import split_by_guess
from .iteration_time import feature_costs, iteration_time_table
from .latency import samples, tail_table
from .load import Run
from .scaling import scaling_datasets, scaling_points, thread_points
from .search_verdict import search_sentences
from .searches import at_once_table, search_measurements, search_table, success_steps, with_paths
from .summary import judged_measurements, summary_table
from .style import Looks
from .targets import targets_table
from .trajectories import trajectories, trajectory_errors
from .transfers import transfers_table, without_counts
from .verdict import Verdict, verdict_of

MOST_PER_KIND = 4  # datasets with a trajectory, a picture, a basin or a ROC of their own


@dataclass
class Report:
    run: Run
    measurements: pd.DataFrame
    table: pd.DataFrame
    verdict: Verdict
    drawings: dict = field(default_factory=dict)  # section: list of Drawing
    equivalence: pd.DataFrame = None
    worst: pd.DataFrame = None
    stopping: pd.DataFrame = None
    detection: pd.DataFrame = None
    targets: pd.DataFrame = None
    iteration_times: pd.DataFrame = None
    feature_costs: pd.DataFrame = None
    tails: pd.DataFrame = None
    batches: pd.DataFrame = None
    searches: pd.DataFrame = None
    at_once: pd.DataFrame = None
    transfers: pd.DataFrame = None
    without_counts: list = None  # (implementation, why)
    trajectories: list = None
    trajectory_errors: pd.DataFrame = None


def make_report(run: Run) -> Report:
    batches, searches = batch_table(run.measurements), search_measurements(run.measurements)
    found = search_table(searches, run.oracle)
    run = split_by_guess(alignments_alone(run))
    measurements = judged_measurements(run)
    table = summary_table(measurements, run.implementations)
    shown = main_datasets(measurements)
    points = trace_points(measurements)
    report = Report(
        run,
        measurements,
        table,
        verdict_of(run, measurements, table, shown, search_sentences(found, run.oracle)),
    )
    report.equivalence, report.worst = equivalence_table(measurements), worst_cases(
        measurements, run.implementations
    )
    report.stopping = stopping_table(measurements, points)
    report.iteration_times = iteration_time_table(measurements)
    report.feature_costs = feature_costs(report.iteration_times)
    report.tails, report.batches = tail_table(measurements), batches
    report.searches, report.at_once = found, at_once_table(found, run.oracle)
    report.transfers = transfers_table(measurements, run.implementations)
    report.without_counts = without_counts(measurements, run.implementations)
    report.trajectories = trajectories(measurements, run.datasets)
    report.trajectory_errors = trajectory_errors(report.trajectories)
    poses = _judged(measurements, points, run)
    report.detection = detection_table(poses)
    cells = basin_cells(measurements)
    threads = thread_points(measurements)
    look = Looks(run.implementations)
    report.drawings = {
        name: [d for d in drawings if d is not None]
        for name, drawings in {
            "pareto": [pareto.draw(table, run.datasets, shown, look)],
            "latency": [ecdf.draw(samples(measurements), shown, look)],
            "convergence": [convergence_figure.draw(_one_thread(points), shown, look)],
            "basin": [
                basin_figure.draw(cells, name) for name in list(dict.fromkeys(cells.dataset))[:MOST_PER_KIND]
            ],
            "scaling": [
                scaling_figure.draw(scaling_points(measurements), look),
                scaling_figure.draw_threads(threads, look),
            ],
            "iterations": [iteration_figure.draw(report.iteration_times, look)],
            "batches": [batches_figure.draw(batches, look)],
            "searches": _search_drawings(run, searches, look),
            "trajectory": _trajectory_drawings(report),
            "scores": [
                scores.draw(poses, report.detection, name)
                for name in list(dict.fromkeys(poses.dataset))[:MOST_PER_KIND]
            ],
            "picture": _pictures(run, measurements),
        }.items()
    }
    report.targets = targets_table(report, searches)
    return report


def main_datasets(measurements: pd.DataFrame) -> list:
    """Datasets that stand for themselves: not made for their size, and timed if any dataset is."""
    sized = scaling_datasets(measurements)
    timed = set(measurements[measurements.timing.isin(["settled", "wall_cap"])].dataset)
    names = [name for name in dict.fromkeys(measurements.dataset) if name not in sized]
    return [n for n in names if n in timed] or names or list(dict.fromkeys(measurements.dataset))


def _one_thread(points: pd.DataFrame) -> pd.DataFrame:
    """Variant autoware, and of every implementation its smallest thread count: the others walk the same
    way."""
    own = points[points.variant == "autoware"]
    return (
        own[own.threads == own.groupby(["dataset", "implementation"]).threads.transform("min")]
        if len(own)
        else own
    )


def _judged(measurements, points, run: Run) -> pd.DataFrame:
    oracle = measurements[
        (measurements.implementation == run.oracle)
        & (measurements.variant == "autoware")
        & measurements.error.isna()
    ]
    oracle = oracle.sort_values("threads", kind="stable").drop_duplicates(["dataset", "frame", "guess_name"])
    return judged_poses(
        oracle, mark_wrong(_one_thread(points[points.implementation == run.oracle]), run.datasets)
    )


def _trajectory_drawings(report: Report) -> list:
    by_dataset = {}
    for t in report.trajectories:
        by_dataset.setdefault(t.dataset, []).append(t)
    return [
        trajectory_figure.draw(group, report.trajectory_errors)
        for group in list(by_dataset.values())[:MOST_PER_KIND]
    ]


def _search_drawings(run: Run, searches, look: Looks) -> list:
    curves = [
        search_figures.draw_time(success_steps(searches, "ms"), look),
        search_figures.draw_particles(success_steps(searches, "particles_done")),
    ]
    shown = with_paths(searches, run.datasets)[:MOST_PER_KIND]
    return curves + [search_paths.draw_paths(search, _map_around(run, search)) for search in shown]


def _map_around(run: Run, search):
    """Of the dataset's picture; None without one, or if each frame has a map of its own and this is
    another's."""
    data = run.datasets.loc[search.dataset]
    if data.picture is None or (data.kind != "scan_to_map" and data.picture["frame"] != search.frame):
        return None
    return read_pcd(run.folder / data.picture["map"])


def _pictures(run: Run, measurements) -> list:
    out = []
    for data in run.datasets[run.datasets.picture.notna()].itertuples():
        shown = measurements[
            (measurements.dataset == data.name)
            & (measurements.frame == data.picture["frame"])
            & measurements.error.isna()
            & (measurements.variant == "autoware")
        ]
        if shown.empty or len(out) == MOST_PER_KIND:
            continue
        oracle = shown[shown.implementation == run.oracle]
        measurement = (oracle if len(oracle) else shown).iloc[0]
        out.append(
            scan_in_map.draw(
                measurement,
                read_pcd(run.folder / data.picture["map"]),
                read_pcd(run.folder / data.picture["scan"]),
            )
        )
    return out
