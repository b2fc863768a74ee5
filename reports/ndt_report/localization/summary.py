"""One row for each run: how far it was followed, how well, and how fast. A line for each method, over all of its runs."""

import numpy as np
import pandas as pd

from .draw_methods import method_of
from .episodes import SAYS_SO, TRUTH, lost_at_the_end, wrong_poses
from .errors import chain_errors
from .frames import VERDICTS

LIMITS_MS = (100, 10)
STATED = ["execution_ms", "frame_ms"]  # the localisation of a scan; with its filters and files


def summary_table(runs, episodes: pd.DataFrame) -> pd.DataFrame:
    """runs: of load_localizations(). episodes: theirs, with the column run."""
    twins = equal_to(runs)
    first = {}  # of each dataset
    rows = []
    for run in runs:
        frames = run.frames
        wrong = wrong_poses(frames, run.facts.wrong_m, run.facts.wrong_deg)
        own = episodes[episodes.run == run.label]
        known, truth = own[own.how == SAYS_SO], own[own.how == TRUTH]
        row = {"run": run.label, "folder": run.name, "implementation": run.facts.implementation}
        row |= {"dataset": run.dataset, "frames": len(frames)}
        row |= {verdict: int((frames.verdict == verdict).sum()) for verdict in VERDICTS}
        row["lost_since"] = lost_at_the_end(frames)
        row["rejected"] = int((frames.source == "predicted").sum())
        row["recoveries"], row["not_recovered"] = int(known.over.sum()), int((~known.over.astype(bool)).sum())
        row["recovery_s"] = float(known.seconds.max())
        row["wrong"], row["wrong_stretches"] = int(wrong.sum()), len(truth)
        row["false_ok"] = int((wrong & (frames.verdict == "ok")).sum())
        row |= chain_errors(frames, run.poses, run.truth) | latencies(frames.execution_ms)
        row["frame_ms_p50"] = float(frames.frame_ms.median())
        row["same_poses_as"] = twins[run.label]
        row["compared_with"] = first.setdefault(run.dataset, run).label
        row["farthest_from_first_m"] = farthest(first[run.dataset], run)
        rows.append(row)
    return pd.DataFrame(rows)


def latencies(times_ms: pd.Series) -> dict:
    times = times_ms.dropna()
    out = {"timed": len(times)}
    quantiles = (("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("max", 1.0))
    out |= {f"execution_ms_{name}": float(times.quantile(q)) for name, q in quantiles}
    return out | {f"within_{limit}_share": float((times <= limit).mean()) for limit in LIMITS_MS}


def equal_to(runs) -> dict:
    """{label: that of the first run with the same poses, bit for bit; "" if it is the first, or has none}."""
    first, out = {}, {}
    for run in runs:
        out[run.label] = first.get(run.poses_text, "") if run.poses_text else ""
        first.setdefault(run.poses_text, run.label)
    return out


def farthest(first, run) -> float:
    """Largest distance of two runs' poses of the same time; NaN without any."""
    if run is first:
        return np.nan
    here, there = (_positions(r) for r in (first, run))
    both = here.add_suffix("_first").join(there, how="inner")
    if not len(both):
        return np.nan
    columns = both.to_numpy(float)
    return float(np.linalg.norm(columns[:, :3] - columns[:, 3:], axis=1).max())


def _positions(run) -> pd.DataFrame:
    own = run.frames[["stamp_s", "x_m", "y_m", "z_m"]].dropna().drop_duplicates("stamp_s")
    return own.set_index("stamp_s")


def answer_table(runs, table: pd.DataFrame) -> pd.DataFrame:
    """The table that answers: a line for each method, that with the least time first. table: of summary_table()."""
    groups = table.assign(method=table.run.map(method_of(runs))).groupby("method", sort=False)
    out = groups[["frames", "ok", "lost", "judged", "false_ok"]].sum().assign(runs=groups.size())
    for column, source, scale in (("ms", "execution_ms_p50", 1), ("ate", "ate_rmse_m", 1000)):
        out[f"{column}_low"], out[f"{column}_high"] = scale * groups[source].min(), scale * groups[source].max()
    return out.reset_index().sort_values("ms_low", kind="stable")
