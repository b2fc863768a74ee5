"""Peers that end nearer to the truth than what the verdict recommends, or as near in less time: it has to name
them. Nothing else in a report says that a peer is more accurate. The user's own methods in plain words, beside the same."""

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


def own_sentences(table: pd.DataFrame, bases: dict, own, datasets: pd.DataFrame) -> list:
    """One a method. table: of summary_table(). bases: of recommended(). own: names of the user's methods."""
    return [said for name in own if (said := _own_sentence(name, _beside_bases(table, bases, name, datasets)))]


def _beside_bases(table, bases, name, datasets) -> pd.DataFrame:
    """A row for each dataset: time with a scan's preparation and error, its own and the recommended one's."""
    rows = table[(table.implementation == name) & (table.variant == "autoware")].sort_values("align_ms_p50", kind="stable")
    out = []
    for row in rows.drop_duplicates("dataset").itertuples():
        if row.dataset in bases:
            base, floor = bases[row.dataset], 1000 * float(np.nan_to_num(datasets.truth_accuracy_m.astype(float)[row.dataset]))
            times = {"ms": row.align_ms_p50 + np.nan_to_num(row.prepare_ms_p50), "base_ms": base.align_ms_p50}
            errors = {"mm": max(row.translation_error_mm_p50, floor), "base_mm": max(base.translation_error_mm_p50, floor)}
            out.append({"base": base.implementation, "successes": row.successes, "n": row.measurements} | times | errors)
    return pd.DataFrame(out)


def _own_sentence(name: str, pairs: pd.DataFrame) -> str:
    if pairs.empty:
        return ""
    base = pairs.base.value_counts().index[0]
    parts = [_own_time(pairs, base), _own_errors(pairs), f"{int(pairs.successes.sum())} of its {int(pairs.n.sum())} alignments found the truth"]
    return f"Your {name} " + "; ".join(part for part in parts if part) + "."


def _own_time(pairs, base) -> str:
    ratio = (pairs.ms / pairs.base_ms).dropna()
    if ratio.empty:
        return "was not timed"
    low, high = number(ratio.min(), 2), number(ratio.max(), 2)
    return f"takes {low if low == high else f'{low} to {high}'} times as long as {base}"


def _own_errors(pairs) -> str:
    known = pairs.dropna(subset=["mm", "base_mm"])
    if known.empty:
        return ""
    nearer = int((known.mm < (1 - MARGIN) * known.base_mm).sum())
    farther = int((known.mm > (1 + MARGIN) * known.base_mm).sum())
    counts = {"smaller": nearer, "as large": len(known) - nearer - farther, "larger": farther}
    return "its errors are " + ", ".join(f"{what} on {n}" for what, n in counts.items() if n) + f" of {len(known)} datasets"
