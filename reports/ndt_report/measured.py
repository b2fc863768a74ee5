"""What a run measured, in the terms of the design documents' promises: by GPU and CPU, by size, per iteration."""

import numpy as np
import pandas as pd

from .accuracy import KEY
from .latency import speed_up, timed
from .reference import SAME_ALIGNMENT, on_gpu, within_equal_bound
from .scaling import scaling_datasets
from .transfers import Fit, iteration_fit


class Measured:
    """rows: of judged_rows(); table: of summary_table(); searches: of search_rows(), or None."""

    def __init__(self, rows: pd.DataFrame, table: pd.DataFrame, implementations: pd.DataFrame, searches=None):
        self.rows, self.table, self.implementations = rows, table, implementations
        self.searches = searches
        peer = rows.implementation.map(implementations.peer).astype(bool)
        self.own = rows[~peer & rows.error.isna()]
        self.made_for_size = scaling_datasets(rows)
        self.gpu_names = {name for name in implementations.index if on_gpu(name, implementations)}
        t = timed(self.own[self.own.variant == "autoware"])
        self.times = t.assign(pass_ms=t.align_ms / t.evaluations, build_ms=t.build_us / 1000)

    def side(self, frame, gpu: bool):
        return frame[frame.implementation.isin(self.gpu_names) == gpu]

    def of(self, name: str) -> pd.DataFrame:
        return self.own[(self.own.implementation == name) & (self.own.variant == "autoware")]

    def no_row(self, name: str) -> str:
        reason = self.implementations.reason.get(name)
        return f"needs {name}" + (f" ({reason})" if reason else "")

    def no_gpu(self, only=None) -> str:
        if only:
            return self.no_row(only)
        reasons = sorted({str(self.implementations.reason[n]) for n in self.gpu_names if self.implementations.reason[n]})
        return "needs a row on a GPU" + (f" ({'; '.join(reasons)})" if reasons else "")

    # --- times ---

    def best_at_size(self, gpu: bool, value: str, size_column: str, size: int):
        """(name, size, ms) of the fastest row at the smallest size that is at least `size`, else at the largest; None if no row."""
        rows = self.side(self.times, gpu)
        if rows.empty:
            return None
        medians = (
            rows.groupby(["implementation", "threads", "dataset"], sort=False)
            .agg(at=(size_column, "median"), ms=(value, "median"))
            .reset_index()
        )
        enough = medians[medians["at"] >= 0.98 * size]
        at = enough["at"].min() if len(enough) else medians["at"].max()
        best = medians[medians["at"] == at].sort_values("ms", kind="stable").iloc[0]
        return best.implementation, best["at"], best.ms

    def slowest(self, gpu: bool, quantile: str, only=None):
        """(name, dataset, ms): on every dataset the best row, and of these the slowest. Scenes made for their size do not count."""
        table = self.side(
            self.table[(self.table.variant == "autoware") & ~self.table.peer & self.table[quantile].notna()], gpu
        )
        table = table[~table.dataset.isin(self.made_for_size) & ((table.implementation == only) if only else True)]
        if table.empty:
            return None
        best = (
            table.sort_values(quantile, kind="stable")
            .drop_duplicates("dataset")
            .sort_values(quantile, kind="stable")
            .iloc[-1]
        )
        return best.implementation, best.dataset, best[quantile]

    def time_text(self, found, quantile: str) -> str:
        return f"{found[0]}: {quantile.rsplit('_', 1)[1]} {found[2]:.3g} ms on {found[1]}, its slowest dataset"

    def slowest_text(self, gpu: bool, quantile: str) -> str:
        found = self.slowest(gpu, quantile)
        return "" if found is None else self.time_text(found, quantile)

    def one_pass(self, gpu: bool):
        """(name, ms, points) of a pass over the scan: the best row's median on the dataset of median size."""
        rows = self.side(self.times, gpu)
        if rows.empty:
            return None
        sizes = rows.groupby("dataset").points.median().sort_values(kind="stable")
        typical = rows[rows.dataset == sizes.index[(len(sizes) - 1) // 2]]
        best = typical.groupby(["implementation", "threads"], sort=False).pass_ms.median().sort_values(kind="stable")
        return best.index[0][0], best.iloc[0], typical.points.median()

    def pass_text(self, gpu: bool) -> str:
        found = self.one_pass(gpu)
        return "" if found is None else f"{found[0]}: {found[1]:.3g} ms a pass over {found[2]:,.0f} points"

    # --- against each other ---

    def compared(self, gpu: bool) -> pd.DataFrame:
        return self.side(self.own[self.own.translation_vs_ref_m.notna()], gpu)

    def within_equal(self, rows) -> pd.Series:
        return within_equal_bound(rows)

    def ratio(self, name: str, base: str):
        """speed_up() of the best-threaded rows of both, over all datasets both timed; None if there is none."""

        def best(which):
            own = self.times[self.times.implementation == which]
            medians = (
                own.groupby(["dataset", "threads"]).align_ms.median().reset_index().sort_values("align_ms", kind="stable")
            )
            return own.merge(medians.drop_duplicates("dataset")[["dataset", "threads"]], on=["dataset", "threads"])

        own, other = best(name), best(base)
        found = speed_up(own, other) if len(own) and len(other) else {"pairs": 0}
        return found if found["pairs"] else None

    def ratio_text(self, name: str, base: str) -> str:
        found = self.ratio(name, base)
        if found is None:
            return ""
        interval = f" [{1 / found['speed_high']:.3g}, {1 / found['speed_low']:.3g}]" if found["jobs"] > 1 else ""
        return f"{name}: {1 / found['speed']:.3g} times {base}'s time{interval} (n = {found['pairs']})"

    def same_result(self, name: str, other: str):
        """Share of alignments in which both stop alike after as many iterations; None without common ones."""
        both = self.of(name).merge(self.of(other), on=SAME_ALIGNMENT, suffixes=("", "_other"))
        return (
            None
            if both.empty
            else float(((both.stop == both.stop_other) & (both.iterations == both.iterations_other)).mean())
        )

    # --- transfers ---

    def per_iteration(self, name: str, columns) -> Fit | None:
        """iteration_fit() of the columns' sum."""
        return iteration_fit(self.of(name), columns)

    def device_memory(self):
        """(name, dataset, bytes) of the row on a GPU that held the most; scenes made for their size do not count. None if unknown."""
        rows = self.side(self.own[~self.own.dataset.isin(self.made_for_size)], True).dropna(subset=["peak_device_bytes"])
        if rows.empty:
            return None
        most = rows.loc[rows.peak_device_bytes.idxmax()]
        return most.implementation, most.dataset, most.peak_device_bytes

    def memory_of_variant(self, name: str, words):
        """Device memory of the first variant with one of the words in its name beyond autoware's, bytes per point of the scan, on
        the same alignments; None without them."""
        rows = self.own[(self.own.implementation == name) & self.own.peak_device_bytes.notna()]
        both = self._beside_autoware(rows, words)
        return None if both is None else float(((both.peak_device_bytes - both.peak_device_bytes_plain) / both.points).max())

    # --- variants ---

    def variant_cost(self, name: str, words):
        """Time per iteration of the first variant with one of the words in its name, over autoware's; None without one."""
        rows = timed(self.own[self.own.implementation == name])
        both = self._beside_autoware(rows.assign(per_iteration=rows.align_ms / rows.iterations.clip(lower=1)), words)
        return None if both is None else float(np.exp(np.log(both.per_iteration / both.per_iteration_plain).mean()))

    @staticmethod
    def _beside_autoware(rows, words):
        """The first variant with one of the words in its name, with autoware's columns of the same alignments as <name>_plain."""
        found = [v for v in sorted(set(rows.variant)) if any(w in v for w in words)]
        if not found:
            return None
        keys = [k for k in KEY if k != "variant"] + ["frame", "guess_name"]
        both = rows[rows.variant == found[0]].merge(rows[rows.variant == "autoware"], on=keys, suffixes=("", "_plain"))
        return None if both.empty else both

    def variant_text(self, name: str, words) -> str:
        cost = self.variant_cost(name, words)
        return "" if cost is None else f"{name}: {cost:.3g} times the time per iteration"
