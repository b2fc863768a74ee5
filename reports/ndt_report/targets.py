"""What the project requires of itself (targets.toml), evaluated on a run. It is for maintainers and has a page of its own.
Most targets were set for a GPU: what implementations on a CPU reach is put beside them and answers none."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from .grids import on_grids
from .latency import timed
from .page_numbers import number
from .reference import on_gpu, within_equal_bound
from .scaling import scaling_datasets
from .searches import LOWER, NOT_LOWER
from .transfers import kept

MET, MISSED, OPEN = "met", "not met", "not measured"
SAME_SIZE = 0.02  # a size that differs by no more is the one asked for


@dataclass
class Target:
    name: str
    quantity: str  # of QUANTITIES
    unit: str
    reason: str
    preset: str
    at_most: float
    where: str = "GPU"  # or any
    given: dict = field(default_factory=dict)

    @property
    def bound(self) -> str:
        return f"at most {self.at_most:g} {self.unit}"

    def state(self, low: float, high: float) -> str:
        """Of a value between low and high: MET or MISSED only if all of it is on one side of the bound."""
        return MET if kept(high, self.at_most) else OPEN if kept(low, self.at_most) else MISSED


def read_targets() -> list:
    with open(Path(__file__).parent / "targets.toml", "rb") as file:
        return [Target(**entry) for entry in tomllib.load(file)["target"]]


class Side:
    """What the implementations on a GPU, those on a CPU, or any of them measured; peers are left out."""

    def __init__(self, report, searches: pd.DataFrame, where: str):
        known = report.run.implementations
        own = [n for n in known.index if where == "any" or on_gpu(n, known) == (where == "GPU")]
        own = [name for name in own if not known.peer[name]]

        def kept_of(frame):
            return frame if frame.empty else frame[frame.implementation.isin(own)]

        self.tried, self.searches = kept_of(report.rows), kept_of(searches)
        self.rows = self.tried[self.tried.error.isna()]
        self.plain = self.rows[self.rows.variant == "autoware"]
        self.usual = ~self.plain.dataset.isin(scaling_datasets(report.rows))  # datasets that were not made for their size
        self.table, self.at_once = kept_of(report.table), kept_of(report.at_once)
        self.transfers, self.feature_costs = kept_of(report.transfers), kept_of(report.feature_costs)


# Each returns (low, high, text): the value, as far as it is known, and what it was measured on. None if it was not measured.


def build_ms(side: Side, size: int):
    return _at_size(timed(side.plain).assign(value=lambda t: t.build_us / 1000), "map_points", size)


def pass_ms(side: Side, size: int):
    return _at_size(timed(side.plain).assign(value=lambda t: t.align_ms / t.evaluations), "points", size)


def _at_size(times, size_column: str, size: int):
    """The fastest at the smallest size that is large enough, else at the largest."""
    if times.empty:
        return None
    groups = times.groupby(["implementation", "threads", "dataset"], sort=False)
    medians = groups.agg(at=(size_column, "median"), ms=("value", "median")).reset_index()
    enough = medians[medians["at"] >= (1 - SAME_SIZE) * size]
    at = enough["at"].min() if len(enough) else medians["at"].max()
    best = medians[medians["at"] == at].sort_values("ms", kind="stable").iloc[0]
    low, high = (best.ms if at <= (1 + SAME_SIZE) * size else 0.0), (best.ms if len(enough) else np.inf)
    return low, high, f"{best.implementation}: {best.ms:.3g} ms at {at:,.0f} points"


def align_ms(side: Side, quantile: str):
    column = f"align_ms_{quantile}"
    usual = side.table.dataset.isin(side.plain[side.usual].dataset)
    found = _slowest_of_best(side.table[usual & (side.table.variant == "autoware")], column)
    if found is None:
        return None
    return found[column], found[column], f"{found.implementation}: {found[column]:.3g} ms on {found.dataset}"


def _slowest_of_best(table, column: str):
    """On every dataset the best, and of these the slowest."""
    table = table[table[column].notna()].sort_values(column, kind="stable")
    return table.drop_duplicates("dataset").iloc[-1] if len(table) else None


def iterations(side: Side):
    # A grid holds bad guesses on purpose.
    count = side.plain[(side.plain.success == 1) & ~on_grids(side.plain)].iterations
    if count.empty:
        return None
    text = f"median {count.median():g}, 90th percentile {count.quantile(0.9):g} (n = {len(count)})"
    return count.median(), count.median(), text


def other_poses(side: Side):
    rows = side.rows[side.rows.translation_vs_ref_m.notna()]
    if rows.empty:
        return None
    share = 100 * (1 - within_equal_bound(rows).mean())
    worst = f"{1000 * rows.translation_vs_ref_m.max():.3g} mm, {rows.rotation_vs_ref_deg.max():.2g} deg"
    return share, share, f"{share:.3g} % of {len(rows)} poses; the farthest are {worst} away"


def device_mb(side: Side):
    rows = side.plain[side.usual].dropna(subset="peak_device_bytes")
    if rows.empty:
        return None
    most = rows.loc[rows.peak_device_bytes.idxmax()]
    mb = most.peak_device_bytes / 1e6
    return mb, mb, f"{most.implementation}: {mb:.3g} MB on {most.dataset}"


def crashes(side: Side):
    kinds = [*side.tried.error_kind, *side.searches.error_kind]
    count = kinds.count("crash")
    return (count, count, f"{count} in {len(kinds)} measurements") if kinds else None


def upload_bytes_per_point(side: Side):
    rows = side.plain.dropna(subset="upload_bytes")
    return _chosen(rows.assign(value=rows.upload_bytes / rows.points), "value", "best")


def counted(side: Side, column: str, of: str = "best"):
    """A column of transfers_table()."""
    table = side.transfers
    return None if table.empty else _chosen(table[table.variant == "autoware"], column, of)


def _chosen(frame, column: str, of: str):
    """The largest value of the best implementation, or of the worst."""
    values = frame.dropna(subset=column).groupby("implementation", sort=False)[column].max().sort_values(kind="stable")
    if values.empty:
        return None
    name, value = list(values.items())[0 if of == "best" else -1]
    return value, value, f"{name}: {number(value, 4)}"


def broken_budgets(side: Side):
    known = [row for row in side.transfers.itertuples() if row.broken or row.held]
    if not known:
        return None
    broken = [row for row in known if row.broken]
    count = len({row.implementation for row in broken})
    said = "; ".join(f"{row.implementation}, {row.variant}: {row.broken}" for row in broken)
    return count, count, said or f"none of {len({row.implementation for row in known})} with a budget"


def feature_cost(side: Side, feature: str):
    """The variant is the feature's if its name begins with it."""
    costs = side.feature_costs
    costs = costs if costs.empty else costs[costs.variant.str.startswith(feature)]
    if costs.empty:
        return None
    costs = costs.assign(most=costs.cost + costs.cost_within).sort_values("most", ascending=False, kind="stable")
    best = costs.drop_duplicates("implementation").iloc[-1]
    text = f"{best.implementation}: {best.cost:.3f} ± {best.cost_within:.2g} on {best.dataset}"
    return best.cost - best.cost_within, best.most, text


def search_ms(side: Side, particles: int, startup: int):
    table = side.at_once
    fits = (table.judged != LOWER) & (table.startup == startup) & (table.particles == particles)
    found = _slowest_of_best(table[fits], "ms_p50")
    if found is None:
        return None
    text = f"{found.implementation} {found.search_name}: {found.ms_p50:.3g} ms on {found.dataset} (n = {found.n})"
    return found.ms_p50, found.ms_p50, text


def less_successful_searches(side: Side):
    judged = side.at_once[side.at_once.judged.isin([LOWER, NOT_LOWER])]
    lower = judged[judged.judged == LOWER]
    names = "; ".join(f"{row.implementation} {row.search_name} on {row.dataset}" for row in lower.itertuples())
    return (len(lower), len(lower), names or f"none of {len(judged)}") if len(judged) else None


QUANTITIES = {
    function.__name__: function
    for function in (build_ms, pass_ms, align_ms, iterations, other_poses, device_mb, crashes, upload_bytes_per_point)
    + (counted, broken_budgets, feature_cost, search_ms, less_successful_searches)
}


def targets_table(report, searches: pd.DataFrame) -> pd.DataFrame:
    """One row per target: name, bound, state, ours, beside (on a CPU, where the target is for a GPU), reason.
    searches: of search_rows()."""
    sides = {where: Side(report, searches, where) for where in ("GPU", "CPU", "any")}
    out = []
    for target in read_targets():
        measure = QUANTITIES[target.quantity]
        found = measure(sides[target.where], **target.given)
        beside = measure(sides["CPU"], **target.given) if target.where == "GPU" else None
        row = {"name": target.name, "bound": target.bound, "reason": target.reason}
        row |= {"state": target.state(*found[:2]) if found else OPEN, "beside": beside[2] if beside else ""}
        if not found:
            ours = f"ndt-bench run --preset {target.preset} measures it" + (" with a GPU" if target.where == "GPU" else "")
        else:
            ours = found[2] + ("; this does not decide it" if row["state"] == OPEN else "")
        out.append(row | {"ours": ours})
    return pd.DataFrame(out)
