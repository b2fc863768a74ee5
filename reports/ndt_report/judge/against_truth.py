"""Is an implementation no worse than the oracle against the truth? Whether its poses are the oracle's is another
question, which equal_accuracy() answers."""

import numpy as np
import pandas as pd

from .accuracy import KEY, TRUTH
from ..page_numbers import number
from .reference import SAME_ALIGNMENT
from .stats import wilson

NO_WORSE, PROBABLY, WORSE = "no worse", "probably no worse", "worse"
SUCCESS_MARGIN = 0.02  # of all alignments: fewer successes than these are worse
ERROR_MARGIN = 0.05  # of the oracle's median error ...
LEAST_MARGIN_M = 0.001  # ... or this, whichever is more
COLUMNS = ["by_truth", "by_truth_why", "nvtl_change"]
STATED = (
    f"no worse against the truth: at most {100 * SUCCESS_MARGIN:g} % fewer successes, and a median error larger by"
    f" at most {100 * ERROR_MARGIN:g} % or {1000 * LEAST_MARGIN_M:g} mm; probably, where there are too few alignments"
    " to be 95 % sure of both; errors below the truth's accuracy are equal"
)


def counted_as(least_m: float, errors) -> str:
    """Says beside medians that errors, in metres, were raised to the truth's accuracy; empty if none was."""
    if not (np.asarray(errors) < least_m).any():
        return ""
    least = f"{number(1000 * least_m)} mm"
    return f"; errors below {least}, the truth's accuracy, count as {least}"


def alignments_of(measurements: pd.DataFrame, row) -> pd.DataFrame:
    """The alignments with a truth of one KEY; a failure is infinitely far away from it. row: has KEY."""
    own = measurements[measurements.truth.notna()]
    for name in KEY:
        own = own[own[name] == getattr(row, name)]
    return _distances(own)


def _distances(own) -> pd.DataFrame:
    failed = own.error.notna()
    return own[SAME_ALIGNMENT + ["success"]].assign(
        m=own.translation_error_m.mask(failed, np.inf), deg=own.rotation_error_deg.mask(failed, np.inf)
    )


def against_truth(measurements: pd.DataFrame, pairing, datasets: pd.DataFrame, oracle: str) -> pd.DataFrame:
    """KEY, by_truth (NO_WORSE, PROBABLY, WORSE; empty without a truth, and of the oracle), by_truth_why, and
    nvtl_change: the median of NVTL's differences from the oracle's. pairing: of reference_threads()."""
    groups = dict(list(measurements.groupby(KEY, sort=False)))
    least_m = datasets.truth_accuracy_m.astype(float).fillna(0)
    out = []
    for pair in pairing.itertuples():
        key = (pair.dataset, pair.variant, pair.threads, pair.implementation)
        own, base = groups[key], groups.get((pair.dataset, pair.variant, pair.ref_threads, oracle))
        said = ("", "")
        if base is not None and pair.implementation != oracle and own.success_kind.iloc[0] == TRUTH:
            own_m, base_m = (_distances(side[side.truth.notna()]) for side in (own, base))
            pairs = own_m.merge(base_m, on=SAME_ALIGNMENT, suffixes=("", "_base"))
            said = judged_pairs(pairs, least_m[pair.dataset])
        out.append(dict(zip(KEY, key)) | dict(zip(COLUMNS, (*said, own.nvtl_vs_ref.median()))))
    return pd.DataFrame(out, columns=KEY + COLUMNS)


def judged_pairs(pairs: pd.DataFrame, least_m: float) -> tuple:
    """(by_truth, why). A scan counts once in the error, by the median of its alignments: guesses of one scan
    mostly end at one pose. Errors below least_m say nothing."""
    if pairs.empty:
        return "", ""
    n = len(pairs)
    lost, gained = (
        int(((pairs[one] == 1) & (pairs[other] == 0)).sum())
        for one, other in (("success_base", "success"), ("success", "success_base"))
    )
    scans = pairs.groupby("frame")[["m", "m_base"]].median()
    raised = counted_as(least_m, scans)
    scans = scans.clip(lower=least_m)
    median, base = scans.m.median(), scans.m_base.median()
    margin = np.fmax(ERROR_MARGIN * scans.m_base, LEAST_MARGIN_M)
    farther = int((scans.m > scans.m_base + margin).sum())
    if (lost - gained) / n > SUCCESS_MARGIN:
        shares = (f"{number(100 * pairs[s].mean())} %" for s in ("success", "success_base"))
        return WORSE, "success {}, oracle {}".format(*shares)
    if median > base + max(ERROR_MARGIN * base, LEAST_MARGIN_M) and 2 * farther > len(scans):
        return WORSE, f"median error {_mm(median)} mm, oracle {_mm(base)} mm{raised}"
    found = (int((pairs[name] == 1).sum()) for name in ("success", "success_base"))
    said = "{} of {} succeed, oracle {}; median error {} mm, oracle {} mm{}".format(
        next(found), n, next(found), _mm(median), _mm(base), raised
    )
    sure = wilson(lost, n)[1] - wilson(gained, n)[0] <= SUCCESS_MARGIN and wilson(farther, len(scans))[1] < 0.5
    return (NO_WORSE if sure else PROBABLY), said


def _mm(metres: float) -> str:
    return number(1000 * metres, 2) if np.isfinite(metres) else "unknown"


def add_comparable(table: pd.DataFrame) -> pd.DataFrame:
    """Adds comparable (its times may be compared with the oracle's: the same poses, or no worse ones) and
    why_not_comparable. table: of equal_accuracy() and against_truth()."""
    no_worse = table.by_truth.isin([NO_WORSE, PROBABLY])
    worse = "worse than the oracle: " + table.by_truth_why
    return table.assign(
        comparable=table.equal | no_worse,
        why_not_comparable=table.why_not.mask(table.by_truth == WORSE, worse).mask(table.equal | no_worse, ""),
    )
