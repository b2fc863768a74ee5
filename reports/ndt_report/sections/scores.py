"""The chance that a score finds a wrong pose of the oracle."""

from functools import partial

from ..figures import scores
from ..figures.drawings import first_of_kind
from ..judge.convergence import one_thread
from ..judge.detection import detection_table, judged_poses, mark_wrong
from .section import Section


def tables(report) -> dict:
    run, measurements, points = report.run, report.measurements, report.points
    own = measurements[(measurements.implementation == run.oracle) & (measurements.variant == "autoware") & measurements.error.isna()]
    own = own.sort_values("threads", kind="stable").drop_duplicates(["dataset", "frame", "guess_name"])
    poses = judged_poses(own, mark_wrong(one_thread(points[points.implementation == run.oracle]), run.datasets))
    return {"detection": detection_table(poses), "judged_poses": poses}


def figures(report, tables) -> list:
    poses = tables["judged_poses"]
    return [partial(scores.draw, poses, tables["detection"], name) for name in first_of_kind(poses.dataset)]


SECTION = Section(
    "scores", "Scores against true error", "basin", tables=tables, figures=figures, template="scores.html.jinja", drawn=True
)
