"""A drive in the words of driving_log_replayer's localization scenario, which users of Autoware know. They mean what
they mean there, and are not used where the rows are no drive."""

import numpy as np
import pandas as pd

from ..page_numbers import number

# The conditions of the scenario that comes with driving_log_replayer.
MOST_LATERAL_M, MOST_MS, MOST_ITERATIONS, LEAST_PERCENT = 0.2, 100, 30, 95
LEAST_NVTL, ENDS_AT, NVTL_RESOLUTION_M = 2.3, 10, 2.0
DRIVE = f"one map, one guess a scan, at least {ENDS_AT} scans"
STATED = (
    f"Drives only: {DRIVE}. Convergence: the pose is at most {MOST_LATERAL_M:g} m to the side of the initial pose, after at most {MOST_MS} ms and"
    f" {MOST_ITERATIONS} iterations, in at least {LEAST_PERCENT} % of the scans. The initial pose is the run's"
    f" guess. Reliability: fewer than {ENDS_AT} scans in a row have an NVTL below {LEAST_NVTL:g}"
)
NO_DRIVE = f"driving_log_replayer's words, Convergence and Reliability, require a drive: {DRIVE}"


def lateral_m(poses, initial) -> np.ndarray:
    """How far poses are from their initial poses to the side, as the vehicle looks in the initial pose."""
    poses, initial = np.stack(list(poses)), np.stack(list(initial))
    return np.abs(np.einsum("ni,ni->n", initial[:, :3, 1], poses[:, :3, 3] - initial[:, :3, 3]))


def is_drive(own: pd.DataFrame, kind: str) -> bool:
    """True if measurements of one KEY are scans of one map, each from one guess, and enough of them to fail."""
    return (
        kind == "scan_to_map"
        and len(own) >= ENDS_AT
        and own.frame.is_unique
        and own.guess_offset.isna().all()
    )


def converged(own: pd.DataFrame) -> int:
    """Counts the scans that meet the condition of Convergence; an error does not."""
    found = own[own.pose.notna() & own.guess.notna() & own.error.isna()]
    quick = found[(found.align_ms <= MOST_MS) & (found.iterations <= MOST_ITERATIONS)]
    return int((lateral_m(quick.pose, quick.guess) <= MOST_LATERAL_M).sum()) if len(quick) else 0


def longest_below(own: pd.DataFrame) -> int:
    """Returns the most scans in a row whose NVTL is below the limit, or that ended with an error."""
    below = ~(own.nvtl >= LEAST_NVTL)
    return int(below.groupby((~below).cumsum()).sum().max())


def _convergence(own: pd.DataFrame) -> str:
    known = own[own.truth.notna() & own.guess.notna()]
    far = int((lateral_m(known.truth, known.guess) > MOST_LATERAL_M).sum()) if len(known) else 0
    if 100 * far > (100 - LEAST_PERCENT) * len(own):
        return f"no Convergence, since {far} of {len(own)} guesses are more than {MOST_LATERAL_M:g} m to the side of the truth"
    good, n = converged(own), len(own)
    return f"Convergence {_said(100 * good >= LEAST_PERCENT * n)} ({good} of {n} scans, {number(100 * good / n)} %)"


def _reliability(own: pd.DataFrame) -> str:
    if own[own.error.isna()].nvtl.isna().any():
        return "no Reliability, since scans have no NVTL"
    if (own.resolution_m != NVTL_RESOLUTION_M).any():
        return f"no Reliability, whose limit of NVTL is for voxels of {NVTL_RESOLUTION_M:g} m"
    longest = longest_below(own)
    found = f"at most {longest} in a row below {LEAST_NVTL:g}" if longest else f"none below {LEAST_NVTL:g}"
    return f"Reliability {_said(longest < ENDS_AT)} ({found})"


def _said(passes: bool) -> str:
    return "passes" if passes else "fails"


def replayer_sentences(measurements: pd.DataFrame, bases: dict, datasets: pd.DataFrame) -> list:
    """Returns a sentence for each drive. bases: of each dataset the row of summary_table() that the verdict speaks of.
    measurements: of judged_measurements()."""
    out = []
    for dataset, base in bases.items():
        own = measurements[(measurements.dataset == dataset) & (measurements.variant == base.variant)]
        own = own[(own.implementation == base.implementation) & (own.threads == base.threads)]
        if is_drive(own, datasets.kind[dataset]):
            out.append(f"{base.implementation} on {dataset}: {_convergence(own)}; {_reliability(own)}.")
    return out
