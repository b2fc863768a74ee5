"""The first words of a page of localisation runs."""

import pandas as pd

from ..page_numbers import joined, number
from .nees import CONSISTENT, POSITION

MOST_NAMED = 6  # runs in one sentence
MOST_SAID = 12  # runs with a sentence of their own


def length(metres: float) -> str:
    return f"{number(metres)} m" if metres >= 1 else f"{number(1000 * metres)} mm"


def percent(share: float) -> str:
    """Never 100 of what is not all."""
    said = number(100 * share)
    return f"{said if share == 1 or said != '100' else '99.9'} %"


def headline(table: pd.DataFrame) -> str:
    whole = table[_followed(table)]
    if len(table) == 1:
        return run_sentence(table.iloc[0])
    if not len(whole):
        return f"None of the {len(table)} runs followed every frame."
    said = f"{len(whole)} of {len(table)} runs followed every frame"
    known = whole[whole.ate_rmse_m.notna()]
    if len(known):
        low, high = known.ate_rmse_m.min(), known.ate_rmse_m.max()
        span = length(low) if length(low) == length(high) else f"{length(low)} to {length(high)}"
        said += f", with a closed-loop ATE of {span}"
    return said + "."


def _followed(table: pd.DataFrame) -> pd.Series:
    return (table.frames > 0) & (table.lost == 0) & (table.rejected == 0)


def run_sentence(row) -> str:
    """Returns a sentence for a row of summary_table()."""
    if not row.frames:
        return f"{row.run}: not one frame can be read."
    where = f" of {row.dataset}" if row.dataset and row.dataset not in row.run else ""
    parts = [f"{row.run}: {_frames(row, where)}", *_recoveries(row)]
    if row.ate_rmse_m == row.ate_rmse_m:
        parts.append(f"closed-loop ATE {length(row.ate_rmse_m)} (at most {length(row.ate_max_m)})")
    if row.false_ok:
        parts.append(f"{row.false_ok} wrong pose{'s are' if row.false_ok > 1 else ' is'} called ok")
    return "; ".join([*parts, _times(row)]) + "."


def _frames(row, where) -> str:
    if row.lost == row.rejected == 0:
        doubtful = f", {row.doubtful} of them doubtful" if row.doubtful else ""
        return f"all {row.frames} frames{where} followed{doubtful}, none lost"
    followed, lost = row.frames - row.rejected, f"{row.lost} of these lost" if row.lost else "none lost"
    return f"{followed} of {row.frames} frames{where} followed, {row.rejected} only predicted, {lost}"


def _recoveries(row) -> list:
    out = []
    if row.recoveries:
        longest = f", after {number(row.recovery_s)} s at most" if row.recovery_s == row.recovery_s else ""
        out.append(f"found again {row.recoveries} time{'s' if row.recoveries > 1 else ''}{longest}")
    if row.lost_since is not None and row.lost_since == row.lost_since:
        out.append(f"lost since frame {row.lost_since:g}, to the end")
    return out


def _times(row) -> str:
    if not row.timed:
        return "no times"
    shares = f"{percent(row.within_100_share)} of frames within 100 ms, {percent(row.within_10_share)} within 10 ms"
    return f"{shares} (median {number(row.execution_ms_p50)} ms)"


def sentences(table: pd.DataFrame) -> list:
    """Returns a sentence for every run if there are several, and which trajectories are equal."""
    said = table.head(MOST_SAID) if len(table) > 1 else table.head(0)
    out = [run_sentence(row) for row in said.itertuples()]
    if 0 < len(said) < len(table):
        out.append(f"The other {len(table) - len(said)} runs are in the table below.")
    for first, group in table[table.same_poses_as != ""].groupby("same_poses_as", sort=False):
        out.append(f"Bitwise equal trajectories: {joined(_named([first, *group.run]))}.")
    return out


def _named(names) -> list:
    if len(names) <= MOST_NAMED:
        return names
    return [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1} more"]


def truth_sentences(runs) -> list:
    """How good the truth is that errors are measured against."""
    said = dict.fromkeys((run.dataset, run.facts.truth_quality) for run in runs if run.facts.truth_quality)
    return [f"Truth of {dataset or 'these scans'}: {quality}." for dataset, quality in said]


def cautions(runs, nees: pd.DataFrame) -> list:
    out = []
    for finding, group in nees[(nees.freedom == POSITION) & (nees.finding != CONSISTENT)].groupby("finding", sort=False):
        names, low, high = list(group.run), number(group["mean"].min()), number(group["mean"].max())
        out.append(
            f"{joined(_named(names))}: the covariance of x and y is {finding}: mean NEES"
            f" {low if low == high else f'{low} to {high}'}, expected {number(group.low.min())} to {number(group.high.max())}."
        )
    for run in runs:
        out += [f"{run.label}: {note}" if len(runs) > 1 else note for note in run.notes]
        if len(run.frames) and run.frames.error_m.isna().all():
            out.append(f"{run.label}: there is no truth, so nothing can be said of its errors.")
    return out
