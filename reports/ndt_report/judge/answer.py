"""The table that answers: a line for each method, over all datasets that the verdict speaks of."""

import numpy as np
import pandas as pd

from .accuracy import TRUTH

COLUMNS = ["method", "peer", "ms_low", "ms_high", "error_low", "error_high", "successes", "known", "speed_low", "speed_high", "verdicts"]


def answer_table(table: pd.DataFrame, shown) -> pd.DataFrame:
    """table: of summary_table(). Of each method its fastest thread count with the default options; the fastest method first."""
    rows = table[table.dataset.isin(shown) & (table.variant == "autoware")]
    rows = rows.sort_values("align_ms_p50", kind="stable").drop_duplicates(["dataset", "implementation"])
    out = [_row(name, own) for name, own in rows.groupby("implementation", sort=False)]
    return pd.DataFrame(out, columns=COLUMNS).sort_values(["ms_low", "successes"], ascending=[True, False], kind="stable").reset_index(drop=True)


def _row(name, own) -> dict:
    judged = own[own.success_kind == TRUTH]
    fair = own[own.verdict != ""]
    row = {"method": name, "peer": bool(own.peer.iloc[0])}
    for column, values in (("ms", own.align_ms_p50), ("error", judged.translation_error_mm_p50), ("speed", fair.speed)):
        row |= {f"{column}_low": values.min() if len(values) else np.nan, f"{column}_high": values.max() if len(values) else np.nan}
    known = own[own.success_share.notna()]
    row |= {"successes": int(known.successes.sum()), "known": int(known.measurements.sum())}
    return row | {"verdicts": " ".join(dict.fromkeys(fair.verdict))}
