"""The searches for the initial pose in plain words."""

from ..read.columns import OWN
from ..page_numbers import number
from .searches import LEAST_SEARCHES, TPE


def search_sentences(table, oracle: str) -> list:
    """One a dataset: its fastest setting among those that may succeed as often as the best, then what peers find in
    ways of their own. table: of search_table()."""
    out = []
    for dataset, rows in table.groupby("dataset", sort=False):
        ours, peers = rows[rows.method != OWN], rows[rows.method == OWN]
        said = [_sentence(dataset, ours, oracle)] if len(ours) else [f"Initial pose on {dataset}:"]
        out.append(" ".join(said + [_of_peer(peer) for peer in peers.itertuples()]))
    return out


def candidates(rows):
    """Settings of one dataset that succeed at all, and maybe as often as the best: their intervals overlap.
    Guided ones if there are any: few searches leave intervals wide enough for chance."""
    known = rows[(rows.known >= LEAST_SEARCHES) & rows.ms_p50.notna() & (rows.successes > 0)]
    likely = known[known.success_high >= known.success_low.max()]
    guided = likely[likely.method == TPE]
    return likely if guided.empty else guided


def _sentence(dataset: str, rows, oracle: str) -> str:
    where, own = f"Initial pose on {dataset}", candidates(rows)
    if own.empty:
        failed = f", {int(rows.errors.sum())} of them with an error" if rows.errors.sum() else ""
        never = rows.known.max() >= LEAST_SEARCHES and not rows.successes.any()
        why = "none of them finds the pose" if never else "too few with truth to say which one to use"
        return f"{where}: {int(rows.n.sum())} search{'es' if rows.n.sum() > 1 else ''}{failed}, {why}."
    best = own.sort_values("ms_p50", kind="stable").iloc[0]
    said = f"{where}: {_name(best)}, {_share(best)} succeed, median {number(best.ms_p50)} ms"
    if best.speed == best.speed and best.implementation != oracle:
        said += f", {number(best.speed)} times as fast as {oracle} one by one"
    said += f"; {_trusted(best)}"
    most = own.sort_values(["success_share", "ms_p50"], ascending=[False, True], kind="stable").iloc[0]
    if most.success_share > best.success_share:
        said += f"; {_name(most)} is slower, {number(most.ms_p50)} ms, and {_share(most)} succeed"
    return said + "."


def _of_peer(row) -> str:
    failed = f", {row.errors} of {row.n} with an error" if row.errors else ""
    if row.ms_p50 != row.ms_p50 or not row.known:
        return f"{_name(row)}: {row.n} search{'es' if row.n > 1 else ''}{failed}; nothing can be said of them."
    return f"{_name(row)}: {_share(row)} succeed{failed}, median {number(row.ms_p50)} ms; {_trusted(row)}."


def _name(row) -> str:
    return f"{row.implementation} {row.search_name}"


def _share(row) -> str:
    return (
        f"{row.successes} of {row.known} searches [{number(100 * row.success_low, 2)},"
        f" {number(100 * row.success_high)}] %"
    )


def _trusted(row) -> str:
    if not row.reliable:
        return "none is called reliable"
    return (
        f"of {row.reliable} called reliable {row.false_reliable:g}"
        f" {'is' if row.false_reliable == 1 else 'are'} wrong"
    )
