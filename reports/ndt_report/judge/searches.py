"""Searches for the initial pose: how often they find it, how long they take, and whether they know when they
have not."""

import numpy as np
import pandas as pd

from .accuracy import SEARCH_SUCCESS_DEG, SEARCH_SUCCESS_M
from ..read.columns import METHODS, OWN, SEARCH_COLUMNS, STRATEGIES
from ..read.kinds import PATH_KEYS
from .latency import known_quantile
from ..read.load import natural_key
from .stats import wilson

SEARCH_KEY = ["dataset", "implementation", "search_name", "threads"]
SETTING = ["strategy", "method", "particles", "startup", "at_once", "sigma_m"]
TPE, SEQUENTIAL, IN_ROUNDS = "tpe", "sequential", "batched_persistent"
NOT_LOWER, LOWER = "not lower", "lower"
LEAST_SEARCHES = 3  # of a setting; of fewer, made for a picture, a share says nothing
TABLE_COLUMNS = [
    "n",
    "errors",
    "successes",
    "known",
    "success_share",
    "success_low",
    "success_high",
    "ms_p50",
    "ms_p90",
    "ms_p99",
]
TABLE_COLUMNS += [
    "iterations_per_particle",
    "reliable",
    "reliable_share",
    "false_reliable",
    "false_share",
    "ambiguous_share",
    "launches",
]


def search_measurements(measurements: pd.DataFrame) -> pd.DataFrame:
    """Selects the searches among a run's measurements, in the order of the tables. Adds SEARCH_COLUMNS as columns, with the
    name as search_name, which has the variant unless it is autoware. Adds sigma_m (of x; infinite for the whole map) and ms
    (NaN with an error). Adds success: 1, 0, or NaN without truth. An error is no success."""
    measurements = _with_preparation(measurements[measurements.search.notna()].reset_index(drop=True))
    keys = pd.DataFrame(list(measurements.search), columns=[c.name for c in SEARCH_COLUMNS], dtype=object)
    names = [n if v == "autoware" else f"{n}, {v}" for n, v in zip(keys.name, measurements.variant)]
    of_alignments = ["verdict", "matched", "spread_m"]  # a search has its own
    measurements = measurements.drop(columns=of_alignments, errors="ignore")
    measurements = pd.concat([measurements, keys.drop(columns="name")], axis=1).assign(search_name=names)
    measurements[SETTING[2:5]] = measurements[SETTING[2:5]].astype(int)
    widths = zip(measurements.prior, measurements.sigma)
    measurements["sigma_m"] = [np.inf if prior == "map" else float(sigma[0]) for prior, sigma in widths]
    ms = [np.nan if v is None else np.median(v) / 1000 for v in measurements.align_us]
    measurements = measurements.assign(ms=np.array(ms, float), success=_success(measurements))
    return measurements.iloc[_side_by_side(measurements)].reset_index(drop=True)


def _with_preparation(measurements) -> pd.DataFrame:
    """Peers from outside prepare the scan aside, all others in the search: times of both with it."""
    aside = measurements.prepare_us.astype(float).fillna(0)
    times = [us if us is None else us + more for us, more in zip(measurements.align_us, aside)]
    return measurements.assign(align_us=pd.Series(times, measurements.index, object))


def succeeds(translation_error_m, rotation_error_deg):
    return (translation_error_m <= SEARCH_SUCCESS_M) & (rotation_error_deg <= SEARCH_SUCCESS_DEG)


def _success(measurements) -> pd.Series:
    found = (
        succeeds(
            measurements.translation_error_m.astype(float), measurements.rotation_error_deg.astype(float)
        )
        & measurements.error.isna()
    )
    has_truth = measurements.dataset.isin(measurements[measurements.truth.notna()].dataset)
    return found.astype(float).where(has_truth)


def _side_by_side(measurements) -> list:
    """Datasets and implementations as they come, guided searches first, then by strategy and name."""
    order = [{name: i for i, name in enumerate(dict.fromkeys(measurements[key]))} for key in SEARCH_KEY[:2]]
    keys = [
        (
            order[0][r.dataset],
            order[1][r.implementation],
            r.threads,
            METHODS.index(r.method),
            STRATEGIES.index(r.strategy),
        )
        + (natural_key(r.search_name),)
        for r in measurements.itertuples()
    ]
    return sorted(range(len(keys)), key=keys.__getitem__)


def search_table(searches: pd.DataFrame, oracle: str) -> pd.DataFrame:
    """One row per SEARCH_KEY: SETTING, TABLE_COLUMNS, and speed: times of the oracle's fastest sequential TPE
    search of as many particles on that dataset / own (medians; NaN without one). false_reliable: searches
    that call a wrong pose reliable, NaN without truth. searches: of search_measurements()."""
    groups = searches.groupby(SEARCH_KEY, sort=False)
    out = [dict(zip(SEARCH_KEY, key)) | _setting(group) | summary_of(group) for key, group in groups]
    table = pd.DataFrame(out, columns=SEARCH_KEY + SETTING + TABLE_COLUMNS)
    alone = _sequential(table[table.implementation == oracle]).dropna(subset="ms_p50")
    alone = alone.sort_values("ms_p50", ascending=False, kind="stable")  # the fastest is written last
    base = dict(zip(zip(alone.dataset, alone.particles, alone.sigma_m), alone.ms_p50))
    speed = [base.get((r.dataset, r.particles, r.sigma_m), np.nan) / r.ms_p50 for r in table.itertuples()]
    return table.assign(speed=speed)


def _setting(group) -> dict:
    return {name: group[name].iloc[0] for name in SETTING}


def _sequential(table):
    return table[(table.strategy == SEQUENTIAL) & (table.method == TPE)]


def summary_of(group) -> dict:
    """TABLE_COLUMNS of searches of one setting."""
    done, known = group[group.error.isna()], group.success.dropna()
    low, high = wilson(int(known.sum()), len(known)) if len(known) else (np.nan, np.nan)
    trusted = done[done.reliable == True]  # noqa: E712, null is no verdict
    judged = trusted.success.dropna()
    return {
        "n": len(group),
        "errors": len(group) - len(done),
        "successes": int(known.sum()),
        "known": len(known),
        "success_share": known.mean() if len(known) else np.nan,
        "success_low": low,
        "success_high": high,
        **_quantiles(done),
        "iterations_per_particle": done.iterations.sum() / particles if (particles := done.particles.sum()) else np.nan,
        "reliable": len(trusted),
        "reliable_share": len(trusted) / len(done) if len(done) else np.nan,
        "false_reliable": int((judged == 0).sum()) if len(known) else np.nan,
        "false_share": (judged == 0).mean() if len(judged) else np.nan,
        "ambiguous_share": done.ambiguous.astype(bool).mean() if len(done) else np.nan,
        "launches": done.launches.dropna().median(),
    }


def _quantiles(done) -> dict:
    """Over all timed searches; each weighs the same, however often it was repeated."""
    if done.empty:
        return {f"ms_p{q}": np.nan for q in (50, 90, 99)}
    repeats = np.array([len(v) for v in done.align_us])
    times, weights = np.concatenate(list(done.align_us)) / 1000, np.repeat(1 / repeats, repeats)
    return {f"ms_p{q}": known_quantile(times, weights, q) for q in (50, 90, 99)}


def at_once_table(table: pd.DataFrame, oracle: str) -> pd.DataFrame:
    """Selects from search_table() the guided settings that propose several particles a round, with the success of the
    sequential search they are compared with. That is their own implementation's, else the oracle's, with the same
    dataset and number of particles. judged: NOT_LOWER if the intervals overlap or it is higher, LOWER, empty
    without one."""
    guided = table[(table.strategy == IN_ROUNDS) & (table.method == TPE) & (table.known >= LEAST_SEARCHES)]
    others = [_held_against(row, table, oracle) for row in guided.itertuples()]
    columns = {
        f"base_{name}": [np.nan if other is None else other[name] for other in others]
        for name in ("success_share", "success_low", "success_high", "n")
    }
    base = ["" if other is None else other["implementation"] for other in others]
    judged = [
        "" if other is None else NOT_LOWER if high >= other["success_low"] else LOWER
        for other, high in zip(others, guided.success_high)
    ]
    return guided.assign(base=base, **columns, judged=judged)


def _held_against(row, table, oracle: str):
    alike = (
        (table.dataset == row.dataset) & (table.particles == row.particles) & (table.sigma_m == row.sigma_m)
    )
    same = _sequential(table[alike & (table.known >= LEAST_SEARCHES)])
    for name in (row.implementation, oracle):
        if len(own := same[same.implementation == name]):
            return own.iloc[0]
    return None


def success_steps(searches: pd.DataFrame, over: str) -> pd.DataFrame:
    """Returns the share of searches whose best particle so far is a success, a step function. It has one row per
    SEARCH_KEY and step, the last where the longest search ends. over: "ms" since the search's start, or
    "particles_done". A peer's own search tells only its end, and nothing of particles. Takes the largest thread
    count of every implementation, and only if LEAST_SEARCHES have truth."""
    if over == "particles_done":
        searches = searches[searches.method != OWN]
    most = (
        searches.groupby(SEARCH_KEY[:3], sort=False).threads.transform("max")
        if len(searches)
        else searches.threads
    )
    out = []
    for key, group in searches[searches.threads == most].groupby(SEARCH_KEY, sort=False):
        known = group[group.success.notna()]
        done = known[known.error.isna()]
        if done.empty or len(known) < LEAST_SEARCHES:
            continue
        steps = _steps(done, over) / len(known)
        steps = pd.DataFrame({over: steps.index, "success_share": steps.to_numpy()})
        out.append(steps.assign(n=len(known), **dict(zip(SEARCH_KEY, key)), **_setting(group)))
    columns = SEARCH_KEY + SETTING + ["n", over, "success_share"]
    return pd.concat(out, ignore_index=True)[columns] if out else pd.DataFrame(columns=columns)


def _steps(done, over) -> pd.Series:
    """How many of the searches are successes, by `over`; starts at the first result with the count there."""
    events = [event for search in done.itertuples() for event in _changes(search, over)]
    end = done.particles.max() if over == "particles_done" else done.ms.max()
    end = max([end] + [at for at, _ in events])
    counts = pd.DataFrame(events + [(end, 0)], columns=[over, "change"]).groupby(over).change.sum().cumsum()
    keep = counts.diff().fillna(1) != 0
    keep.iloc[-1] = True
    return counts[keep]


def _changes(search, over):
    """(where, +1, 0 or -1): the best particle so far became a success, or no longer is one."""
    if search.method == OWN:
        yield search.ms, int(search.success)
    before = 0
    for best in search.improvements:
        at = best["particle"] + 1 if over == "particles_done" else best["us"] / 1000
        metres, degrees = best["translation_error_m"], best["rotation_error_deg"]
        now = int(metres is not None and succeeds(metres, degrees))
        yield at, now - before
        before = now


def with_paths(searches: pd.DataFrame, datasets: pd.DataFrame) -> list:
    """Selects for every dataset one search that has paths: of the frame with a picture if there is one."""
    there = searches[searches.paths.notna() & searches.error.isna()]
    out = []
    for dataset, group in there.groupby("dataset", sort=False):
        picture = datasets.picture[dataset]
        of_picture = group[group.frame == (picture or {}).get("frame")]
        out.append((of_picture if len(of_picture) else group).iloc[0])
    return out


def path_points(search) -> pd.DataFrame:
    """One row per particle: PATH_KEYS, best. search: a row of search_measurements() with paths."""
    points = pd.DataFrame(search.paths, columns=list(PATH_KEYS))
    return points.assign(particle=points.index, best=points.index == search.best_particle)
