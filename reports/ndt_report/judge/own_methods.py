"""The user's own methods in plain words: how they stand beside what the verdict recommends."""

import numpy as np
import pandas as pd

from .latency import MARGIN
from ..page_numbers import number


def own_sentences(table: pd.DataFrame, bases: dict, own, datasets: pd.DataFrame) -> list:
    """One a method. table: of summary_table(). bases: of recommended(). own: names of the user's methods."""
    return [said for name in own if (said := _sentence(name, _pairs(table, bases, name, datasets)))]


def _pairs(table, bases, name, datasets) -> pd.DataFrame:
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


def _sentence(name: str, pairs: pd.DataFrame) -> str:
    if pairs.empty:
        return ""
    base = pairs.base.value_counts().index[0]
    parts = [_time(pairs, base), _errors(pairs), f"{int(pairs.successes.sum())} of its {int(pairs.n.sum())} alignments found the truth"]
    return f"Your {name} " + "; ".join(part for part in parts if part) + "."


def _time(pairs, base) -> str:
    ratio = (pairs.ms / pairs.base_ms).dropna()
    if ratio.empty:
        return "was not timed"
    low, high = number(ratio.min(), 2), number(ratio.max(), 2)
    return f"takes {low if low == high else f'{low} to {high}'} times as long as {base}"


def _errors(pairs) -> str:
    known = pairs.dropna(subset=["mm", "base_mm"])
    if known.empty:
        return ""
    nearer = int((known.mm < (1 - MARGIN) * known.base_mm).sum())
    farther = int((known.mm > (1 + MARGIN) * known.base_mm).sum())
    counts = {"smaller": nearer, "as large": len(known) - nearer - farther, "larger": farther}
    return "its errors are " + ", ".join(f"{what} on {n}" for what, n in counts.items() if n) + f" of {len(known)} datasets"
