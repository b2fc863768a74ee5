"""A scan in its map, as the oracle placed it if it did."""

from functools import partial

from ..figures import scan_in_map
from ..figures.drawings import MOST_PER_KIND
from ..read.clouds import read_pcd
from .section import Section


def figures(report, tables) -> list:
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
            out.append(partial(_draw, run, (oracle if len(oracle) else shown).iloc[0], data.picture))
    return out[:MOST_PER_KIND]


def _draw(run, measurement, picture):
    map_points, scan = (read_pcd(run.folder / picture[key]) for key in ("map", "scan"))
    return scan_in_map.draw(measurement, map_points, scan)


SECTION = Section("picture", "Scan in map", "tracking", figures=figures, drawn=True)
