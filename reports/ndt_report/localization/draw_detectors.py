"""ROC of the detectors of wrong poses."""

from ..judge.detection import LEAST_OF_EACH
from ..figures import Drawing, NotDrawable
from ..figures.style import MUTED, OTHERS, finish, panels
from .detectors import curves

MOST_CURVES = 8


def draw(label, limits, judged, table):
    """judged: of judged_alignments(), table: of detector_table() or pooled_table(), limits: what is wrong, in words."""
    if not len(judged):
        return None
    wrong, right = int(judged.wrong.sum()), int((~judged.wrong).sum())
    if min(wrong, right) < LEAST_OF_EACH:
        raise NotDrawable(
            f"{label}: {wrong} of {wrong + right} alignments end farther than {limits} from the truth;"
            f" a curve needs {LEAST_OF_EACH} wrong and {LEAST_OF_EACH} right ones."
        )
    data = curves(judged)
    ranked = table.dropna(subset=["auc"]).sort_values("auc", ascending=False, kind="stable")
    figure, axes = panels(1, columns=1, height_in=4.0)
    for row, (colour, _, line) in zip(ranked.head(MOST_CURVES).itertuples(), OTHERS):
        own = data[data.detector == row.detector]
        axes[0].plot(
            100 * own.rejected_right,
            100 * own.found,
            color=colour,
            linestyle=line,
            label=f"{row.detector}, AUC {row.auc:.2f}",
        )
    axes[0].plot([0, 100], [0, 100], color=MUTED, linewidth=0.8, linestyle=":")
    axes[0].set(xlabel="right poses called wrong, %", ylabel="wrong poses found, %")
    best = ranked.iloc[0]
    finding = (
        f"{label}: {best.detector} tells wrong alignments best: of a wrong and a right one, the wrong one has the"
        f" worse value in {100 * best.auc:.0f} % of pairs (n = {wrong} wrong, {right} right)."
    )
    note = f"Wrong: farther than {limits} from the truth. A curve through the upper left corner tells them apart."
    title = f"Detectors of wrong poses: {label}"
    return Drawing(f"localization_detectors_{label}", title, finding, finish(figure, axes, 2), data, note)
