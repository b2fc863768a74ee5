"""Drives frame by frame, each from its given guess, and a scan in its map, as the oracle placed it if it did."""

from functools import partial

from ..figures import MOST_PER_KIND, first_of_kind, scan_in_map, trajectory
from ..judge.trajectories import trajectories, trajectory_errors, write_tum
from ..read.clouds import read_pcd
from .section import Section


def _drive_tables(report) -> dict:
    walked = trajectories(report.measurements, report.run.datasets)
    return {"trajectory_errors": trajectory_errors(walked), "trajectories": walked}


def _drive_figures(report, tables) -> list:
    by_dataset = {name: [] for name in first_of_kind(t.dataset for t in tables["trajectories"])}
    for t in tables["trajectories"]:
        if t.dataset in by_dataset:
            by_dataset[t.dataset].append(t)
    return [partial(trajectory.draw, group, tables["trajectory_errors"]) for group in by_dataset.values()]


TRAJECTORY = Section(
    "trajectory",
    "Trajectory, open loop",
    "tracking",
    tables=_drive_tables,
    figures=_drive_figures,
    template="trajectory.html.jinja",
    files=lambda folder, tables: write_tum(folder, tables["trajectories"]),
    drawn=True,
)


def _picture_figures(report, tables) -> list:
    run, measurements, out = report.run, report.measurements, []
    for data in run.datasets[run.datasets.picture.notna()].itertuples():
        shown = measurements[
            (measurements.dataset == data.name)
            & (measurements.frame == data.picture["frame"])
            & measurements.error.isna()
            & (measurements.variant == "autoware")
        ]
        if len(shown):
            oracle = shown[shown.implementation == run.oracle]
            out.append(partial(_draw_picture, run, (oracle if len(oracle) else shown).iloc[0], data.picture))
    return out[:MOST_PER_KIND]


def _draw_picture(run, measurement, picture):
    map_points, scan = (read_pcd(run.folder / picture[key]) for key in ("map", "scan"))
    return scan_in_map.draw(measurement, map_points, scan)


PICTURE = Section("picture", "Scan in map", "tracking", figures=_picture_figures, drawn=True)
