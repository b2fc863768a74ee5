"""python3 -m ndt_report.search_trust DIR... [--svg FILE]: whether the verdicts of searches can be believed.

Reads runs of preset search_trust. Counts a dataset's frames of even and odd index separately, so that bounds can be chosen on
one half and checked on the other (bound_ladder). Today's bounds were chosen with both halves in view.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from .read.load import load_run
from .read.refusal import InputError
from .judge.searches import search_measurements
from .judge.stats import wilson
from .figures.style import OTHERS, PANEL_IN, plt
from .figures.svg import picture_of

EVEN, ODD = "even frames", "odd frames"
CONTRADICTIONS = [0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2]  # bounds to try
# Scenes that leave a direction free (harness/data/scene_worlds.hpp), of any seed: an end near the truth is luck there.
FREE_DIRECTION = r"scenes_(?:corridor|plain|tank)(?:_\d+)?"


def trust_measurements(measurements: pd.DataFrame, kinds: pd.Series) -> pd.DataFrame:
    """Returns for every search without an error dataset, search_name, verdict, half, right. Right: success of search_measurements();
    where the scan does not belong on the map (kind no_pose) and where no pose is unique none is. kinds: of the datasets, by name."""
    searches = search_measurements(measurements)
    searches = searches[searches.error.isna() & searches.verdict.notna()]
    no_pose = (searches.dataset.map(kinds) == "no_pose") | searches.dataset.str.fullmatch(FREE_DIRECTION)
    order = searches.groupby("dataset").frame.transform(lambda frames: pd.factorize(frames, sort=True)[0])
    half = order.map(lambda k: EVEN if k % 2 == 0 else ODD)
    return searches.assign(right=(searches.success == 1) & ~no_pose, half=half)


def trust_table(searches: pd.DataFrame, by: list) -> pd.DataFrame:
    """One row per group: n, wrong, false_reliable, right, true_reliable. searches: of trust_measurements()."""
    said = searches.assign(
        wrong=~searches.right,
        false_reliable=~searches.right & (searches.verdict == "reliable"),
        true_reliable=searches.right & (searches.verdict == "reliable"),
        n=1,
    )
    columns = ["n", "wrong", "false_reliable", "right", "true_reliable"]
    return said.groupby(by, sort=False)[columns].sum().reset_index()


def bound_ladder(searches: pd.DataFrame, bounds) -> pd.DataFrame:
    """Returns what other bounds of the contradiction of scan and map would have said: one row per bound, half and search_name,
    columns of trust_table(). All other doubts stay as they are."""
    doubts = searches.doubts.fillna("").map(lambda text: set(filter(None, text.split(", "))) - {"contradicted"})
    contradiction = searches.seen_through.astype(float) + searches.unmapped.astype(float)
    rows = []
    for bound in bounds:
        reliable = (doubts.map(len) == 0) & (contradiction <= bound)
        tried = searches.assign(verdict=reliable.map({True: "reliable", False: "other"}))
        rows.append(trust_table(tried, ["search_name", "half"]).assign(bound=bound))
    return pd.concat(rows, ignore_index=True)


def roc(searches: pd.DataFrame) -> str:
    """The text of an SVG file: right ones called reliable over wrong ones, as the bound of the contradiction lets all and
    none pass and all other doubts stay as they are; a dot is the verdict itself. Only kinds of search with right and wrong ones."""
    figure, ax = plt.subplots(figsize=(1.4 * PANEL_IN, PANEL_IN))
    ladder = bound_ladder(searches, np.linspace(1, 0, 101)).groupby(["search_name", "bound"], sort=False).sum(numeric_only=True)
    said = trust_table(searches, ["search_name"]).set_index("search_name")
    said = said[(said.right > 0) & (said.wrong > 0)]
    for (colour, marker, line), row in zip(OTHERS, said.itertuples()):
        steps = ladder.loc[row.Index]
        wrong, right = 100 * steps.false_reliable / row.wrong, 100 * steps.true_reliable / row.right
        ax.plot(wrong, right, line, color=colour, label=row.Index)
        ax.plot(100 * row.false_reliable / row.wrong, 100 * row.true_reliable / row.right, marker, color=colour)
    ax.set(xlabel="wrong poses called reliable, %", ylabel="right poses called reliable, %", ylim=(0, 100))
    ax.legend(loc="lower right")
    return picture_of(figure, "search_trust").file


def _line(row, name: str) -> str:
    low, high = wilson(int(row.false_reliable), int(row.n))
    share = f"{100 * row.true_reliable / row.right:5.1f} %" if row.right else "      -"
    return (
        f"{name:44} {row.n:5} {row.wrong:6} {row.false_reliable:6}  {100 * row.false_reliable / row.n:5.2f} %"
        f" [{100 * low:.2f}, {100 * high:.2f}]  {row.right:5} {row.true_reliable:5} {share}"
    )


def text(searches: pd.DataFrame) -> str:
    lines = [f"{'':44} {'n':>5} {'wrong':>6} {'false':>6}  share, interval          right   ok"]
    for by in (["half"], ["search_name", "half"], ["search_name", "dataset"]):
        lines += [_line(row, ", ".join(getattr(row, key) for key in by)) for row in trust_table(searches, by).itertuples()]
        lines.append("")
    lines.append("with another bound of the contradiction:")
    ladder = bound_ladder(searches, CONTRADICTIONS)
    for row in ladder.sort_values(["search_name", "half", "bound"], kind="stable").itertuples():
        lines.append(_line(row, f"{row.search_name}, {row.half}, {row.bound:g}"))
    return "\n".join(lines)


def main(words) -> int:
    folders, svg = list(words), None
    if "--svg" in folders:
        at = folders.index("--svg")
        svg = folders[at + 1] if at + 1 < len(folders) else ""
        del folders[at : at + 2]
    if not folders or svg == "":
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 1
    try:
        runs = [load_run(Path(folder)) for folder in folders]
    except InputError as error:
        print(f"search_trust: {error}", file=sys.stderr)
        return 2
    kinds = pd.concat([run.datasets.kind for run in runs])
    measurements = pd.concat([run.measurements for run in runs], ignore_index=True)  # of parts of a run, too
    searches = trust_measurements(measurements, kinds[~kinds.index.duplicated()])
    print(text(searches))
    if svg:
        Path(svg).write_text(roc(searches))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
