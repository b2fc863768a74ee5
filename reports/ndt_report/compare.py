"""Two runs, implementation by implementation: is B faster or slower than A?

The runs were made at different times, and what the machine did between them is not in the scatter within
either. Two controls see some of it: the calibration workload timed beside every measurement, and the oracle
in both runs. An interval is widened until it holds the result with and without each correction; so a
difference counts only if no control explains it away.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .judge.accuracy import KEY
from .judge.batches import kinds_as_variants
from .read.environment import gpus
from .judge.grids import split_by_guess
from .judge.latency import FASTER, MARGIN, SAME, SLOWER, UNCLEAR, paired, speed_up, timed, verdict
from .read.load import Run
from .judge.own_scans import without_their_truth
from .page_numbers import aligned, number
from .read.poses import translation_difference_m
from .judge.reference import SAME_ALIGNMENT
from .read.refusal import refusal
from .judge.summary import judged_measurements

CONFIDENCE = 0.99  # a run has many verdicts: at 95 % one of twenty would be wrong by chance


@dataclass
class Comparison:
    rows: pd.DataFrame
    notes: list


def comparison(a: Run, b: Run) -> Comparison:
    """Throws InputError if the runs have no timed measurement in common. The oracle is B's."""
    a, b = (split_by_guess(kinds_as_variants(without_their_truth(run))) for run in (a, b))
    notes = _notes(a, b)
    changed = _changed_datasets(a, b)
    measurements_a, measurements_b = judged_measurements(a), judged_measurements(b)
    sides = [
        dict(list(timed(r[~r.dataset.isin(changed)]).groupby(KEY, sort=False)))
        for r in (measurements_a, measurements_b)
    ]
    common = [key for key in sides[0] if key in sides[1]]
    if not common:
        raise refusal(
            b.folder,
            "",
            f"no timed alignment in common with {a.folder}",
            "compare runs of one preset with the same datasets",
        )
    for name, mine, other in (("A", sides[0], sides[1]), ("B", sides[1], sides[0])):
        if alone := [_name(key) for key in mine if key not in other]:
            notes.append(f"Timed only in {name}: {', '.join(alone)}.")
    everything = [dict(list(r.groupby(KEY, sort=False))) for r in (measurements_a, measurements_b)]
    table = pd.DataFrame(
        [_compared(key, *(s[key] for s in sides), *(e[key] for e in everything)) for key in common]
    )
    return Comparison(_judged(table, b.oracle), notes)


def _name(key) -> str:
    return f"{key[3]} on {key[0]}{'' if key[1] == 'autoware' else ' ' + key[1]}, {key[2]:g} thr"


def _notes(a: Run, b: Run) -> list:
    out = [f"A: {note}" for note in a.notes] + [f"B: {note}" for note in b.notes]
    out += dict.fromkeys(a.remarks + b.remarks)  # mostly the same of both
    for key, what in (
        ("cpu_model", "CPU"),
        ("cores", "number of cores"),
        ("build_type", "build type"),
        ("compiler", "compiler"),
        ("flags", "compiler flags"),
    ):
        if a.environment.get(key) != b.environment.get(key):
            out.append(f"The {what} differs: {a.environment.get(key)} in A, {b.environment.get(key)} in B.")
    if gpus(a.environment) != gpus(b.environment):
        out.append(
            f"The GPU differs: {gpus(a.environment) or 'none'} in A, {gpus(b.environment) or 'none'} in B."
        )
    for name in _changed_datasets(a, b):
        out.append(f"{name} is not the same data in both runs and is left out.")
    return out


def _changed_datasets(a: Run, b: Run) -> list:
    both = [name for name in a.datasets.index if name in b.datasets.index]
    return [name for name in both if a.datasets.fingerprint[name] != b.datasets.fingerprint[name]]


def _compared(key, a, b, all_a, all_b) -> dict:
    """Speed-up of B over A, without correction; the machine's by calibration (1.1: B's was 10 % faster);
    poses and successes."""
    out = dict(zip(KEY, key)) | speed_up(b, a, CONFIDENCE)
    both = paired(b, a)
    both = both[(both.calibration_us > 0) & (both.calibration_us_base > 0)]
    drift = np.log(both.calibration_us_base / both.calibration_us).mean() if len(both) else np.nan
    poses = all_b.merge(all_a, on=SAME_ALIGNMENT, suffixes=("", "_base"))
    poses = poses[poses.pose.notna() & poses.pose_base.notna()]
    apart = [translation_difference_m(p, q) for p, q in zip(poses.pose, poses.pose_base)]
    return out | {
        "a_ms_p50": a.align_ms.median(),
        "b_ms_p50": b.align_ms.median(),
        "calibration": float(np.exp(drift)),
        "poses_apart_mm": 1000 * max(apart, default=np.nan),
        "a_failures": int((all_a.success == 0).sum()),
        "b_failures": int((all_b.success == 0).sum()),
        "measurements": min(len(all_a), len(all_b)),
    }


def _judged(table: pd.DataFrame, oracle: str) -> pd.DataFrame:
    """Adds low and high, the interval widened by both controls, and the verdict."""
    control = table[table.implementation == oracle].set_index(["dataset", "variant", "threads"]).speed
    any_control = np.exp(np.log(control.dropna()).mean()) if control.notna().any() else np.nan
    lows, highs, controls = [], [], []
    for row in table.itertuples():
        corrections = [1.0, row.calibration]
        if row.implementation != oracle:
            corrections.append(control.get((row.dataset, row.variant, row.threads), any_control))
        known = [c for c in corrections if c == c]
        lows.append(min(row.speed_low / c for c in known))
        highs.append(max(row.speed_high / c for c in known))
        controls.append(corrections[2] if len(corrections) > 2 else np.nan)
    table = table.assign(low=lows, high=highs, oracle_control=controls)
    return table.assign(verdict=[verdict(low, high) for low, high in zip(lows, highs)])


def comparison_json(found: Comparison) -> dict:
    columns = KEY + [
        "verdict",
        "speed",
        "low",
        "high",
        "speed_low",
        "speed_high",
        "calibration",
        "oracle_control",
        "a_ms_p50",
        "b_ms_p50",
        "pairs",
        "jobs",
        "poses_apart_mm",
        "a_failures",
        "b_failures",
        "measurements",
    ]
    rows = found.rows[columns].astype(object).where(found.rows[columns].notna(), None).to_dict("records")
    counts = {name: int((found.rows.verdict == name).sum()) for name in (SAME, FASTER, SLOWER, UNCLEAR)}
    return {"margin": MARGIN, "confidence": CONFIDENCE, "counts": counts, "rows": rows, "notes": found.notes}


HEADER = ["dataset", "implementation", "thr", "A ms", "B ms", "speed of B", "verdict", "clock", "poses apart mm", "failures A, B"]


def comparison_lines(found: Comparison) -> list:
    table = aligned([HEADER, *map(_cells, found.rows.to_dict("records"))], left={0, 1, 5, 6})
    counts = comparison_json(found)["counts"]
    said = ", ".join(f"{count} {name}" for name, count in counts.items())
    explained = (
        f"speed of B: A's time / B's with its {100 * CONFIDENCE:g} % interval, widened by what clock (a fixed"
        f" workload, the same ratio) and the oracle explain; beyond {100 * MARGIN:g} % counts."
    )
    return ["! " + note for note in found.notes] + table + [explained, said]


def _cells(row) -> list:
    interval = f" [{number(row['low'])}, {number(row['high'])}]" if row["low"] == row["low"] else " (one job)"
    return [
        row["dataset"],
        row["implementation"] + ("" if row["variant"] == "autoware" else f" {row['variant']}"),
        f"{row['threads']:g}",
        number(row["a_ms_p50"]),
        number(row["b_ms_p50"]),
        f"{number(row['speed'])}x{interval}",
        row["verdict"],
        "-" if row["calibration"] != row["calibration"] else f"{row['calibration']:.3f}",
        "-" if row["poses_apart_mm"] != row["poses_apart_mm"] else number(row["poses_apart_mm"], 2),
        f"{row['a_failures']}, {row['b_failures']}",
    ]
