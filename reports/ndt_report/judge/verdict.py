"""The answer in plain words: which one, on my data, and can I trust it."""

from dataclasses import dataclass

import pandas as pd

from .accuracy import AGREEMENT, TRUTH
from .against_truth import NO_WORSE
from .better_peers import better_peer_sentences, better_peers, faster_peer_sentences, own_sentences
from .cautions import cautions, change_of_nvtl, doubts
from .latency import FASTER, SAME, UNCLEAR
from ..read.load import Run
from ..page_numbers import joined, number
from .replayer import replayer_sentences

MOST_SENTENCES = 6
MOST_SPAN = 2.0  # an interval's high end over its low one: of a wider one only an end is said


@dataclass
class Verdict:
    headline: str
    own: list  # one sentence for each method of the user's
    datasets: list  # one sentence each
    better_peers: pd.DataFrame  # of better_peers()
    better: list  # one sentence each: peers more accurate than what is recommended, or faster
    searches: list  # one sentence each
    replayer: list  # one sentence a drive, in driving_log_replayer's words
    trust: list  # what speaks for the numbers
    cautions: list  # what a reader must know before using them


def interval(row, prefix="") -> str:
    speed, low, high = (row[f"{prefix}speed{end}"] for end in ("", "_low", "_high"))
    if speed != speed:
        return ""
    if low != low:
        return f"{number(speed)}x (one job)"
    return f"{number(speed)}x [{number(low)}, {number(high)}]"


def said_speed(row) -> str:
    """interval() for a sentence: of one too wide for a ratio, the end that is sure."""
    low, high = row["speed_low"], row["speed_high"]
    if not high > MOST_SPAN * low:
        return interval(row)
    return f"between {number(low)}x and {number(high)}x" if row["verdict"] == UNCLEAR else f"at least {number(low)}x"


def candidates(table: pd.DataFrame) -> pd.DataFrame:
    """Selects from summary_table() what may be recommended: timed, as accurate as the oracle, the same algorithm."""
    return table[table.align_ms_p50.notna() & table.comparable & ~table.peer & (table.variant == "autoware")]


def recommended(table: pd.DataFrame, shown) -> dict:
    """Returns for each dataset its fastest candidate; if there is none, the fastest that is no peer."""
    own = table[~table.peer & (table.variant == "autoware") & table.dataset.isin(shown)]
    first = own.assign(candidate=own.index.isin(candidates(own).index)).sort_values(
        ["candidate", "align_ms_p50"], ascending=[False, True], kind="stable"
    )
    rows = {row.dataset: row for row in first.drop_duplicates("dataset").itertuples()}
    return {name: rows[name] for name in shown if name in rows}


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
            f"{where}: no equally accurate implementation of ours is faster than {oracle} ({threads}, median "
            f"{number(best.align_ms_p50)} ms)."
        )
    base = oracle if best.ref_threads == best.threads else f"{oracle} with {best.ref_threads:g} threads"
    found = {
        FASTER: f"is {said_speed(best)} faster than {base}",
        SAME: f"is as fast as {base}, {said_speed(best)}",
    }
    said = found.get(best.verdict, f"may be faster than {base}, {said_speed(best)}, too uncertain to say")
    return (
        f"{where}: {best.implementation} ({threads}, median {number(best.align_ms_p50)} ms) {said};"
        f" {_poses(best)}; {_success(best)}."
    )


def _poses(row) -> str:
    if row.equal:
        return f"the same poses (worst {number(row.translation_vs_ref_mm_max, 2)} mm)"
    why = row.why_not.removeprefix("not equal: ") + change_of_nvtl(row.nvtl_change)
    return f"other poses ({why}), {row.by_truth} against the truth ({row.by_truth_why})"


def _success_shares(rows) -> str:
    known = rows[rows.success_share.notna()]
    if known.empty:
        return "It is unknown which alignments succeeded."
    shares = [
        f"{r.implementation} {number(100 * r.success_share)} % of {r.measurements}" for r in known.itertuples()
    ]
    what = "found the truth" if known.success_kind.iloc[0] == TRUTH else "agree with the oracle"
    return f"Alignments that {what}: {', '.join(shares)}."


def _success(row) -> str:
    if row.success_kind == TRUTH:
        return f"{row.successes} of {row.measurements} alignments found the truth"
    if row.success_kind == AGREEMENT:
        return f"{row.successes} of {row.measurements} agree with the oracle (no truth)"
    return "it is unknown which alignments succeeded"


def headline(
    table: pd.DataFrame, shown, oracle: str, doubted=lambda rows: [], only_after_idle=False, also_timed=()
) -> str:
    """doubted: what else speaks against being sure of these rows, as doubts() says it. also_timed: what the run timed
    beside single alignments."""
    own = candidates(table)
    own = own[own.dataset.isin(shown)]
    if only_after_idle:
        return "Only alignments after idle in this run: those back to back, which it compares, are missing."
    if table.empty:
        return "No single alignment in this run: see its searches and batches."
    if table.align_ms_p50.isna().all():
        others = f" Its times are those of {joined(also_timed)}." if also_timed else ""
        return f"No single alignment was timed in this run: it shows which ones succeed, not how fast they are.{others}"
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
    rows = best[best.implementation == winner]
    if (rows.verdict == SAME).all() and not doubted(rows):
        return f"Use {winner} or {oracle}: they take the same time with the same accuracy on {of}."
    why = _unsure(rows, oracle) + doubted(rows)
    if why:
        return f"Probably {winner}: our lowest median with the oracle's accuracy on {of}; {', '.join(why)}."
    return f"Use {winner}: our fastest implementation with the oracle's accuracy on {of}."


def _unsure(rows, oracle: str) -> list:
    """Returns doubts that the winner's own rows leave."""
    out = []
    if rows.implementation.iloc[0] != oracle and not (rows.verdict == FASTER).all():
        out.append("too few or unsteady jobs to be sure")
    if not (rows.equal | (rows.by_truth == NO_WORSE)).all():
        out.append("too few alignments to be sure of its accuracy")
    return out


def verdict_of(
    run: Run, measurements: pd.DataFrame, table: pd.DataFrame, shown: list, searches=(), false_answers=(), also_timed=()
) -> Verdict:
    """searches: sentences of search_sentences(). false_answers: of false_answer_sentences(). also_timed: of headline()."""
    said = [
        dataset_sentence(name, table, run.datasets.loc[name, "frames"], run.oracle)
        for name in shown[:MOST_SENTENCES]
    ]
    if len(shown) > MOST_SENTENCES:
        more = len(shown) - MOST_SENTENCES
        said.append(f"{more} more dataset{'s are' if more > 1 else ' is'} in the table.")
    bases = recommended(table, shown)
    better = better_peers(measurements, table, bases, run.datasets)
    return Verdict(
        headline(
            table,
            shown,
            run.oracle,
            lambda rows: doubts(run, measurements, rows),
            only_after_idle=run.measurements.empty and run.at_rates is not None and len(run.at_rates) > 0,
            also_timed=also_timed,
        ),
        own_sentences(table, bases, run.own, run.datasets),
        said,
        better,
        better_peer_sentences(better) + faster_peer_sentences(table, bases),
        list(searches),
        replayer_sentences(measurements, dict(list(bases.items())[:MOST_SENTENCES]), run.datasets),
        _trust(run, measurements, table[table.dataset.isin(shown)]),
        run.notes + run.remarks + list(false_answers) + cautions(run, measurements, table),
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
            f"Same algorithm: {number(100 * same, 4)} % of {len(own)} alignments need exactly the oracle's"
            f" iterations; half of the poses are within {number(1000 * own.translation_vs_ref_m.median(), 2)} mm,"
            f" the worst is {number(1000 * own.translation_vs_ref_m.max(), 2)} mm and"
            f" {number(own.rotation_vs_ref_deg.max(), 2)} deg away."
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


