"""How alignments converge, from how far, and which of their poses are wrong, found so or called right."""

from functools import partial

from ..figures import basin, convergence, first_of_kind, scores
from ..judge.basin import band_rows, basin_bands, basin_cells
from ..judge.convergence import one_thread, stopping_table
from ..judge.detection import detection_table, judged_poses, mark_wrong
from ..judge.equivalence import equivalence_table, worst_cases
from ..judge.false_answers import false_answer_sentences, false_answers_table, judged_answers
from .section import Section

# The convergence of alignments, and the rules by which they stop.
CONVERGENCE = Section(
    "convergence",
    "Convergence",
    "tracking",
    tables=lambda report: {"stopping": stopping_table(report.measurements, report.points)},
    figures=lambda report, tables: [lambda: convergence.draw(one_thread(report.points), report.shown, report.look)],
    template="convergence.html.jinja",
    drawn=True,
)


def _basin_tables(report) -> dict:
    cells = basin_cells(report.measurements)
    return {"basin_cells": cells, "basin": basin_bands(cells)}


def _basin_figures(report, tables) -> list:
    cells = tables["basin_cells"]
    return [partial(basin.draw, cells, name) for name in first_of_kind(cells.dataset)]


BASIN = Section(
    "basin",
    "Basin of convergence",
    "basin",
    tables=_basin_tables,
    figures=_basin_figures,
    template="basin.html.jinja",
    values=lambda report, tables: {"bands": band_rows(tables["basin"])},
    csv=("basin",),
    drawn=True,
)


def _score_tables(report) -> dict:
    run, measurements, points = report.run, report.measurements, report.points
    own = measurements[(measurements.implementation == run.oracle) & (measurements.variant == "autoware") & measurements.error.isna()]
    own = own.sort_values("threads", kind="stable").drop_duplicates(["dataset", "frame", "guess_name"])
    poses = judged_poses(own, mark_wrong(one_thread(points[points.implementation == run.oracle]), run.datasets))
    return {"detection": detection_table(poses), "judged_poses": poses}


def _score_figures(report, tables) -> list:
    poses = tables["judged_poses"]
    return [partial(scores.draw, poses, tables["detection"], name) for name in first_of_kind(poses.dataset)]


# The chance that a score finds a wrong pose of the oracle.
SCORES = Section(
    "scores",
    "Scores against true error",
    "basin",
    tables=_score_tables,
    figures=_score_figures,
    template="scores.html.jinja",
    drawn=True,
)

# Answers that are called ok, and which of them are wrong.
ANSWERS = Section(
    "answers",
    "False answers",
    "trust",
    tables=lambda report: {"answers": false_answers_table(judged_answers(report.measurements))},
    template="answers.html.jinja",
    says=lambda report, tables: {"cautions": false_answer_sentences(tables["answers"])},
)

# Every result against the oracle's from the same guess.
EQUIVALENCE = Section(
    "equivalence",
    "Equivalence",
    tables=lambda report: {
        "equivalence": equivalence_table(report.measurements),
        "worst": worst_cases(report.measurements, report.run.implementations),
    },
    template="equivalence.html.jinja",
)
