"""Every section's figures, each drawn for itself: where one cannot be drawn, a sentence takes its place."""

from functools import partial

from ..read.clouds import read_pcd
from ..judge.convergence import one_thread
from . import NotDrawable
from . import basin as basin_figure
from . import batches as batches_figure
from . import convergence as convergence_figure
from . import ecdf, pareto, scan_in_map, scores, search_paths
from . import idle as idle_figure
from . import iteration_time as iteration_figure
from . import scaling as scaling_figure
from . import prior_ladder as ladder_figures
from . import searches as search_figures
from . import trajectory as trajectory_figure
from ..judge.latency import samples
from ..read.load import Run
from ..judge.prior_ladder import on_ladders
from ..read.refusal import InputError
from ..judge.scaling import scaling_points, thread_points
from ..judge.searches import success_steps, with_paths
from .style import Looks
from .svg import picture_of

MOST_PER_KIND = 4  # datasets with a trajectory, a picture, a basin or a ROC of their own
NOT_DRAWN = "A figure of this section cannot be drawn from these measurements; the tables hold their numbers."


def drawings_of(report, searches, points, poses):
    """({section: list of Drawing}, {section: list of sentences}), every section in both.

    searches: of search_measurements(), points: of trace_points(), poses: of judged_poses()."""
    look, shown, better = Looks(report.run.implementations), report.shown, report.verdict.better_peers
    sections = {
        "pareto": [
            lambda: pareto.draw(report.table, report.run.datasets, better, shown[:1], look),
            lambda: pareto.draw(report.table, report.run.datasets, better, shown[1:], look, "pareto_others"),
        ],
        "latency": [lambda: ecdf.draw(samples(report.measurements), shown, look)],
        "idle": [partial(idle_figure.draw, report.idle, look)],
        "convergence": [lambda: convergence_figure.draw(one_thread(points), shown, look)],
        "basin": _basins(report),
        "scaling": [
            lambda: scaling_figure.draw(scaling_points(report.measurements), look),
            lambda: scaling_figure.draw_threads(thread_points(report.measurements), look),
        ],
        "iterations": [partial(iteration_figure.draw, report.iteration_times, look)],
        "batches": [partial(batches_figure.draw, report.batches, look)],
        "searches": [*_ladders(report.ladder), *_searches(report.run, searches, look)],
        "trajectory": _trajectories(report),
        "scores": [partial(scores.draw, poses, report.detection, name) for name in _first(poses.dataset)],
        "picture": _pictures(report.run, report.measurements),
    }
    drawings, sentences = {}, {}
    for section, makers in sections.items():
        drawings[section], sentences[section] = drawn_or_said(makers)
    return drawings, sentences


def drawn_or_said(makers):
    """([Drawing], [sentence]) of functions that answer a Drawing each, or None if there is nothing to draw."""
    made = [_made(make) for make in makers]
    drawings = [drawing for drawing in made if not isinstance(drawing, str | None)]
    return drawings, list(dict.fromkeys(said for said in made if isinstance(said, str)))


def first_of(drawings: dict):
    """The one that stands beside the verdict; None if nothing is drawn."""
    first = ("pareto", "searches", "batches", "iterations")
    sections = [*first, *(name for name in drawings if name not in first)]
    return next((drawings[name][0] for name in sections if drawings[name]), None)


def _made(make):
    """The Drawing with its picture, None if there is nothing to draw, or a sentence if that fails."""
    try:
        drawing = make()
        if drawing is not None:
            drawing.picture = picture_of(drawing.figure, drawing.name)
        return drawing
    except InputError:
        raise
    except NotDrawable as error:
        return str(error)
    except Exception:  # one odd number must not cost the page
        return NOT_DRAWN


def _first(names) -> list:
    return list(dict.fromkeys(names))[:MOST_PER_KIND]


def _basins(report) -> list:
    cells = report.basin_cells
    return [partial(basin_figure.draw, cells, name) for name in _first(cells.dataset)]


def _trajectories(report) -> list:
    by_dataset = {name: [] for name in _first(t.dataset for t in report.trajectories)}
    for t in report.trajectories:
        if t.dataset in by_dataset:
            by_dataset[t.dataset].append(t)
    return [partial(trajectory_figure.draw, group, report.trajectory_errors) for group in by_dataset.values()]


def _ladders(table) -> list:
    figures = (ladder_figures.draw_success, ladder_figures.draw_false, ladder_figures.draw_time)
    return [partial(draw, table) for draw in figures]


def _searches(run: Run, searches, look: Looks) -> list:
    alone = searches[~on_ladders(searches)]  # the curves of a ladder would lie over each other
    curves = [
        lambda: search_figures.draw_time(success_steps(alone, "ms"), look),
        lambda: search_figures.draw_particles(success_steps(alone, "particles_done")),
    ]
    shown = with_paths(searches, run.datasets)[:MOST_PER_KIND]
    return curves + [partial(_draw_paths, run, search) for search in shown]


def _draw_paths(run: Run, search):
    return search_paths.draw_paths(search, _map_around(run, search))


def _map_around(run: Run, search):
    """Of the dataset's picture; None without one, or if each frame has a map of its own and this is
    another's."""
    data = run.datasets.loc[search.dataset]
    if data.picture is None or (data.kind != "scan_to_map" and data.picture["frame"] != search.frame):
        return None
    return read_pcd(run.folder / data.picture["map"])


def _pictures(run: Run, measurements) -> list:
    """Of the oracle's measurement if there is one."""
    out = []
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


def _draw_picture(run: Run, measurement, picture):
    map_points, scan = (read_pcd(run.folder / picture[key]) for key in ("map", "scan"))
    return scan_in_map.draw(measurement, map_points, scan)
