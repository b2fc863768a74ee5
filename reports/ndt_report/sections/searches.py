"""Searches for the initial pose, and ladders of priors."""

from functools import partial

from ..figures import MOST_PER_KIND, prior_ladder, search_paths, searches
from ..judge.accuracy import SEARCH_SUCCESS_DEG, SEARCH_SUCCESS_M
from ..judge.prior_ladder import beside_ladders, ladder_rows, ladder_sentences, ladder_table, on_ladders, rung_name, rungs_of
from ..judge.search_verdict import search_sentences
from ..judge.searches import LOWER, NOT_LOWER, at_once_table, search_table, success_steps, with_paths
from ..read.clouds import read_pcd
from .section import Section, by_dataset


def tables(report) -> dict:
    found = search_table(report.searches, report.run.oracle)
    return {"searches": found, "at_once": at_once_table(found, report.run.oracle), "ladder": ladder_table(report.searches)}


def says(report, tables) -> dict:
    beside = beside_ladders(tables["searches"], report.searches)
    return {"searches": ladder_sentences(tables["ladder"]) + search_sentences(beside, report.run.oracle)}


def figures(report, tables) -> list:
    alone = report.searches[~on_ladders(report.searches)]  # the curves of a ladder would lie over each other
    ladders = [prior_ladder.draw_success, prior_ladder.draw_false, prior_ladder.draw_time]
    curves = [
        lambda: searches.draw_time(success_steps(alone, "ms"), report.look),
        lambda: searches.draw_particles(success_steps(alone, "particles_done")),
    ]
    shown = with_paths(report.searches, report.run.datasets)[:MOST_PER_KIND]
    return [*(partial(draw, tables["ladder"]) for draw in ladders), *curves, *(partial(_draw_paths, report.run, s) for s in shown)]


def _draw_paths(run, search):
    return search_paths.draw_paths(search, _map_around(run, search))


def _map_around(run, search):
    """Reads the map of the dataset's picture; None without one, or if each frame has a map of its own and this is
    another's."""
    data = run.datasets.loc[search.dataset]
    if data.picture is None or (data.kind != "scan_to_map" and data.picture["frame"] != search.frame):
        return None
    return read_pcd(run.folder / data.picture["map"])


SECTION = Section(
    "searches",
    "Initial pose",
    "initial_pose",
    tables=tables,
    figures=figures,
    template="searches.html.jinja",
    values=lambda report, tables: {
        "searches": by_dataset(tables["searches"]),
        "ladder": ladder_rows(tables["ladder"]),
        "rungs": rungs_of(tables["ladder"]),
        "rung_name": rung_name,
        "search_limits": (SEARCH_SUCCESS_M, SEARCH_SUCCESS_DEG),
        "NOT_LOWER": NOT_LOWER,
        "LOWER": LOWER,
    },
    csv=("searches",),
    says=says,
    timed="searches",
    lead=2,
)
