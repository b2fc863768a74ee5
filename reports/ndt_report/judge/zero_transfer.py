"""The gain of zero transfer: steps that keep everything on the device, beside the same steps that bring every
point's terms to the host in every iteration."""

import numpy as np
import pandas as pd

from .transfers import BYTES, iteration_fit

ZERO, STUDY = "multikernel_cuda", "multikernel_transfers_cuda"
SAME = ["dataset", "frame", "guess_name", "variant", "poses", "iterations"]


def zero_transfer_table(measurements: pd.DataFrame) -> pd.DataFrame:
    """Returns one row per (dataset, variant). n: pairs of one alignment by ZERO and by STUDY in as many
    iterations. Medians: points, iterations, and of both the bytes and times [ms] of an alignment. Slopes over
    iterations, NaN if unknown: bytes and waits of an iteration of both. times: median of STUDY's time over
    ZERO's. more_us: median of what STUDY takes longer for an iteration."""
    counted = measurements[measurements.error.isna() & measurements.upload_bytes.notna()]
    counted = counted.assign(ms=[np.median(us) / 1000 for us in counted.align_us], bytes=counted[BYTES].sum(axis=1))
    ours = [counted[counted.implementation == name] for name in (ZERO, STUDY)]
    pairs = ours[0].merge(ours[1], on=SAME, suffixes=("_zero", "_study"))
    out = []
    for (dataset, variant), both in pairs.groupby(["dataset", "variant"], sort=False):
        row = {"dataset": dataset, "variant": variant, "n": len(both)}
        row |= {"points": both.points_zero.median(), "iterations": both.iterations.median()}
        for side, rows in zip(("zero", "study"), ours):
            own = rows[(rows.dataset == dataset) & (rows.variant == variant)]
            for name, columns in {"bytes": BYTES, "waits": ["synchronisations"]}.items():
                fit = iteration_fit(own, columns)
                row[f"{name}_per_iteration_{side}"] = fit.slope if fit else np.nan
            row |= {f"{name}_{side}": both[f"{name}_{side}"].median() for name in ("bytes", "ms")}
        longer = 1000 * (both.ms_study - both.ms_zero)
        row |= {"times": (both.ms_study / both.ms_zero).median()}
        out.append(row | {"more_us": (longer / both.iterations.clip(lower=1)).median()})
    return pd.DataFrame(out)
