"""report.html from a Report: one file, nothing fetched; one script, which sorts tables."""

import base64
import hashlib
from pathlib import Path

import jinja2
from markupsafe import Markup

from ..judge.accuracy import SEARCH_SUCCESS_DEG, SEARCH_SUCCESS_M
from ..judge.against_truth import STATED as TRUTH_STATED
from ..judge.cautions import change_of_nvtl
from ..read.environment import flat, gpus, left_out, plan_facts, redo
from ..judge.basin import band_rows
from ..judge.idle import cell, idle_rates, idle_rows, rate_name
from ..page_numbers import NONE, number
from ..judge.prior_ladder import ladder_rows, rung_name, rungs_of
from ..judge.latency import LEAST_TAIL_SAMPLES, SHORT_ITERATIONS
from ..judge.replayer import NO_DRIVE
from ..judge.replayer import STATED as REPLAYER_STATED
from ..judge.searches import LOWER, NOT_LOWER
from ..sections.report import Report
from ..figures.style import Looks
from ..figures.svg import page_colour
from ..judge.verdict import interval

# Which preset of ndt-bench run gives a section's data, and the section's name.
SECTIONS = {
    "table": ("Results", ""),
    "pareto": ("Accuracy and latency", "smoke"),
    "latency": ("Latency", "smoke"),
    "idle": ("After idle", "idle"),
    "convergence": ("Convergence", "tracking"),
    "basin": ("Basin of convergence", "basin"),
    "scaling": ("Scaling", "scaling"),
    "iterations": ("Time of an iteration", "iterations"),
    "batches": ("Batches", "batch"),
    "searches": ("Initial pose", "initial_pose"),
    "transfers": ("Transfers", "transfers"),
    "trajectory": ("Trajectory, open loop", "tracking"),
    "scores": ("Scores against true error", "basin"),
    "picture": ("Scan in map", "tracking"),
    "answers": ("False answers", "trust"),
    "equivalence": ("Equivalence", ""),
    "method": ("Method and environment", ""),
}
DRAWN = ["pareto", "latency", "convergence", "basin", "scaling", "trajectory", "scores", "picture"]


def percent(share, digits=3) -> str:
    return NONE if share != share else f"{100 * share:.{digits}g}"


def error(value, least) -> str:
    return f"<{least:g}" if 0 < value < least else number(value, 2)


def error_pair(row, name) -> str:
    """Median / largest of an error in mm or deg; one too small to matter is not spelt out."""
    if row[f"{name}_max"] != row[f"{name}_max"]:
        return NONE
    least = 0.001 if name.endswith("_mm") else 0.0001
    return f"{error(row[f'{name}_p50'], least)} / {error(row[f'{name}_max'], least)}"


def count(row, name) -> str:
    """Median of a count of an alignment, and its largest where that is another."""
    median, most = row[f"{name}_p50"], row[f"{name}_max"]
    return (
        number(median, 6)
        if median == most or median != median
        else f"{number(median, 6)} / {number(most, 6)}"
    )


def per_iteration(row, name) -> str:
    """Slope over iterations, "about" if the counts are on no line; a dash if iterations do not vary."""
    slope = row[f"{name}_per_iteration"]
    about = "about " if row[f"{name}_off_the_line"] >= 0.5 else ""
    return NONE if slope != slope else about + number(0.0 if abs(slope) < 1e-6 else slope, 4)


def fastest_cpu(rows) -> str:
    return next((row["cpu_base"] for row in rows if row["cpu_base"]), "")


# Characters that look like matplotlib's markers.
SHAPES = {"o": "●", "s": "■", "^": "▲", "v": "▼", "D": "◆", "P": "✚", "X": "✖", "<": "◀", ">": "▶"}
SHAPES |= {"h": "⬢", "d": "♦", "p": "⬟", ".": "•", "*": "★", "+": "+", "x": "×"}


def badge(implementation: str, look: Looks) -> Markup:
    """The colour and the marker's letter shape of the figures, beside the name."""
    style = look(implementation)
    return mark(style["color"], style["marker"], implementation)


def mark(colour: str, marker, label: str) -> Markup:
    """An entry of a legend. marker: of matplotlib, None for a line."""
    return Markup('<span class="mark" style="color:{}" aria-hidden="true">{}</span>&#8239;{}').format(
        page_colour(colour), SHAPES.get(marker, "━"), label
    )


def script() -> Markup:
    return Markup((Path(__file__).parent / "templates" / "page.js").read_text("utf-8"))


def script_hash(text: str) -> str:
    """As a Content-Security-Policy names the only script that may run."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def groups(table):
    """Tables of the page: (dataset, rows as dicts), in report order."""
    return [(name, group.to_dict("records")) for name, group in table.groupby("dataset", sort=False)]


def template(name: str) -> jinja2.Template:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(number=number, percent=percent)
    return environment.get_template(name)


def render(report: Report) -> str:
    run, look = report.run, Looks(report.run.implementations)
    return template("report.html.jinja").render(
        report=report,
        run=run,
        verdict=report.verdict,
        replayer_stated=REPLAYER_STATED,
        no_drive=NO_DRIVE,
        truth_stated=TRUTH_STATED,
        change_of_nvtl=change_of_nvtl,
        sections=SECTIONS,
        drawn=DRAWN,
        groups=groups(report.table),
        dash=NONE,
        shown=report.shown,
        implementations=run.implementations.to_dict("records"),
        datasets=run.datasets.to_dict("records"),
        environment=flat(run.environment),
        gpus=gpus(run.environment),
        plan=plan_facts(run.plan),
        left_out=left_out(run.plan),
        redo=redo(run),
        has_outside=bool((report.table.prepare_ms_p50.notna()).any()),
        iteration_times=report.iteration_times.to_dict("records"),
        feature_costs=report.feature_costs.to_dict("records"),
        tails=report.tails.to_dict("records"),
        short_iterations=SHORT_ITERATIONS,
        least_tail_samples=LEAST_TAIL_SAMPLES,
        batches=report.batches.to_dict("records"),
        searches=groups(report.searches),
        NOT_LOWER=NOT_LOWER,
        LOWER=LOWER,
        at_once=report.at_once.to_dict("records"),
        ladder=ladder_rows(report.ladder),
        rungs=rungs_of(report.ladder),
        rung_name=rung_name,
        search_count=int(report.searches.n.sum()),
        search_limits=(SEARCH_SUCCESS_M, SEARCH_SUCCESS_DEG),
        transfers=report.transfers.to_dict("records"),
        zero_transfer=report.zero_transfer.to_dict("records"),
        meetings=report.meetings.to_dict("records"),
        without_counts=report.without_counts,
        count=count,
        per_iteration=per_iteration,
        bands=band_rows(report.basin),
        idle=idle_rows(report.idle),
        idle_rates=[rate_name(rate) for rate in idle_rates(report.idle)],
        idle_cell=cell,
        answers=report.answers.to_dict("records"),
        equivalence=report.equivalence.to_dict("records"),
        worst=report.worst.to_dict("records"),
        stopping=report.stopping.to_dict("records"),
        detection=report.detection.to_dict("records"),
        trajectory_errors=report.trajectory_errors.to_dict("records"),
        badge=lambda name: badge(name, look),
        mark=mark,
        script="\n" + script(),
        script_hash=script_hash("\n" + script()),
        interval=interval,
        fastest_cpu=fastest_cpu,
        error_pair=error_pair,
    )
