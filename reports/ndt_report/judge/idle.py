"""The time of an alignment as a vehicle calls it: after sleeping until the next tick, beside back to back. Such
measurements have a rate_hz, and no other part of the report counts them."""

import numpy as np
import pandas as pd

from .accuracy import KEY
from ..page_numbers import NONE, number
from .stats import medians, weighted_quantile

PAIR = KEY + ["frame", "guess_name"]
CALL = ["rate_hz", "announced_ms"]
COLUMNS = KEY + CALL + ["n", "align_ms_p50", "align_ms_p90", "over_back_to_back"]
MOST_LINES = 4  # of a terminal


def idle_table(measurements: pd.DataFrame, at_rates: pd.DataFrame) -> pd.DataFrame:
    """Returns COLUMNS with a row for each KEY and CALL: rate 0 is back to back, announced_ms 0 not announced. Counts
    the measurements that were taken in every CALL without an error, with equal weights. over_back_to_back: geometric
    mean of the ratios of their medians. at_rates: the measurements with a rate."""
    names = set(at_rates.implementation)
    rows = pd.concat([measurements[measurements.implementation.isin(names)].assign(rate_hz=0.0), at_rates])
    rows["announced_ms"] = rows.announced_ms.fillna(0.0)
    rows = rows[rows.error.isna() & rows.search.isna() & (rows.poses == 1) & (rows.timing != "single")]
    table = []
    for key, group in rows.groupby(KEY, sort=False):
        calls = idle_calls(group)
        complete = group.groupby(PAIR).rate_hz.transform("size") == len(calls)
        group = group[complete].sort_values([*CALL, *PAIR], kind="stable")
        if (0, 0) not in calls or len(calls) < 2 or group.empty:
            continue
        alone = medians(group[group.rate_hz == 0].align_us.array)
        for call, of_call in group.groupby(CALL):
            table.append(dict(zip(KEY, key)) | dict(zip(CALL, call)) | _times(of_call.align_us, alone))
    return pd.DataFrame(table, columns=COLUMNS)


def _times(align_us, alone) -> dict:
    """alone: medians of the same measurements back to back, in the same order."""
    times = np.concatenate(list(align_us)) / 1000
    weights = np.concatenate([np.full(len(v), 1 / len(v)) for v in align_us])
    return {
        "n": len(align_us),
        "align_ms_p50": weighted_quantile(times, weights, 0.5),
        "align_ms_p90": weighted_quantile(times, weights, 0.9),
        "over_back_to_back": float(np.exp(np.log(medians(align_us.array) / alone).mean())),
    }


def idle_rows(table: pd.DataFrame) -> list:
    """Returns rows of the page: a dict for each KEY, with one dict or None for each of idle_calls()."""
    calls, rows = idle_calls(table), []
    for key, group in table.groupby(KEY, sort=False):
        of_call = {(row["rate_hz"], row["announced_ms"]): row for row in group.to_dict("records")}
        rows.append(dict(zip(KEY, key)) | {"n": int(group.n.iloc[0]), "at": [of_call.get(call) for call in calls]})
    return rows


def at_lowest_rate(table: pd.DataFrame) -> pd.DataFrame:
    """Selects what is called at the lowest rate, and not announced."""
    return table[(table.rate_hz == table.rate_hz[table.rate_hz > 0].min()) & (table.announced_ms == 0)]


def idle_calls(table: pd.DataFrame) -> list:
    """Returns the pairs of rate and announcement, each once."""
    return sorted(set(zip(table.rate_hz, table.announced_ms)))


def call_name(rate_hz, announced_ms) -> str:
    said = f", announced {announced_ms:g} ms before" if announced_ms else ""
    return f"{rate_hz:g} Hz{said}" if rate_hz else "back to back"


def _called(row) -> str:
    """For a line in which the same rate, not announced, stands before."""
    if row.announced_ms:
        return "announced"
    return f"at {call_name(row.rate_hz, 0)}" if row.rate_hz else call_name(0, 0)


def idle_lines(table: pd.DataFrame) -> list:
    """For a terminal: of each dataset the implementation that is fastest at its lowest rate."""
    lines = []
    for dataset, group in table.groupby("dataset", sort=False):
        slowest = at_lowest_rate(group)
        best = slowest.loc[slowest.align_ms_p50.idxmin()]
        same = group[(group[KEY] == best[KEY]).all(axis=1)]
        times = ", ".join(f"{number(row.align_ms_p50)} {_called(row)}" for row in same.itertuples())
        lines.append(f"After idle, {dataset}: {best.implementation}, {best.threads:g} threads, p50 ms: {times}")
    return lines[:MOST_LINES]


def cell(at) -> str:
    """Median and 90th percentile in ms, and the ratio to back to back."""
    if at is None:
        return NONE
    text = f"{number(at['align_ms_p50'])} / {number(at['align_ms_p90'])}"
    return text if not at["rate_hz"] else f"{text} ({at['over_back_to_back']:.2g}x)"
