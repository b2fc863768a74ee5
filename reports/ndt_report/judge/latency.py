"""How long alignments take, and how much faster one implementation is than another at equal accuracy."""

import numpy as np
import pandas as pd

from .accuracy import KEY
from ..read.load import oracle_of
from .reference import SAME_ALIGNMENT, on_gpu
from .stats import CONFIDENCE, cluster_mean_interval, medians, weighted_quantile

MARGIN = 0.05  # a difference of less is none in practice
SHORT_ITERATIONS = 5  # what tracking needs from a good guess
LEAST_P99_SAMPLES = 100  # a 99th percentile of fewer is their largest
LEAST_TAIL_SAMPLES = 1000  # of fewer, the 99th percentile is a handful of samples
FASTER, SLOWER, SAME, UNCLEAR = "FASTER", "SLOWER", "SAME", "UNCLEAR"
JUDGED = ["speed", "speed_low", "speed_high", "pairs", "jobs", "verdict", "why_no_verdict", "base"]


def timed(measurements: pd.DataFrame) -> pd.DataFrame:
    """Measurements whose time counts: made for timing, without error, and not a failed alignment. Adds
    align_ms, their median. A single search counts: it is many alignments."""
    for_timing = (measurements.timing != "single") | measurements.search.notna()
    kept = measurements[measurements.error.isna() & for_timing & (measurements.success != 0)]
    return kept if "align_ms" in kept else add_median_times(kept)


def add_median_times(measurements: pd.DataFrame) -> pd.DataFrame:
    """Adds align_ms, the median of the repeats; NaN with an error."""
    return measurements.assign(align_ms=medians(measurements.align_us.array) / 1000)


def with_preparation(measurements: pd.DataFrame) -> pd.DataFrame:
    """align_ms with the time that a peer from outside takes to prepare the scan: others prepare it in the alignment,
    and a ratio without it would be none of like with like."""
    return measurements.assign(align_ms=measurements.align_ms + measurements.prepare_us.astype(float).fillna(0) / 1000)


def samples(measurements: pd.DataFrame) -> pd.DataFrame:
    """One row per timed repeat: KEY, frame, guess_name, align_ms, weight. A measurement weighs 1 however
    often it was repeated."""
    kept = timed(measurements)
    repeats = [len(v) for v in kept.align_us]
    out = kept[KEY + ["frame", "guess_name"]].loc[kept.index.repeat(repeats)].reset_index(drop=True)
    if kept.empty:
        return out.assign(align_ms=[], weight=[])
    return out.assign(
        align_ms=np.concatenate(list(kept.align_us)) / 1000, weight=np.repeat(1 / np.array(repeats), repeats)
    )


def known_quantile(values, weights, percent: int) -> float:
    """NaN for a 99th percentile of fewer than LEAST_P99_SAMPLES."""
    if percent == 99 and len(values) < LEAST_P99_SAMPLES:
        return np.nan
    return weighted_quantile(values, weights, percent / 100)


def latency_table(measurements: pd.DataFrame) -> pd.DataFrame:
    """One row per KEY with timed measurements: quantiles over all their repeats, each measurement weighing
    the same."""
    kept = timed(measurements)
    drawn = dict(list(samples(measurements).groupby(KEY, sort=False)))
    table = []
    for key, group in kept.groupby(KEY, sort=False):
        times = drawn[key]
        idle = medians(group.align_after_idle_us.array) / 1000
        idle = idle[~np.isnan(idle)]
        table.append(
            dict(zip(KEY, key))
            | {
                f"align_ms_p{q}": known_quantile(times.align_ms, times.weight, q) for q in (50, 90, 99)
            }
            | {
                "timed_measurements": len(group),
                "samples": len(times),
                "wall_cap_share": float((group.timing == "wall_cap").mean()),
                "align_after_idle_ms_p50": float(np.median(idle)) if len(idle) else np.nan,
            }
        )
    columns = KEY + [
        "align_ms_p50",
        "align_ms_p90",
        "align_ms_p99",
        "timed_measurements",
        "samples",
        "wall_cap_share",
        "align_after_idle_ms_p50",
    ]
    return pd.DataFrame(table, columns=columns)


def tail_table(measurements: pd.DataFrame) -> pd.DataFrame:
    """latency_table() of alignments with at most SHORT_ITERATIONS and line search off, where there are
    LEAST_TAIL_SAMPLES; with points, their median."""
    short = measurements[(measurements.variant == "autoware") & (measurements.iterations <= SHORT_ITERATIONS)]
    table = latency_table(short)
    points = timed(short).groupby(KEY, sort=False).points.median().rename("points").reset_index()
    return table[table.samples >= LEAST_TAIL_SAMPLES].merge(points, on=KEY)


def verdict(low: float, high: float) -> str:
    """Judges an interval of the speed-up. FASTER and SLOWER only if all of it is beyond the margin, SAME only if
    all is within."""
    if low > 1 + MARGIN:
        return FASTER
    if high < 1 / (1 + MARGIN):
        return SLOWER
    if low >= 1 / (1 + MARGIN) and high <= 1 + MARGIN:
        return SAME
    return UNCLEAR


def paired(own: pd.DataFrame, base: pd.DataFrame, on=tuple(SAME_ALIGNMENT)) -> pd.DataFrame:
    """Measurements of the same alignment that both sides timed and neither failed: log_ratio = log(base / own
    time), jobs."""
    both = own.merge(base, on=list(on), suffixes=("", "_base"))
    return both.assign(log_ratio=np.log(both.align_ms_base / both.align_ms))


def speed_up(own: pd.DataFrame, base: pd.DataFrame, confidence: float = CONFIDENCE) -> dict:
    """How many times faster own is than base: geometric mean over paired(), with its bootstrap interval by
    jobs."""
    both = paired(own, base)
    if both.empty:
        return {"speed": np.nan, "speed_low": np.nan, "speed_high": np.nan, "pairs": 0, "jobs": 0}
    mean, low, high, jobs = cluster_mean_interval(both.log_ratio, both.job, both.job_base, confidence)
    return {
        "speed": np.exp(mean),
        "speed_low": np.exp(low),
        "speed_high": np.exp(high),
        "pairs": len(both),
        "jobs": jobs,
    }


def fastest_cpu_implementations(
    table: pd.DataFrame, equal: pd.DataFrame, implementations: pd.DataFrame
) -> dict:
    """{(dataset, variant): (threads, implementation)} of the smallest p50 among implementations on a CPU that
    are no peers and as accurate as the oracle. equal: of add_comparable()."""
    candidates = table.merge(equal[equal.comparable], on=KEY)
    fits = [
        not on_gpu(name, implementations) and not implementations.loc[name, "peer"]
        for name in candidates.implementation
    ]
    candidates = (
        candidates[np.array(fits, bool)]
        .sort_values("align_ms_p50", kind="stable")
        .drop_duplicates(["dataset", "variant"])
    )
    return {(c.dataset, c.variant): (c.threads, c.implementation) for c in candidates.itertuples()}


def ratio_table(
    measurements: pd.DataFrame, pairing: pd.DataFrame, equal: pd.DataFrame, implementations: pd.DataFrame
) -> pd.DataFrame:
    """One row per timed KEY: speed-up over the oracle (speed*, verdict, why_no_verdict) and over the fastest
    on a CPU (cpu_*). equal: of add_comparable()."""
    groups = dict(list(with_preparation(timed(measurements)).groupby(KEY, sort=False)))
    fastest = fastest_cpu_implementations(latency_table(measurements), equal, implementations)
    oracle = oracle_of(implementations)
    reasons = {tuple(e[k] for k in KEY): e["why_not_comparable"] for e in equal.to_dict("records")}
    out = []
    for pair in pairing.itertuples():
        key = (pair.dataset, pair.variant, pair.threads, pair.implementation)
        if key not in groups:
            continue
        row = dict(zip(KEY, key)) | {"ref_threads": pair.ref_threads}
        row |= _judged(groups, key, (pair.ref_threads, oracle), reasons[key], "")
        row |= _judged(groups, key, fastest.get((pair.dataset, pair.variant)), reasons[key], "cpu_")
        out.append(row)
    return pd.DataFrame(
        out, columns=KEY + ["ref_threads"] + [prefix + name for prefix in ("", "cpu_") for name in JUDGED]
    )


def _judged(groups, key, base, why_not, prefix) -> dict:
    base_key = (key[0], key[1], *base) if base else None
    base_name = f"{base[1]}, {base[0]:g} thr" if base else ""
    if base_key == key or base_key not in groups:
        out = {
            "speed": np.nan,
            "speed_low": np.nan,
            "speed_high": np.nan,
            "pairs": 0,
            "jobs": 0,
            "verdict": "",
            "why_no_verdict": "" if base_key == key else why_not or "no timed alignment to compare with",
        }
    else:
        out = speed_up(groups[key], groups[base_key])
        said = why_not or ("no measurement that both timed and neither failed" if not out["pairs"] else "")
        out |= {
            "verdict": "" if said else verdict(out["speed_low"], out["speed_high"]),
            "why_no_verdict": said,
        }
    return {prefix + name: value for name, value in out.items()} | {prefix + "base": base_name}
