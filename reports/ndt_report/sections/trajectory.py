"""Drives frame by frame, each from its given guess."""

from functools import partial

from ..figures import trajectory
from ..figures.drawings import first_of_kind
from ..judge.trajectories import trajectories, trajectory_errors, write_tum
from .section import Section


def tables(report) -> dict:
    walked = trajectories(report.measurements, report.run.datasets)
    return {"trajectory_errors": trajectory_errors(walked), "trajectories": walked}


def figures(report, tables) -> list:
    by_dataset = {name: [] for name in first_of_kind(t.dataset for t in tables["trajectories"])}
    for t in tables["trajectories"]:
        if t.dataset in by_dataset:
            by_dataset[t.dataset].append(t)
    return [partial(trajectory.draw, group, tables["trajectory_errors"]) for group in by_dataset.values()]


SECTION = Section(
    "trajectory",
    "Trajectory, open loop",
    "tracking",
    tables=tables,
    figures=figures,
    template="trajectory.html.jinja",
    files=lambda folder, tables: write_tum(folder, tables["trajectories"]),
    drawn=True,
)
