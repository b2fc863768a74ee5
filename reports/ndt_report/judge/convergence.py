"""Traces as tidy tables: how error, NVTL and step length develop from the guess on."""

import numpy as np
import pandas as pd

from ..read.kinds import TRACE_KEYS


def trace_points(measurements: pd.DataFrame) -> pd.DataFrame:
    """One row per evaluated pose of every trace: who, iteration (0 = the guess), TRACE_KEYS (NaN where
    unknown), points, success."""
    traced = measurements[measurements.trace.notna()]
    who = ["implementation", "dataset", "variant", "threads", "frame", "guess_name", "points", "success"]
    lengths = [len(t["step_m"]) for t in traced.trace]
    out = traced[who].loc[traced.index.repeat(lengths)].reset_index(drop=True)
    out["iteration"] = np.concatenate([np.arange(n) for n in lengths]) if lengths else []
    for key in TRACE_KEYS:
        lists = [t[key] if t[key] is not None else [np.nan] * n for t, n in zip(traced.trace, lengths)]
        out[key] = np.array([np.nan if v is None else v for values in lists for v in values], float)
    return out


def one_thread(points: pd.DataFrame) -> pd.DataFrame:
    """Variant autoware, and of every implementation its smallest thread count: the others walk the same
    way."""
    own = points[points.variant == "autoware"]
    return (
        own[own.threads == own.groupby(["dataset", "implementation"]).threads.transform("min")]
        if len(own)
        else own
    )


def convergence_curves(points: pd.DataFrame, value: str) -> pd.DataFrame:
    """Median and quartiles of `value` per (dataset, implementation, iteration). points: of trace_points(),
    variant autoware, one thread count. An alignment that has stopped counts on with its last value, so that
    every point is over the same n.
    """
    out = []
    for (dataset, implementation), group in points.groupby(["dataset", "implementation"], sort=False):
        table = group.pivot_table(index=["frame", "guess_name"], columns="iteration", values=value, sort=True)
        if table.empty:
            continue
        table = table.reindex(columns=range(int(group.iteration.max()) + 1)).ffill(axis=1)
        out.append(
            pd.DataFrame(
                {
                    "dataset": dataset,
                    "implementation": implementation,
                    "iteration": table.columns,
                    "p25": table.quantile(0.25).values,
                    "median": table.median().values,
                    "p75": table.quantile(0.75).values,
                    "n": len(table),
                    "measure": value,
                }
            )
        )
    columns = ["dataset", "implementation", "iteration", "p25", "median", "p75", "n", "measure"]
    return pd.concat(out, ignore_index=True) if out else pd.DataFrame(columns=columns)


def stopping_table(measurements: pd.DataFrame, points: pd.DataFrame) -> pd.DataFrame:
    """Per implementation: iterations and the length of the last step it made, over converged measurements."""
    out = []
    last = (
        points[points.iteration > 0]
        .groupby(["implementation", "dataset", "variant", "threads", "frame", "guess_name"], sort=False)
        .step_m.last()
    )
    for implementation, group in measurements[measurements.stop == "converged"].groupby(
        "implementation", sort=False
    ):
        steps = last[last.index.get_level_values("implementation") == implementation] * 1000
        out.append(
            {
                "implementation": implementation,
                "n": len(group),
                "iterations_p50": group.iterations.median(),
                "iterations_max": group.iterations.max(),
                "last_step_mm_p50": steps.median() if len(steps) else np.nan,
                "last_step_mm_max": steps.max() if len(steps) else np.nan,
                "fewer_than_ref_share": (
                    float((group.iterations_vs_ref.dropna() < 0).mean())
                    if group.iterations_vs_ref.notna().any()
                    else np.nan
                ),
            }
        )
    return pd.DataFrame(out)
