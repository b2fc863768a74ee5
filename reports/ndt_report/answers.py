"""How the rows of a run answer a promise of the design documents: met, missed, or open for a reason."""

from dataclasses import dataclass

from .grids import on_grids
from .load import REFERENCE
from .measured import Measured
from .transfers import BYTES, kept

MET, MISSED, OPEN = "met", "not met", "not measured"


@dataclass
class Answer:
    state: str
    ours: str  # with what it was measured on; for OPEN what it needs
    beside: str = ""  # the same of the best CPU row


def held(met: bool, ours: str, beside: str = "") -> Answer:
    return Answer(MET if met else MISSED, ours, beside)


def needs(what: str):
    return lambda measured: Answer(OPEN, f"needs {what}")


def time_at_size(value: str, size_column: str, size: int, limit_ms: float):
    """A time at a size. A larger one within the limit meets it, a smaller one beyond the limit misses it; else it is open."""

    def answer(m: Measured) -> Answer:
        beside = size_text(m, m.best_at_size(False, value, size_column, size))
        found = m.best_at_size(True, value, size_column, size)
        if found is None:
            return Answer(OPEN, m.no_gpu(), beside)
        name, at, ms = found
        text = size_text(m, found)
        if ms < limit_ms and at >= 0.98 * size:
            return Answer(MET, text, beside)
        if ms >= limit_ms and at <= 1.02 * size:
            return Answer(MISSED, text, beside)
        return Answer(OPEN, f"{text}; needs {size:,} points (preset scaling)", beside)

    return answer


def size_text(m: Measured, found) -> str:
    return "" if found is None else f"{found[0]}: {found[2]:.3g} ms at {found[1]:,.0f} points"


def time_of(limit_ms: float, quantile: str, only=None):
    """A quantile of the alignment time on the dataset where the best row is slowest."""

    def answer(m: Measured) -> Answer:
        beside = m.slowest_text(False, quantile)
        found = m.slowest(True, quantile, only)
        return (
            Answer(OPEN, m.no_gpu(only), beside)
            if found is None
            else held(found[2] < limit_ms, m.time_text(found, quantile), beside)
        )

    return answer


def scoring(m: Measured) -> Answer:
    beside, found = m.pass_text(False), m.one_pass(True)
    if found is None:
        return Answer(OPEN, m.no_gpu(), beside)
    text = m.pass_text(True) + ", score, gradient and Hessian together"
    return Answer(MET, text, beside) if found[1] < 2 else Answer(OPEN, text + "; scoring alone: ndt-microbench", beside)


def iterations(m: Measured) -> Answer:
    # A grid holds bad guesses on purpose, and a variant may be made to iterate on.
    own = m.own[(m.own.success == 1) & (m.own.variant == "autoware") & ~on_grids(m.own)].iterations
    if own.empty:
        return Answer(OPEN, "needs a successful alignment")
    return held(
        own.median() < 10, f"median {own.median():g}, 90th percentile {own.quantile(0.9):g} (n = {len(own)}, all own rows)"
    )


def pose(m: Measured) -> Answer:
    def text(rows):
        worst = f"worst {1000 * rows.translation_vs_ref_m.max():.3g} mm, {rows.rotation_vs_ref_deg.max():.2g} deg"
        return f"{100 * m.within_equal(rows).mean():.4g} % of {len(rows)} poses; {worst}"

    cpu, gpu = m.compared(False), m.compared(True)
    beside = "CPU rows: " + text(cpu) if len(cpu) else ""
    if gpu.empty:
        return Answer(OPEN, m.no_gpu() if m.side(m.own, True).empty else m.no_row(REFERENCE), beside)
    return held(bool(m.within_equal(gpu).mean() >= 0.99), text(gpu), beside)


def crashes(m: Measured) -> Answer:
    kinds = [*m.rows.error_kind, *(() if m.searches is None else m.searches.error_kind)]
    if not kinds:
        return Answer(OPEN, "needs an alignment or a search")
    crashes = kinds.count("crash")
    return held(crashes == 0, f"{crashes} crash{'es' if crashes != 1 else ''} in {len(kinds)} measurements of all rows")


def memory(m: Measured) -> Answer:
    peak, found = m.rows.peak_rss_bytes.max(), m.device_memory()
    beside = f"largest resident memory of a child process: {peak / 1e6:.0f} MB" if peak == peak else ""
    if found is None:
        return Answer(OPEN, m.no_gpu(), beside)
    name, dataset, most = found
    return held(most < 500e6, f"{name}: {most / 1e6:.3g} MB of device memory on {dataset}, its largest dataset", beside)


def no_slope(m: Measured, name: str) -> Answer:
    if m.of(name).upload_bytes.dropna().empty:
        return Answer(OPEN, m.no_row(name))
    return Answer(OPEN, "needs guesses of one scan with different iterations (preset transfers)")


def bytes_per_iteration(name: str, promised: float):
    def answer(m: Measured) -> Answer:
        fit = m.per_iteration(name, BYTES)
        if fit is None:
            return no_slope(m, name)
        about = "about " if fit.worst >= 0.5 else ""
        return held(kept(fit.slope, promised), f"{name}: {about}{fit.slope:.3g} bytes more per iteration")

    return answer


def final_download(name: str, promised: float):
    """What comes down whatever the iterations."""

    def answer(m: Measured) -> Answer:
        fit = m.per_iteration(name, ["download_bytes"])
        if fit is None:
            return no_slope(m, name)
        return held(kept(fit.constant, promised), f"{name}: {fit.constant:g} bytes besides those of iterations")

    return answer


def line_search_memory(m: Measured) -> Answer:
    promised = 121e3 / 756  # bytes for a point
    found = m.memory_of_variant("multikernel_cuda", ("batched",))
    if found is None:
        has_row = len(m.of("multikernel_cuda"))
        return Answer(OPEN, "needs preset transfers, with the batched line search" if has_row else m.no_row("multikernel_cuda"))
    return held(found <= promised, f"multikernel_cuda: {found:.3g} bytes a point at most, {promised:.0f} promised")


def median_of(name: str, column: str, promised: float, unit: str):
    def answer(m: Measured) -> Answer:
        values = m.of(name)[column].dropna()
        if values.empty:
            return Answer(OPEN, m.no_row(name))
        return held(values.median() <= promised, f"{name}: median {values.median():g} {unit}, largest {values.max():g}")

    return answer


def against(name: str, base: str, least: float):
    """name is at least `least` times as fast as base, over all datasets both timed."""

    def answer(m: Measured) -> Answer:
        found = m.ratio(name, base)
        if found is None:
            missing = name if m.of(name).empty else base
            return Answer(OPEN, m.no_row(missing), m.ratio_text("persistent_cpu", base))
        return held(found["speed"] >= least, m.ratio_text(name, base), m.ratio_text("persistent_cpu", base))

    return answer


def variant_cost(words, limit: float, what: str):
    """Time per iteration of a variant whose name has one of the words, against autoware's."""

    def answer(m: Measured) -> Answer:
        beside = m.variant_text("persistent_cpu", words)
        cost = m.variant_cost("persistent_cuda", words)
        needs = f"needs preset profiles with {what} on persistent_cuda"
        return (
            Answer(OPEN, needs, beside)
            if cost is None
            else held(cost <= limit, m.variant_text("persistent_cuda", words), beside)
        )

    return answer


def any_size(m: Measured) -> Answer:
    own = m.of("persistent_cuda").points.dropna()
    if own.empty:
        return Answer(OPEN, m.no_row("persistent_cuda"))
    return Answer(MET if own.max() >= 87_000 else OPEN, f"from {own.min():,.0f} to {own.max():,.0f} points aligned")


def like_multikernel(m: Measured) -> Answer:
    both = m.same_result("persistent_cuda", "multikernel_cuda")
    if both is None:
        return Answer(OPEN, m.no_row("multikernel_cuda" if len(m.of("persistent_cuda")) else "persistent_cuda"))
    return held(both >= 0.99, f"same stop and iterations in {100 * both:.4g} % of alignments")
