"""How searches for the initial pose answer the promises of document 16, and this project's own about 200 particles."""

import numpy as np
import pandas as pd

from .answers import MISSED, OPEN, Answer, held
from .measured import Measured
from .poses import translation_difference_m
from .searches import LOWER, PERSISTENT, SEQUENTIAL, TPE, at_once_table, search_table

PRESET = "needs searches for the initial pose (preset initial_pose)"
SAME_SEARCH = ["dataset", "frame", "guess_name", "implementation", "threads", "particles", "startup", "seed"]


def _of(m: Measured, gpu: bool) -> pd.DataFrame:
    """Finished searches of rows on a GPU, or of the others."""
    return m.side(m.searches[m.searches.error.isna()], gpu)


def _none_yet(m: Measured):
    """Open for want of any search, or of one on a GPU; else None."""
    if m.searches is None or m.searches.empty:
        return Answer(OPEN, PRESET)
    return None if len(_of(m, True)) else Answer(OPEN, m.no_gpu())


def _guided(searches):
    return searches[searches.method == TPE]


def gains(searches: pd.DataFrame) -> pd.DataFrame:
    """How many times as fast batched searches are as sequential ones of the same row, dataset and number of particles: medians over
    searches. Columns implementation, dataset, particles, startup, gain."""
    groups = ["dataset", "implementation", "threads", "particles"]
    guided = _guided(searches)
    alone = guided[guided.strategy == SEQUENTIAL].groupby(groups, sort=False).ms.median().rename("alone_ms").reset_index()
    batched = guided[guided.strategy == "batched"].groupby(groups + ["startup"], sort=False).ms.median().reset_index()
    both = batched.merge(alone, on=groups)
    return both.assign(gain=both.alone_ms / both.ms)


def batch_gain(particles: int, promised: dict):
    """promised: {particles of the batch, the first ones: times as fast}; the dataset counts where the gain is smallest."""

    def answer(m: Measured) -> Answer:
        if open_ := _none_yet(m):
            return open_
        wanted = f"needs sequential and batched searches of {particles} particles, the first {_listed(promised)} in the batch"
        found = gains(_of(m, True))
        fits = found[(found.particles == particles) & found.startup.isin(list(promised))]
        if fits.empty:
            return Answer(OPEN, "; ".join([_gain_text(row) for row in found.itertuples()][:2] + [wanted]))
        worst = fits.sort_values("gain", kind="stable").drop_duplicates("startup").sort_values("startup")
        text = "; ".join(_gain_text(row) for row in worst.itertuples())
        if any(row.gain < promised[row.startup] for row in worst.itertuples()):
            return Answer(MISSED, text)
        return held(True, text) if len(worst) == len(promised) else Answer(OPEN, f"{text}; {wanted}")

    return answer


def _listed(promised) -> str:
    return ", ".join(str(startup) for startup in promised)


def _gain_text(row) -> str:
    return f"{row.implementation}: {row.gain:.3g} times with {row.startup} of {row.particles} in the batch on {row.dataset}"


def batch_transfers(most: int):
    """Copies of a whole search that is one batch: as many particles at the start as there are."""

    def answer(m: Measured) -> Answer:
        if open_ := _none_yet(m):
            return open_
        own = _of(m, True)
        own = own[(own.strategy == "batched") & (own.startup >= own.particles)].dropna(subset=["uploads", "downloads"])
        if own.empty:
            return Answer(OPEN, "needs batched searches on a GPU whose particles are one batch (startup = particles)")
        up, down = own.uploads.max(), own.downloads.max()
        return held(max(up, down) <= most, f"{own.implementation.iloc[0]}: at most {up:g} uploads, {down:g} downloads (n = {len(own)})")

    return answer


def batch_against_one_by_one(translation_m: float, score: float):
    """Best particles of batched and sequential searches that draw the same particles."""

    def answer(m: Measured) -> Answer:
        if open_ := _none_yet(m):
            return open_
        guided = _guided(_of(m, True))
        both = guided[guided.strategy == "batched"].merge(guided[guided.strategy == SEQUENTIAL], on=SAME_SEARCH, suffixes=("", "_alone"))
        if both.empty:
            return Answer(OPEN, "needs batched and sequential searches with the same seeds on one row on a GPU")
        apart = max(translation_difference_m(p, q) for p, q in zip(both.pose, both.pose_alone))
        scores = float(np.max(abs(both.score / both.score_alone - 1)))
        others = int((both.best_particle != both.best_particle_alone).sum())
        text = f"worst {apart:.2g} m, score {scores:.2g} relative; another particle wins in {others} of {len(both)} searches"
        return held(apart <= translation_m and scores <= score, text)

    return answer


def search_time(particles: int, startup: int, limit_ms: float):
    """Median of guided searches in rounds whose success is not lower than the sequential one's: on every dataset the best row, and of these
    the slowest."""

    def answer(m: Measured) -> Answer:
        if open_ := _none_yet(m):
            return open_
        table = search_table(m.searches)
        table = table[(table.particles == particles) & table.ms_p50.notna()]
        fits, beside = (_slowest(m, table, gpu, startup) for gpu in (True, False))
        text = "" if beside is None else _time_text(beside)
        if fits is None:
            wanted = f"needs {PERSISTENT} searches of {particles} particles, {startup} of them first, with a success that is not lower"
            return Answer(OPEN, wanted + " than the sequential one's", text)
        return held(fits.ms_p50 <= limit_ms, _time_text(fits), text)

    return answer


def _slowest(m: Measured, table, gpu: bool, startup: int):
    own = m.side(at_once_table(table), gpu)
    own = own[(own.judged != LOWER) & (own.startup == startup)].sort_values("ms_p50", kind="stable")
    return own.drop_duplicates("dataset").iloc[-1] if len(own) else None


def _time_text(row) -> str:
    return f"{row.implementation} {row.search_name}: p50 {row.ms_p50:.3g} ms on {row.dataset}, its slowest dataset (n = {row.n})"
