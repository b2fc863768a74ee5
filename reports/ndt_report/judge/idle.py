"""The time of an alignment as a vehicle calls it: after sleeping until the next tick, beside back to back. Such
measurements have a rate_hz, and no other part of the report counts them."""

import numpy as np
import pandas as pd

from .accuracy import KEY
from ..page_numbers import NONE, number
from .stats import medians, weighted_quantile

PAIR = KEY + ["frame", "guess_name"]
COLUMNS = KEY + ["rate_hz", "n", "align_ms_p50", "align_ms_p90", "over_back_to_back"]
MOST_LINES = 4  # of a terminal


def idle_table(measurements: pd.DataFrame, at_rates: pd.DataFrame) -> pd.DataFrame:
    """Returns COLUMNS with a row for each KEY and rate, 0 for back to back. Counts the measurements that were taken
    at every rate and back to back without an error, with equal weights. over_back_to_back: geometric mean of the
    ratios of their medians. at_rates: the measurements with a rate."""
    names = set(at_rates.implementation)
    rows = pd.concat([measurements[measurements.implementation.isin(names)].assign(rate_hz=0.0), at_rates])
    rows = rows[rows.error.isna() & rows.search.isna() & (rows.poses == 1) & (rows.timing != "single")]
    table = []
    for key, group in rows.groupby(KEY, sort=False):
        rates = sorted(group.rate_hz.unique())
        complete = group.groupby(PAIR).rate_hz.transform("nunique") == len(rates)
        group = group[complete].sort_values(["rate_hz", *PAIR], kind="stable")
        if 0 not in rates or len(rates) < 2 or group.empty:
            continue
        alone = medians(group[group.rate_hz == 0].align_us.array)
        for rate, of_rate in group.groupby("rate_hz"):
            table.append(dict(zip(KEY, key)) | {"rate_hz": rate} | _times(of_rate.align_us, alone))
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
    """Returns rows of the page: a dict for each KEY, with one dict or None for each of idle_rates()."""
    rates, rows = idle_rates(table), []
    for key, group in table.groupby(KEY, sort=False):
        by_rate = {row["rate_hz"]: row for row in group.to_dict("records")}
        rows.append(dict(zip(KEY, key)) | {"n": int(group.n.iloc[0]), "at": [by_rate.get(r) for r in rates]})
    return rows


def idle_rates(table: pd.DataFrame) -> list:
    return sorted(table.rate_hz.unique())


def rate_name(rate_hz) -> str:
    return f"{rate_hz:g} Hz" if rate_hz else "back to back"


def _called(rate_hz) -> str:
    return f"at {rate_name(rate_hz)}" if rate_hz else rate_name(rate_hz)


def idle_lines(table: pd.DataFrame) -> list:
    """For a terminal: of each dataset the implementation that is fastest at its lowest rate."""
    lines = []
    for dataset, group in table.groupby("dataset", sort=False):
        slowest = group[group.rate_hz == group.rate_hz[group.rate_hz > 0].min()]
        best = slowest.loc[slowest.align_ms_p50.idxmin()]
        same = group[(group[KEY] == best[KEY]).all(axis=1)]
        times = ", ".join(f"{number(row.align_ms_p50)} {_called(row.rate_hz)}" for row in same.itertuples())
        lines.append(f"After idle, {dataset}: {best.implementation}, {best.threads:g} threads, p50 ms: {times}")
    return lines[:MOST_LINES]


def cell(at) -> str:
    """Median and 90th percentile in ms, and the ratio to back to back."""
    if at is None:
        return NONE
    text = f"{number(at['align_ms_p50'])} / {number(at['align_ms_p90'])}"
    return text if not at["rate_hz"] else f"{text} ({at['over_back_to_back']:.2g}x)"
