"""The alignments that succeeded, the errors of poses, and the implementations that are accurate enough for
their speed to count."""

import numpy as np
import pandas as pd

from ..page_numbers import number
from .reference import EQUAL_ROTATION_DEG, EQUAL_TRANSLATION_M, within_equal_bound
from .stats import wilson

KEY = ["dataset", "variant", "threads", "implementation"]
TRUTH, AGREEMENT, UNKNOWN = "success", "agreement", "unknown"
# Two correct implementations of one algorithm may end in different optima from a guess between them, in at
# most 1 % of cases; more than that is another accuracy.
EQUAL_SHARE = 0.99
# Localisation goes on from the pose that the first search found: it must be in the basin of the next
# alignment.
SEARCH_SUCCESS_M, SEARCH_SUCCESS_DEG = 0.5, 2.5


def add_success(measurements: pd.DataFrame, datasets: pd.DataFrame, oracle: str) -> pd.DataFrame:
    """Adds success (1, 0, NaN = unknown) and success_kind. measurements: with reference errors.

    success: no farther from the truth than the dataset allows, or a search may be. agreement, where there is
    no truth: converged, and within 1 cm and 0.1 degrees of the oracle's pose (the oracle itself: converged).
    A measurement with an error never succeeds, nor does one of a dataset of kind no_pose, where every pose is
    wrong.
    """
    of_search = measurements.search.notna()
    limit_m = (
        measurements.dataset.map(datasets.success_translation_m)
        .astype(float)
        .mask(of_search, SEARCH_SUCCESS_M)
    )
    limit_deg = (
        measurements.dataset.map(datasets.success_rotation_deg)
        .astype(float)
        .mask(of_search, SEARCH_SUCCESS_DEG)
    )
    failed = measurements.error.notna()
    has_truth = (
        measurements.dataset.map(measurements[measurements.truth.notna()].groupby("dataset").size()).fillna(0)
        > 0
    ) | (measurements.dataset.map(datasets.kind) == "no_pose")
    of_oracle = measurements.implementation == oracle
    by_truth = (measurements.translation_error_m <= limit_m) & (measurements.rotation_error_deg <= limit_deg)
    by_agreement = (measurements.stop == "converged") & (within_equal_bound(measurements) | of_oracle)
    success = np.where(failed, 0.0, np.where(has_truth, by_truth, by_agreement).astype(float))
    kind = np.where(has_truth, TRUTH, np.where(of_oracle | measurements.ref_stop.notna(), AGREEMENT, UNKNOWN))
    success = np.where((kind == UNKNOWN) & ~failed, np.nan, success)
    return measurements.assign(success=success, success_kind=kind)


ERRORS = {  # column: its factor and name in the table
    "translation_error_m": (1000, "translation_error_mm"),
    "rotation_error_deg": (1, "rotation_error_deg"),
    "translation_vs_ref_m": (1000, "translation_vs_ref_mm"),
    "rotation_vs_ref_deg": (1, "rotation_vs_ref_deg"),
}
QUANTILES = {"p50": 0.5, "p90": 0.9, "max": 1.0}
COLUMNS = [
    "measurements",
    "errors",
    "success_kind",
    "successes",
    "success_share",
    "success_low",
    "success_high",
]
COLUMNS += ["iterations_p50", "iterations_p90", "stops", "build_ms_p50", "prepare_ms_p50"]
COLUMNS += [f"{name}_{label}" for _, name in ERRORS.values() for label in QUANTILES]


def _stops(group: pd.DataFrame) -> str:
    counts = group.stop.fillna(group.error_kind).value_counts()
    return ", ".join(
        f"{name} {count}" for name, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )


def _errors(group: pd.DataFrame) -> dict:
    out = {}
    for column, (scale, name) in ERRORS.items():
        values = group[column].dropna() * scale
        for label, quantile in QUANTILES.items():
            out[f"{name}_{label}"] = values.quantile(quantile) if len(values) else np.nan
    return out


def _preparation_ms(group: pd.DataFrame) -> float:
    """Median over scans and jobs; NaN where it is part of the alignment, as of all but peers from outside."""
    return group.drop_duplicates(["job", "frame"]).prepare_us.dropna().median() / 1000


def accuracy_table(measurements: pd.DataFrame) -> pd.DataFrame:
    """One row per KEY: measurements, errors, successes with Wilson's interval, error quantiles, iterations,
    stops, build time, and that in which a peer from outside prepares a scan."""
    table = []
    for key, group in measurements.groupby(KEY, sort=False):
        known = group.success.dropna()
        low, high = wilson(int(known.sum()), len(known))
        table.append(
            dict(zip(KEY, key))
            | {
                "measurements": len(group),
                "errors": int(group.error.notna().sum()),
                "success_kind": group.success_kind.iloc[0],
                "successes": int(known.sum()),
                "success_share": known.mean() if len(known) else np.nan,
                "success_low": low if len(known) else np.nan,
                "success_high": high if len(known) else np.nan,
                "iterations_p50": group.iterations.dropna().median(),
                "iterations_p90": group.iterations.quantile(0.9),
                "stops": _stops(group),
                "prepare_ms_p50": _preparation_ms(group),
                "build_ms_p50": group.drop_duplicates("job").build_us.dropna().median() / 1000,
            }
            | _errors(group)
        )
    return pd.DataFrame(table, columns=KEY + COLUMNS)


def _why_not_equal(group, oracle) -> str:
    """Empty if the measurements of an implementation are as accurate as the oracle's."""
    paired = group.merge(
        oracle[["dataset", "frame", "guess_name", "variant", "success"]],
        on=["dataset", "frame", "guess_name", "variant"],
        suffixes=("", "_of_ref"),
    )
    judged = paired[paired.success_of_ref == 1]
    if judged.empty:
        return "not equal: the oracle found no pose to compare with"
    apart = ~within_equal_bound(judged)
    if 1 - apart.mean() < EQUAL_SHARE:
        far = judged[apart]
        limit = (
            f"{EQUAL_TRANSLATION_M * 100:g} cm"
            if not (far.translation_vs_ref_m <= EQUAL_TRANSLATION_M).all()
            else f"{EQUAL_ROTATION_DEG:g} deg"
        )
        return f"not equal: {max(1, round(100 * apart.mean()))} % of poses differ > {limit}"
    own, ref = group.success.dropna(), oracle.success.dropna()
    low, high = wilson(int(own.sum()), len(own))
    ref_low, ref_high = wilson(int(ref.sum()), len(ref))
    if low > ref_high or high < ref_low:
        return f"not equal: success {number(100 * own.mean())} %, oracle {number(100 * ref.mean())} %"
    return ""


def equal_accuracy(measurements: pd.DataFrame, pairing: pd.DataFrame, oracle: str) -> pd.DataFrame:
    """KEY, equal, why_not. Equal: at least EQUAL_SHARE of the poses that the oracle found are within 1 cm and
    0.1 degrees of its own, and the success intervals overlap. pairing: of reference_threads()."""
    groups = dict(list(measurements.groupby(KEY, sort=False)))
    out = []
    for pair in pairing.itertuples():
        key = (pair.dataset, pair.variant, pair.threads, pair.implementation)
        base = groups.get((pair.dataset, pair.variant, pair.ref_threads, oracle))
        if pair.implementation == oracle:
            why = ""
        elif base is None:
            why = f"no {oracle} to compare with"
        else:
            why = _why_not_equal(groups[key], base)
        out.append(dict(zip(KEY, key)) | {"equal": not why, "why_not": why})
    return pd.DataFrame(out, columns=KEY + ["equal", "why_not"]).astype({"equal": bool})
