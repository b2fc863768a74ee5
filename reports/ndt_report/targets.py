"""What the project requires of itself (targets.toml), evaluated on a run. It is for maintainers and has a
page of its own. Most targets were set for a GPU: what implementations on a CPU reach is put beside them and
answers none."""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from .grids import on_grids
from .latency import timed
from .page_numbers import number
from .reference import on_gpu, within_equal_bound
from .searches import LOWER, NOT_LOWER
from .transfers import kept

MET, MISSED, OPEN = "met", "not met", "not measured"
SAME_SIZE = 0.02  # a size that differs by no more is the one asked for


@dataclass
class Target:
    name: str
    quantity: str  # a method of Side
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

        self.tried, self.searches = kept_of(report.measurements), kept_of(searches)
        self.measurements = self.tried[self.tried.error.isna()]
        self.plain = self.measurements[self.measurements.variant == "autoware"]
        # A dataset that was made for its size says nothing of a typical one.
        self.usual = self.plain[~self.plain.dataset.isin(report.sized)]
        self.table, self.at_once = kept_of(report.table), kept_of(report.at_once)
        self.transfers, self.feature_costs = kept_of(report.transfers), kept_of(report.feature_costs)

    # Each quantity of a target is (low, high, text): the value, as far as it is known, and what it was
    # measured on. None if it was not measured.

    def build_ms(self, size: int):
        return _at_size(timed(self.plain).assign(value=lambda t: t.build_us / 1000), "map_points", size)

    def pass_ms(self, size: int):
        return _at_size(timed(self.plain).assign(value=lambda t: t.align_ms / t.evaluations), "points", size)

    def align_ms(self, quantile: str):
        table = self.table[(self.table.variant == "autoware") & self.table.dataset.isin(self.usual.dataset)]
        return _slowest_of_best(table, f"align_ms_{quantile}")

    def iterations(self):
        # A grid holds bad guesses on purpose.
        count = self.plain[(self.plain.success == 1) & ~on_grids(self.plain)].iterations
        if count.empty:
            return None
        text = f"median {count.median():g}, 90th percentile {count.quantile(0.9):g} (n = {len(count)})"
        return _exactly(count.median(), text)

    def other_poses(self):
        compared = self.measurements[self.measurements.translation_vs_ref_m.notna()]
        if compared.empty:
            return None
        share = 100 * (1 - within_equal_bound(compared).mean())
        metres, degrees = compared.translation_vs_ref_m.max(), compared.rotation_vs_ref_deg.max()
        worst = f"{number(1000 * metres)} mm, {number(degrees, 2)} deg"
        return _exactly(share, f"{number(share)} % of {len(compared)} poses; the farthest are {worst} away")

    def device_mb(self):
        return _chosen(self.usual.assign(mb=self.usual.peak_device_bytes / 1e6), "mb", "worst")

    def crashes(self):
        kinds = [*self.tried.error_kind, *self.searches.error_kind]
        count = kinds.count("crash")
        return _exactly(count, f"{count} in {len(kinds)} measurements") if kinds else None

    def upload_bytes_per_point(self):
        return _chosen(self.plain.assign(bytes=self.plain.upload_bytes / self.plain.points), "bytes", "best")

    def counted(self, column: str, of: str = "best"):
        """A column of transfers_table()."""
        table = self.transfers
        return None if table.empty else _chosen(table[table.variant == "autoware"], column, of)

    def broken_budgets(self):
        known = [row for row in self.transfers.itertuples() if row.broken or row.held]
        if not known:
            return None
        broken = [row for row in known if row.broken]
        count = len({row.implementation for row in broken})
        said = "; ".join(f"{row.implementation}, {row.variant}: {row.broken}" for row in broken)
        return _exactly(count, said or f"none of {len({row.implementation for row in known})} with a budget")

    def feature_cost(self, feature: str):
        """The variant is the feature's if its name begins with it."""
        costs = self.feature_costs
        if len(costs):  # a cost that may as well be none is not known
            costs = costs[costs.variant.str.startswith(feature) & (costs.cost > costs.cost_within)]
        if costs.empty:
            return None
        costs = costs.assign(most=costs.cost + costs.cost_within).sort_values("most", kind="stable")
        best = costs.drop_duplicates("implementation", keep="last").iloc[0]
        text = f"{best.implementation}: {best.cost:.3f} ± {number(best.cost_within, 2)} on {best.dataset}"
        return best.cost - best.cost_within, best.most, text

    def search_ms(self, particles: int, startup: int):
        table = self.at_once
        fits = (table.judged != LOWER) & (table.startup == startup) & (table.particles == particles)
        return _slowest_of_best(table[fits], "ms_p50")

    def less_successful_searches(self):
        judged = self.at_once[self.at_once.judged.isin([LOWER, NOT_LOWER])]
        lower = judged[judged.judged == LOWER]
        names = [f"{row.implementation} {row.search_name} on {row.dataset}" for row in lower.itertuples()]
        return _exactly(len(lower), "; ".join(names) or f"none of {len(judged)}") if len(judged) else None


def _exactly(value: float, text: str):
    return value, value, text


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
    return low, high, f"{best.implementation}: {number(best.ms)} ms at {at:,.0f} points"


def _slowest_of_best(table, column: str):
    """On every dataset the best, and of these the slowest."""
    table = table[table[column].notna()].sort_values(column, kind="stable")
    if table.empty:
        return None
    found = table.drop_duplicates("dataset").iloc[-1]
    name = " ".join([found.implementation, found.get("search_name", "")]).strip()
    return _exactly(found[column], f"{name}: {number(found[column])} ms on {found.dataset}")


def _chosen(frame, column: str, of: str):
    """The largest value of the best implementation, or of the worst."""
    values = frame.dropna(subset=column).groupby("implementation", sort=False)[column].max()
    if values.empty:
        return None
    name = values.idxmin() if of == "best" else values.idxmax()
    return _exactly(values[name], f"{name}: {number(values[name], 4)}")


def targets_table(report, searches: pd.DataFrame) -> pd.DataFrame:
    """One row per target: name, bound, state, ours, beside (on a CPU), reason.

    searches: of search_measurements()."""
    sides = {where: Side(report, searches, where) for where in ("GPU", "CPU", "any")}
    out = []
    for target in read_targets():
        found = getattr(sides[target.where], target.quantity)(**target.given)
        beside = getattr(sides["CPU"], target.quantity)(**target.given) if target.where == "GPU" else None
        state = target.state(*found[:2]) if found else OPEN
        if found:
            ours = found[2] + ("; this does not decide it" if state == OPEN else "")
        else:
            where = " with a GPU" if target.where == "GPU" else ""
            ours = f"ndt-bench run --preset {target.preset} measures it{where}"
        row = {"name": target.name, "bound": target.bound, "state": state, "ours": ours}
        out.append(row | {"beside": beside[2] if beside else "", "reason": target.reason})
    return pd.DataFrame(out)
