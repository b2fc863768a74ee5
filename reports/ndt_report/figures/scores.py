"""Scores against true error, and ROC: can a wrong pose be told by its score?"""

import pandas as pd

from ..judge.detection import AUTOWARE_THRESHOLDS, SCORES, roc
from .style import BAD, GOOD, MUTED, finish, log_axis, panels
from . import Drawing

LINES = {"nvtl": ("#0072B2", "-"), "transform_probability": ("#E69F00", "--")}


def finding(table: pd.DataFrame, dataset: str) -> str:
    own = table[table.dataset == dataset].set_index("score")
    nvtl, probability = own.loc["nvtl"], own.loc["transform_probability"]
    return (
        f"On {dataset}, a wrong pose has the lower NVTL in {100 * nvtl.auc:.0f} % of pairs with a right one,"
        f" the lower transform probability in {100 * probability.auc:.0f} % (n = {nvtl.wrong} wrong,"
        f" {nvtl.right} right); NVTL < {nvtl.threshold:g}, Autoware's default, finds {100 * nvtl.found:.0f} %"
        f" of the wrong poses and rejects {100 * nvtl.rejected_right:.0f} % of the right ones."
    )


def draw(poses: pd.DataFrame, table: pd.DataFrame, dataset: str):
    own = poses[poses.dataset == dataset]
    if own.empty:
        return None
    figure, axes = panels(3, columns=3, height_in=3.4)
    for ax, score in zip(axes, SCORES):
        _cloud(ax, own, score)
    _roc(axes[2], own, table[table.dataset == dataset])
    what = (
        "final poses of the oracle"
        if own.pose.iloc[0] == "final"
        else "poses on the way there, as too few final poses are wrong"
    )
    note = (
        f"Drawn: {what}. Right and wrong by the truth. Dashed: Autoware's default thresholds, made for 2 m"
        " voxels. A curve through the upper left corner tells them apart."
    )
    return Drawing(
        f"scores_{dataset}",
        f"Scores against true error: {dataset}",
        finding(table, dataset),
        finish(figure, axes),
        own,
        note,
    )


def _cloud(ax, poses, score):
    for wrong, colour, marker, label in ((False, GOOD, "o", "right pose"), (True, BAD, "x", "wrong pose")):
        some = poses[poses.wrong == wrong]
        ax.plot(
            1000 * some.translation_error_m.clip(lower=1e-5),
            some[score],
            marker,
            color=colour,
            markersize=4,
            alpha=0.55,
            label=label,
            rasterized=len(some) > 100,
        )
    ax.axhline(AUTOWARE_THRESHOLDS[score], color=MUTED, linestyle="--", linewidth=1)
    log_axis(ax.xaxis)
    ax.set_xlabel("translation error, mm")
    ax.set_ylabel(SCORES[score])
    ax.set_title(SCORES[score])


def _roc(ax, poses, table):
    for score, (colour, line) in LINES.items():
        curve = roc(poses[score], poses.wrong)
        area = table[table.score == score].auc.iloc[0]
        ax.plot(
            100 * curve.rejected_right,
            100 * curve.found,
            color=colour,
            linestyle=line,
            label=f"{SCORES[score]}, AUC {area:.2f}",
        )
    ax.plot([0, 100], [0, 100], color=MUTED, linewidth=0.8, linestyle=":")
    ax.set_xlabel("right poses rejected, %")
    ax.set_ylabel("wrong poses found, %")
    ax.set_title("ROC")
