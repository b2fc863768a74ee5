"""Peers that end nearer to the truth than what the verdict recommends, or as near in less time: it has to name
them. Nothing else in a report says that a peer is more accurate."""

import numpy as np
import pandas as pd

from .accuracy import TRUTH
from .against_truth import NO_WORSE, alignments_of, counted_as
from .latency import MARGIN
from ..page_numbers import number
from .reference import SAME_ALIGNMENT
from .stats import wilson

COLUMNS = ["dataset", "base", "peer", "peer_mm", "base_mm", "scans", "sure", "counted_as"]


def better_peers(measurements: pd.DataFrame, table: pd.DataFrame, bases: dict, datasets: pd.DataFrame):
    """Rows of COLUMNS. bases: of each dataset the row of summary_table() to compare with.

    More accurate: more scans end nearer to the truth than do not (sure: by Wilson's interval), the median
    error is lower by more than MARGIN, that of the rotation is not higher, and no fewer alignments succeed.
    """
    out = []
    for dataset, base in bases.items():
        rows = table[(table.dataset == dataset) & (table.variant == "autoware")]
        peers = rows[rows.peer & (rows.success_kind == TRUTH)].sort_values("align_ms_p50", kind="stable")
        least_m = datasets.truth_accuracy_m.astype(float).fillna(0)[dataset]
        for peer in peers.drop_duplicates("implementation").itertuples():
            pairs = alignments_of(measurements, peer).merge(
                alignments_of(measurements, base), on=SAME_ALIGNMENT, suffixes=("_peer", "_base")
            )
            found = _compared(pairs, least_m)
            if found:
                names = {"dataset": dataset, "base": base.implementation, "peer": peer.implementation}
                out.append(names | found)
    return pd.DataFrame(out, columns=COLUMNS)


def _compared(pairs, least_m) -> dict:
    """Returns COLUMNS of a more accurate peer; empty for another. A scan counts once, by the median of its
    alignments, because guesses of one scan mostly end at one pose."""
    scans = pairs.groupby("frame")[["m_peer", "m_base", "deg_peer", "deg_base"]].median()
    peer_m, base_m = scans.m_peer.clip(lower=least_m), scans.m_base.clip(lower=least_m)
    wins, n = int((peer_m < base_m).sum()), len(scans)
    if (
        2 * wins <= n
        or not peer_m.median() < (1 - MARGIN) * base_m.median() < np.inf
        or scans.deg_peer.median() > scans.deg_base.median()
        or pairs.success_peer.sum() < pairs.success_base.sum()
    ):
        return {}
    return {
        "peer_mm": 1000 * peer_m.median(),
        "base_mm": 1000 * base_m.median(),
        "scans": n,
        "sure": wilson(wins, n)[0] > 0.5,
        "counted_as": counted_as(least_m, scans[["m_peer", "m_base"]]),
    }


def better_peer_sentences(found: pd.DataFrame) -> list:
    """Returns one sentence for each dataset of better_peers(), the best peer first."""
    out = []
    for (dataset, base), rows in found.groupby(["dataset", "base"], sort=False):
        nearest_first = rows.sort_values("peer_mm", kind="stable")
        named = [f"{_name(row)} ({number(row.peer_mm, 2)} mm)" for row in nearest_first.itertuples()]
        scans, raised = rows.scans.max(), max(rows.counted_as)
        out.append(
            f"More accurate than {base} ({number(rows.base_mm.iloc[0], 2)} mm) on {dataset}:"
            f" {', '.join(named)}; median errors of {scans} scan{'s' if scans != 1 else ''}{raised}."
        )
    return out


def nearest_peer_clause(found: pd.DataFrame, dataset: str) -> str:
    """Names the best peer of better_peers() there, and how many more there are; empty without one."""
    rows = found[found.dataset == dataset].sort_values("peer_mm", kind="stable")
    if rows.empty:
        return ""
    best, more = next(rows.itertuples()), len(rows) - 1
    others = f" and {more} more peer{'s' if more > 1 else ''}" if more else ""
    return f"more accurate than {best.base}: {_name(best)}{others}"


def _name(row) -> str:
    return f"{'' if row.sure else 'probably '}{row.peer}"


def faster_peer_sentences(table: pd.DataFrame, bases: dict) -> list:
    """One a dataset: peers that are no worse against the truth and take less time, with what it takes to prepare a
    scan. bases: as for better_peers()."""
    out = []
    for dataset, base in bases.items():
        rows = table[(table.dataset == dataset) & (table.variant == "autoware") & table.peer & table.comparable]
        rows = rows.assign(ms=rows.align_ms_p50 + rows.prepare_ms_p50.fillna(0)).sort_values("ms", kind="stable")
        rows = rows[rows.ms < (1 - MARGIN) * base.align_ms_p50].drop_duplicates("implementation")
        named = [
            f"{'' if row.by_truth == NO_WORSE else 'probably '}{row.implementation} ({number(row.ms)} ms)"
            for row in rows.itertuples()
        ]
        if named:
            out.append(
                f"Less time than {base.implementation} ({number(base.align_ms_p50)} ms) on {dataset}, the scan's"
                f" preparation included, and no worse against the truth: {', '.join(named)}."
            )
    return out
