"""The answer in plain words: which one, on my data, and can I trust it."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .accuracy import AGREEMENT, TRUTH
from .better_peers import better_peer_sentences, better_peers
from .environment import left_out
from .latency import FASTER, SAME
from .load import Run
from .stats import of_each

BUSY_LOAD = 0.5  # per core: other work when the run began
UNSTEADY = 0.3  # typical_spread of a machine with other work; that of a quiet one is below 0.1
FEWEST_REPEATS = 5  # for a range between quartiles
MOST_SENTENCES = 6


@dataclass
class Verdict:
    headline: str
    datasets: list  # one sentence each
    better: list  # one sentence each: peers that are more accurate than what is recommended
    searches: list  # one sentence each
    trust: list  # what speaks for the numbers
    cautions: list  # what a reader must know before using them


def interval(row, prefix="") -> str:
    speed, low, high = (row[f"{prefix}speed{end}"] for end in ("", "_low", "_high"))
    if speed != speed:
        return ""
    if low != low:
        return f"{speed:.3g}x (one job)"
    return f"{speed:.3g}x [{low:.3g}, {high:.3g}]"


def candidates(table: pd.DataFrame) -> pd.DataFrame:
    """Of summary_table() what may be recommended: timed, as accurate as the oracle, the same algorithm."""
    return table[table.align_ms_p50.notna() & table.equal & ~table.peer & (table.variant == "autoware")]


def recommended(table: pd.DataFrame, shown) -> dict:
    """Of each dataset its fastest candidate; where there is none, the fastest that is no peer."""
    own = table[~table.peer & (table.variant == "autoware") & table.dataset.isin(shown)]
    first = own.assign(candidate=own.index.isin(candidates(own).index)).sort_values(
        ["candidate", "align_ms_p50"], ascending=[False, True], kind="stable"
    )
    return {row.dataset: row for row in first.drop_duplicates("dataset").itertuples()}


def dataset_sentence(dataset: str, table: pd.DataFrame, frames: int, oracle: str) -> str:
    own = candidates(table)[candidates(table).dataset == dataset]
    where = f"On {dataset} ({frames} scan{'s' if frames != 1 else ''})"
    rows = table[(table.dataset == dataset) & (table.variant == "autoware")]
    if rows.align_ms_p50.isna().all():
        return f"{where}: not timed. {_success_shares(rows)}"
    if own.empty:
        return (
            f"{where}: no implementation is timed and as accurate as {oracle}, so there is nothing to"
            " recommend."
        )
    best = own.sort_values("align_ms_p50", kind="stable").iloc[0]
    threads = f"{best.threads:g} thread{'s' if best.threads != 1 else ''}"
    if best.implementation == oracle:
        return (
            f"{where}: no equally accurate implementation is faster than {oracle} ({threads}, median "
            f"{best.align_ms_p50:.3g} ms)."
        )
    found = {
        FASTER: f"is {interval(best)} faster than {oracle}",
        SAME: f"is as fast as {oracle}, {interval(best)}",
    }
    said = found.get(best.verdict, f"may be faster than {oracle}, {interval(best)}: too uncertain to say")
    ref_threads = "" if best.ref_threads == best.threads else f" with {best.ref_threads:g} threads"
    return (
        f"{where}: {best.implementation} ({threads}, median {best.align_ms_p50:.3g} ms) {said}{ref_threads},"
        f" with the same poses (worst {best.translation_vs_ref_mm_max:.2g} mm); {_success(best)}."
    )


def _success_shares(rows) -> str:
    known = rows[rows.success_share.notna()]
    if known.empty:
        return "It is unknown which alignments succeeded."
    shares = [
        f"{r.implementation} {100 * r.success_share:.3g} % of {r.measurements}" for r in known.itertuples()
    ]
    what = "found the truth" if known.success_kind.iloc[0] == TRUTH else "agree with the oracle"
    return f"Alignments that {what}: {', '.join(shares)}."


def _success(row) -> str:
    if row.success_kind == TRUTH:
        return f"{row.successes} of {row.measurements} alignments found the truth"
    if row.success_kind == AGREEMENT:
        return f"{row.successes} of {row.measurements} agree with the oracle (no truth)"
    return "it is unknown which alignments succeeded"


def headline(table: pd.DataFrame, shown, oracle: str) -> str:
    own = candidates(table)
    own = own[own.dataset.isin(shown)]
    if table.empty:
        return "No single alignment in this run: see its searches and batches."
    if table.align_ms_p50.isna().all():
        return "Nothing was timed in this run: it shows which alignments succeed, not how fast they are."
    if own.empty:
        why = (
            "none is both timed and as accurate as the oracle"
            if oracle in set(table.implementation)
            else f"it has no {oracle} to compare with"
        )
        return f"This run does not say which implementation to use: {why}."
    best = own.sort_values("align_ms_p50", kind="stable").drop_duplicates("dataset")
    wins = best.implementation.value_counts()
    winner, count = sorted(wins.items(), key=lambda item: (-item[1], item[0]))[0]
    of = "your data" if best.dataset.nunique() == 1 else f"{count} of {best.dataset.nunique()} datasets"
    sure = best[best.implementation == winner].verdict == FASTER
    if winner != oracle and not sure.all():
        return (
            f"Probably {winner}: the lowest median with the oracle's accuracy on {of}; too few or unsteady"
            " jobs to be sure."
        )
    return f"Use {winner}: the fastest implementation with the oracle's accuracy on {of}."


def verdict_of(
    run: Run, measurements: pd.DataFrame, table: pd.DataFrame, shown: list, searches=(), false_answers=()
) -> Verdict:
    """searches: sentences of search_sentences(). false_answers: of false_answer_sentences()."""
    said = [
        dataset_sentence(name, table, run.datasets.loc[name, "frames"], run.oracle)
        for name in shown[:MOST_SENTENCES]
    ]
    if len(shown) > MOST_SENTENCES:
        said.append(f"{len(shown) - MOST_SENTENCES} more datasets are in the table.")
    return Verdict(
        headline(table, shown, run.oracle),
        said,
        better_peer_sentences(better_peers(measurements, table, recommended(table, shown), run.datasets)),
        list(searches),
        _trust(run, measurements, table[table.dataset.isin(shown)]),
        run.notes + list(false_answers) + _cautions(run, measurements, table),
    )


def _trust(run: Run, measurements, table) -> list:
    out = []
    own = measurements[
        measurements.translation_vs_ref_m.notna()
        & ~measurements.implementation.map(run.implementations.peer).astype(bool)
    ]
    if len(own):
        same = (own.iterations_vs_ref == 0).mean()
        out.append(
            f"Same algorithm: {100 * same:.4g} % of {len(own)} alignments need exactly the oracle's"
            f" iterations; half of the poses are within {1000 * own.translation_vs_ref_m.median():.2g} mm,"
            f" the worst is {1000 * own.translation_vs_ref_m.max():.2g} mm and"
            f" {own.rotation_vs_ref_deg.max():.2g} deg away."
        )
    judged = table[table.success_kind == TRUTH]
    if len(judged):
        out.append(
            f"{int(judged.successes.sum())} of {int(judged.measurements.sum())} alignments with known truth"
            " ended within their dataset's limits."
        )
    if table.samples.notna().any():
        out.append(
            f"Times: {int(table.samples.sum())} repeats of {int(table.timed_measurements.sum())} alignments"
            f" in {measurements.job.nunique()} child processes in random order; intervals resample whole"
            " processes."
        )
    return out


def _preparation(rows) -> str:
    """What the times of a peer from outside leave out."""
    times_ms = rows.prepare_ms_p50.dropna()
    if times_ms.empty:
        return ""
    low, high = (f"{times_ms.agg(end):.2g}" for end in ("min", "max"))
    return f" They leave out the preparation of a scan: {low if low == high else f'{low} to {high}'} ms."


def typical_spread(measurements) -> float:
    """Median over timed measurements of the inter-quartile range of their repeats, as a share of their
    median; NaN if none."""
    repeats = measurements[measurements.error.isna() & (measurements.timing != "single")].align_us
    shares = of_each([v for v in repeats if len(v) >= FEWEST_REPEATS], _spreads)
    return float(np.median(shares)) if len(shares) else np.nan


def _spreads(repeats) -> np.ndarray:
    return np.subtract(*np.percentile(repeats, [75, 25], axis=1)) / np.median(repeats, axis=1)


def _cautions(run: Run, measurements, table) -> list:
    out = []
    if errors := int(measurements.error.notna().sum()):
        kinds = measurements.error_kind.value_counts()
        out.append(
            f"{errors} measurements failed with an error "
            f"({', '.join(f'{k} {kinds[k]}' for k in sorted(kinds.index))}); they count as failures."
        )
    if left := left_out(run.plan):
        out.append(
            f"Left out: {'; '.join(left[:3])}"
            + (f"; and {len(left) - 3} more, listed under Method." if len(left) > 3 else ".")
        )
    missing = [
        name
        for name in measurements.dataset.unique()
        if not (
            (measurements.dataset == name)
            & (measurements.implementation == run.oracle)
            & measurements.error.isna()
        ).any()
    ]
    if missing:
        out.append(f"Without {run.oracle}: {', '.join(missing)}. Nothing is compared there.")
    capped = measurements[measurements.timing == "wall_cap"]
    if len(capped):
        timed = measurements.timing.isin(["settled", "wall_cap"]).sum()
        out.append(
            f"{100 * len(capped) / timed:.0f} % of the timed measurements hit the wall-clock cap before their"
            " repeats settled."
        )
    for name in table[table.peer].implementation.unique():
        out.append(
            f"{name} is another algorithm on the same data (a peer): its poses and stopping rule differ, so"
            f" its times are no like-for-like comparison.{_preparation(table[table.implementation == name])}"
        )
    unequal = table[
        ~table.equal & ~table.peer & table.align_ms_p50.notna() & (table.why_not.str.startswith("not equal"))
    ]
    for row in unequal.head(3).itertuples():
        variant = "" if row.variant == "autoware" else f", {row.variant}"
        out.append(
            f"{row.implementation} ({row.threads:g} thr{variant}) gets no speed verdict on {row.dataset}:"
            f" {row.why_not}."
        )
    environment = run.environment
    if environment.get("build_type", "Release") != "Release" or environment.get("sanitizers"):
        out.append(
            f"This is a {environment.get('build_type')} "
            f"build{' with sanitizers' if environment.get('sanitizers') else ''}: its times mean nothing."
        )
    load, cores = environment.get("load_average_1_min"), environment.get("cores")
    if isinstance(load, (int, float)) and isinstance(cores, int) and load > BUSY_LOAD * cores:
        out.append(f"The machine was busy when the run began: load {load:.2g} on {cores} cores.")
    if (spread := typical_spread(measurements)) > UNSTEADY:
        out.insert(
            0,
            "Times are unsteady: half of the repeats of one and the same alignment spread over"
            f" {100 * spread:.0f} % of their median. Other work slows implementations with several threads"
            " most, above all those whose threads spin: measure on a quiet machine.",
        )
    return out
