"""What was measured in the words of driving_log_replayer's localization scenario, which users of Autoware know."""

import numpy as np
import pandas as pd

from .page_numbers import number

# The scenario's own conditions.
MOST_LATERAL_M, MOST_MS, MOST_ITERATIONS = 0.2, 100, 30
LEAST_NVTL = 2.3
COUNTS = ["converged", "judged", "reliable", "scored"]
STATED = (
    f"Convergence: at most {MOST_LATERAL_M:g} m from the truth to the side, {MOST_MS} ms and"
    f" {MOST_ITERATIONS} iterations. Reliability: NVTL of at least {LEAST_NVTL:g}, a limit for voxels of 2 m"
)


def lateral_m(poses, truths) -> np.ndarray:
    """How far poses are from their truths to the side, as the true vehicle looks."""
    poses, truths = np.stack(list(poses)), np.stack(list(truths))
    return np.abs(np.einsum("ni,ni->n", truths[:, :3, 1], poses[:, :3, 3] - truths[:, :3, 3]))


def counted(own: pd.DataFrame) -> dict:
    """COUNTS of measurements of one KEY. An error is neither; without a truth nothing is judged."""
    judged = own[own.truth.notna()]
    found = judged[judged.pose.notna() & judged.error.isna()]
    quick = found[(found.align_ms <= MOST_MS) & (found.iterations <= MOST_ITERATIONS)]
    aside = lateral_m(quick.pose, quick.truth) if len(quick) else np.array([])
    scored = own[own.nvtl.notna() | own.error.notna()]
    counts = (aside <= MOST_LATERAL_M).sum(), len(judged), (scored.nvtl >= LEAST_NVTL).sum(), len(scored)
    return dict(zip(COUNTS, map(int, counts)))


def replayer_sentences(measurements: pd.DataFrame, bases: dict) -> list:
    """One a dataset. bases: of each dataset the row of summary_table() that the verdict speaks of.
    measurements: of judged_measurements()."""
    out = []
    for dataset, base in bases.items():
        own = measurements[(measurements.dataset == dataset) & (measurements.variant == base.variant)]
        own = own[(own.implementation == base.implementation) & (own.threads == base.threads)]
        counts = counted(own)
        parts = [
            f"{word} {counts[good]} of {counts[of]} ({number(100 * counts[good] / counts[of])} %)"
            for word, good, of in (("Convergence", *COUNTS[:2]), ("Reliability", *COUNTS[2:]))
            if counts[of]
        ]
        if parts:
            out.append(f"{base.implementation} on {dataset}: {', '.join(parts)}.")
    return out
