"""The table that answers: a line for each method, over all of its runs."""

import pandas as pd

from .draw_methods import method_of


def answer_table(runs, table: pd.DataFrame) -> pd.DataFrame:
    """table: of summary_table(). The method with the least time first."""
    groups = table.assign(method=table.run.map(method_of(runs))).groupby("method", sort=False)
    out = groups[["frames", "ok", "lost", "judged", "false_ok"]].sum().assign(runs=groups.size())
    for column, source, scale in (("ms", "execution_ms_p50", 1), ("ate", "ate_rmse_m", 1000)):
        out[f"{column}_low"], out[f"{column}_high"] = scale * groups[source].min(), scale * groups[source].max()
    return out.reset_index().sort_values("ms_low", kind="stable")
