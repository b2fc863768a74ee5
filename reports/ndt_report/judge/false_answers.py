"""The answers that are called ok, and the wrong ones among them. Truth decides what is wrong."""

import numpy as np
import pandas as pd

from .accuracy import TRUTH
from .stats import wilson

OK = "ok"
COUNTS = ["n", "right", "right_ok", "wrong", "wrong_converged", "wrong_ok"]


def judged_answers(measurements: pd.DataFrame) -> pd.DataFrame:
    """Alignments with a verdict and known truth: who, and the flags COUNTS. measurements: of
    judged_measurements(). The answers of different thread
    counts are the same: the smallest counts."""
    own = measurements[measurements.verdict.notna() & (measurements.success_kind == TRUTH)]
    own = own[own.threads == own.groupby(["dataset", "implementation", "variant"]).threads.transform("min")]
    wrong, ok = own.success == 0, own.verdict == OK
    flags = {
        "n": True,
        "right": ~wrong,
        "right_ok": ~wrong & ok,
        "wrong": wrong,
        "wrong_converged": wrong & (own.stop == "converged"),
        "wrong_ok": wrong & ok,
    }
    return own[["dataset", "implementation", "variant"]].assign(**flags)


def false_answers_table(answers: pd.DataFrame) -> pd.DataFrame:
    """Per (dataset, implementation, variant) the COUNTS, without those whose answers are all right and called
    ok. Before them, with an empty dataset, the sums over all datasets, with the shares of right and wrong
    answers that are called ok and their Wilson intervals."""
    who = ["implementation", "variant"]
    total = answers.groupby(who, sort=False)[COUNTS].sum().reset_index().assign(dataset="")
    each = answers.groupby(["dataset", *who], sort=False)[COUNTS].sum().reset_index()
    each = each[each.right_ok < each.n]
    table = pd.concat([total, each], ignore_index=True)
    for kind in ("right", "wrong"):
        counts = list(zip(table[f"{kind}_ok"], table[kind]))
        table[f"{kind}_ok_share"] = [ok / n if n else np.nan for ok, n in counts]
        low_high = [wilson(int(ok), int(n)) for ok, n in counts]
        table[f"{kind}_ok_low"], table[f"{kind}_ok_high"] = np.array(low_high, float).reshape(-1, 2).T
    return table[["dataset", *who, *COUNTS, *table.columns[len(COUNTS) + 3 :]]]


def false_answer_sentences(table: pd.DataFrame) -> list:
    """Returns a sentence for the verdict if false_answers_table() has a wrong answer that is called ok."""
    total = table[table.dataset == ""]
    wrong, called_ok = int(total.wrong.sum()), int(total.wrong_ok.sum())
    if not called_ok:
        return []
    return [
        f"{called_ok} of {wrong} wrong answers are called ok, and {int(total.right_ok.sum())} of"
        f" {int(total.right.sum())} right ones, all implementations and variants together: see False answers."
    ]
