"""Warnings that a reader needs before using the numbers."""

import numpy as np

from ..read.environment import left_out
from ..read.load import Run
from ..page_numbers import number
from .stats import of_each

BUSY_LOAD = 0.5  # per core: other work when the run began
UNSTEADY = 0.3  # typical_spread of a machine with other work; that of a quiet one is below 0.1
FEWEST_REPEATS = 5  # for a range between quartiles
MOST_CAPPED = 0.05  # of what was timed; more than these cut off leave no sure time
OWN_SOLVER = "own"  # a row's solver begins with it where the library was not there
DIRTY = "-dirty"  # at the end of a commit: the tree had changes that no commit holds


def busy(environment: dict) -> bool:
    load, cores = environment.get("load_average_1_min"), environment.get("cores")
    return isinstance(load, (int, float)) and isinstance(cores, int) and load > BUSY_LOAD * cores


def doubts(run: Run, measurements, rows) -> list:
    """Why a faster time of these rows of summary_table() is only probable, though their intervals are clear."""
    out = []
    if busy(run.environment):
        out.append("the machine was busy")
    if typical_spread(measurements) > UNSTEADY:
        out.append("times were unsteady")
    if (rows.wall_cap_share > MOST_CAPPED).any():
        out.append("repeats were cut off before they settled")
    return out


def _of_peers(peers) -> list:
    """peers: the rows of summary_table() of those that were timed."""
    names = list(peers.implementation.unique())
    if not names:
        return []
    what = "is another algorithm on the same data (a peer): its poses and stopping rule differ, so its"
    if len(names) > 1:
        what = "are other algorithms on the same data (peers): their poses and stopping rules differ, so their"
    said = f"{', '.join(names)} {what} times are no like-for-like comparison."
    times = [(name, peers[peers.implementation == name].prepare_ms_p50.dropna()) for name in names]
    known = [f"{name} {_range(ms)} ms" for name, ms in times if len(ms)]
    return [said + (f" Their times leave out the preparation of a scan, their speeds count it: {', '.join(known)}." if known else "")]


def _range(values) -> str:
    low, high = (number(values.agg(end), 2) for end in ("min", "max"))
    return low if low == high else f"{low} to {high}"


def typical_spread(measurements) -> float:
    """Median over timed measurements of the inter-quartile range of their repeats, as a share of their
    median; NaN if none."""
    repeats = measurements[measurements.error.isna() & (measurements.timing != "single")].align_us
    shares = of_each([v for v in repeats if len(v) >= FEWEST_REPEATS], _spreads)
    return float(np.median(shares)) if len(shares) else np.nan


def _spreads(repeats) -> np.ndarray:
    return np.subtract(*np.percentile(repeats, [75, 25], axis=1)) / np.median(repeats, axis=1)


def cautions(run: Run, measurements, table) -> list:
    """table: of summary_table()."""
    out = _of_times(run, measurements) + _of_measurements(run, measurements)
    out += _of_peers(table[table.peer & table.align_ms_p50.notna()])
    return out + _of_accuracy(table[~table.equal & ~table.peer & table.align_ms_p50.notna()])


def _of_times(run: Run, measurements) -> list:
    out, environment = [], run.environment
    if (spread := typical_spread(measurements)) > UNSTEADY:
        out.append(
            "Times are unsteady: half of the repeats of one and the same alignment spread over"
            f" {100 * spread:.0f} % of their median. Other work slows implementations with several threads"
            " most, above all those whose threads spin: measure on a quiet machine."
        )
    if busy(environment):
        load, cores = environment["load_average_1_min"], environment["cores"]
        out.append(f"The machine was busy when the run began: load {number(load, 2)} on {cores} cores.")
    if environment.get("build_type", "Release") != "Release" or environment.get("sanitizers"):
        out.append(
            f"This is a {environment.get('build_type')} "
            f"build{' with sanitizers' if environment.get('sanitizers') else ''}: its times mean nothing."
        )
    if (environment.get("commit") or "").endswith(DIRTY):
        out.append(
            f"The tree had changes that commit {environment['commit'].removesuffix(DIRTY)[:12]} does not hold:"
            " nobody else can repeat this run."
        )
    capped = measurements[measurements.timing == "wall_cap"]
    if len(capped):
        timed = measurements.timing.isin(["settled", "wall_cap"]).sum()
        out.append(
            f"{100 * len(capped) / timed:.0f} % of the timed measurements hit the wall-clock cap before their"
            " repeats settled."
        )
    return out


def _of_measurements(run: Run, measurements) -> list:
    out = []
    if errors := int(measurements.error.notna().sum()):
        kinds = measurements.error_kind.value_counts()
        out.append(
            f"{errors} measurements failed with an error "
            f"({', '.join(f'{k} {kinds[k]}' for k in sorted(kinds.index))}); they count as failures."
        )
    out += _of_solvers(measurements)
    if left := left_out(run.plan):
        out.append(
            f"Left out: {'; '.join(left[:3])}"
            + (f"; and {len(left) - 3} more, listed under Method." if len(left) > 3 else ".")
        )
    of_oracle = measurements[(measurements.implementation == run.oracle) & measurements.error.isna()]
    compared = set(of_oracle.dataset)
    if missing := [name for name in measurements.dataset.unique() if name not in compared]:
        out.append(f"Without {run.oracle}: {', '.join(missing)}. Nothing is compared there.")
    return out


def _of_solvers(measurements) -> list:
    """Names implementations that solved without the library they are made for."""
    solved = measurements[measurements.solver.notna()].drop_duplicates(["implementation", "solver"])
    own = solved[solved.solver.str.startswith(OWN_SOLVER)]
    return [f"{row.implementation} solved its systems with its {row.solver}." for row in own.itertuples()]


def _of_accuracy(unequal) -> list:
    """unequal: rows of summary_table() with other poses than the oracle's."""
    out = []
    for row in unequal[unequal.why_not.str.startswith("not equal")].head(3).itertuples():
        variant = "" if row.variant == "autoware" else f", {row.variant}"
        name, why = f"{row.implementation} ({row.threads:g} thr{variant})", f"{row.why_not}{change_of_nvtl(row.nvtl_change)}"
        out.append(
            f"{name} is compared on {row.dataset} by the truth, against which it is {row.by_truth}: {why}."
            if row.comparable
            else f"{name} gets no speed verdict on {row.dataset}: {why}"
            f"{'; ' + row.why_not_comparable if row.by_truth else ''}."
        )
    return out


def change_of_nvtl(median: float) -> str:
    """nvtl_change of summary_table(), after what makes a row unequal; empty where a method has no NVTL."""
    return f"; NVTL {median:+.3f}" if median == median else ""
