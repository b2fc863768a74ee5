"""Searches from priors of several widths: how often they find the pose, are wrongly sure, and how long they take."""

import numpy as np
import pandas as pd

from ..read.columns import OWN
from ..page_numbers import number
from .searches import IN_ROUNDS, SEARCH_KEY, SETTING, TPE, summary_of
from .stats import wilson

WHOLE_MAP = np.inf  # sigma_m of prior map
WAY = ["dataset", "implementation", "threads", "variant", "method", "strategy", "particles", "startup", "at_once"]
LEAST_RUNGS = 2


def ladder_table(searches: pd.DataFrame) -> pd.DataFrame:
    """One row per WAY and sigma_m, of those that were searched from priors of LEAST_RUNGS widths: way (its method in words),
    TABLE_COLUMNS of search_table(), false_low and false_high (Wilson, of false_reliable among the searches with known truth),
    coarse_ms_p50 (of method anywhere). In the order of searches, narrow priors first. searches: of search_measurements()."""
    rows = []
    for key, group in searches[on_ladders(searches)].groupby(WAY, sort=False):
        for sigma_m, rung in group.groupby("sigma_m"):
            row = dict(zip(WAY, key)) | {"sigma_m": sigma_m} | summary_of(rung)
            low, high = wilson(int(row["false_reliable"]), row["known"]) if row["known"] else (np.nan, np.nan)
            coarse = rung.coarse_us.dropna().astype(float).median() / 1000
            rows.append(row | {"false_low": low, "false_high": high, "coarse_ms_p50": coarse})
    table = pd.DataFrame(rows)
    return table.assign(way=[way_of(row) for row in table.itertuples()]) if rows else pd.DataFrame(columns=["dataset", "way"])


def on_ladders(searches: pd.DataFrame) -> pd.Series:
    """Whether each was searched from priors of LEAST_RUNGS widths."""
    if searches.empty:
        return pd.Series(False, searches.index, bool)
    return searches.groupby(WAY, sort=False).sigma_m.transform("nunique") >= LEAST_RUNGS


def beside_ladders(table: pd.DataFrame, searches: pd.DataFrame) -> pd.DataFrame:
    """Selects from search_table() what is on no ladder: searches from one width are compared with each other in other places."""
    on = searches[on_ladders(searches)]
    settings = set(zip(*(on[key] for key in [*SEARCH_KEY, *SETTING])))
    keys = zip(*(table[name] for name in [*SEARCH_KEY, *SETTING]))
    return table[np.array([key not in settings for key in keys], bool)]


def way_of(row) -> str:
    if row.method == OWN:
        return "a peer's own"
    if row.method != TPE:
        return row.method
    if row.strategy != IN_ROUNDS:
        return f"tpe, {row.strategy}"
    return f"tpe, {row.at_once} at once"


def rung_name(sigma_m: float) -> str:
    return "whole map" if sigma_m == WHOLE_MAP else f"{number(float(sigma_m))} m"


def prior_name(sigma_m: float) -> str:
    return "prior of the whole map" if sigma_m == WHOLE_MAP else f"prior of {rung_name(sigma_m)}"


def rungs_of(table: pd.DataFrame) -> list:
    return sorted(set(table.sigma_m)) if len(table) else []


def ladder_rows(table: pd.DataFrame) -> list:
    """For the page: (dataset, [(way as dict, {sigma_m: row as dict})])."""
    out = []
    for dataset, rows in table.groupby("dataset", sort=False):
        ways = [group.to_dict("records") for _, group in rows.groupby(WAY, sort=False)]
        out.append((dataset, [(rungs[0], {row["sigma_m"]: row for row in rungs}) for rungs in ways]))
    return out


def false_share(table: pd.DataFrame):
    return table.false_reliable / table.known


def ladder_sentences(table: pd.DataFrame) -> list:
    """One a dataset: what its best way finds from the widest prior, and how many wrong poses are called reliable from any."""
    out = []
    for dataset, rows in table.groupby("dataset", sort=False):
        known = rows[rows.known > 0]
        if known.empty:
            continue
        wide = known[known.sigma_m == known.sigma_m.max()]
        best = wide.sort_values(["success_share", "ms_p50"], ascending=[False, True], kind="stable").iloc[0]
        trusted, wrong = int(known.reliable.sum()), int(known.false_reliable.sum())
        said = f"Initial pose on {dataset}, {prior_name(best.sigma_m)}: {best.implementation}, {best.way},"
        said += f" {best.successes} of {best.known} searches succeed, median {number(best.ms_p50)} ms; from all priors"
        out.append(f"{said} {wrong} of {trusted} poses called reliable {'is' if wrong == 1 else 'are'} wrong.")
    return out
