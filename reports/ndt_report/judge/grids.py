"""Guesses on a grid, or scattered around the truth, ask another question than guesses as they come: a dataset with
several kinds becomes several."""

import re

import pandas as pd

from ..read.load import Run

LEAST_OFFSETS = 9  # fewer are a guess given by hand, not a grid
GRID = "grid"
SCATTER = re.compile(r"^(xy[^_]+)_z[^_]+_tilt[^_]+_(yaw[^_]+)_\d+$")  # as harness/run/plan.cpp names them


def on_grids(measurements: pd.DataFrame) -> pd.Series:
    """True for measurements of a dataset's grid: it has at least LEAST_OFFSETS different offsets from the
    truth."""
    offsets = measurements.guess_offset.map(lambda offset: tuple(sorted(offset.items())), na_action="ignore")
    several = offsets.groupby(measurements.dataset).transform("nunique") >= LEAST_OFFSETS
    return measurements.guess_offset.notna() & several


def kinds(measurements: pd.DataFrame) -> pd.Series:
    """"grid", a scatter's standard deviations such as "xy2_yaw12", or "" for a guess as it comes."""
    deviations = measurements.guess_name.str.extract(SCATTER)
    scattered = (deviations[0] + "_" + deviations[1]).fillna("")
    return scattered.where(~on_grids(measurements), GRID)


def split_by_guess(run: Run) -> Run:
    """The run with the grid and the scatters of a dataset that has other guesses too under the names
    <dataset>_<kind>."""
    measurements = run.measurements.assign(kind=kinds(run.measurements))
    several = measurements.groupby("dataset").kind.transform("nunique") > 1
    moved = several & (measurements.kind != "")
    copies = []
    for name, kind in measurements[moved].groupby(["dataset", "kind"], sort=True).groups:
        copy = run.datasets.loc[name].copy()
        guesses = "on a grid" if kind == GRID else f"scattered by {kind} (m, deg)"
        copy["name"], copy["picture"] = f"{name}_{kind}", None
        copy["description"] += f"; guesses {guesses}"
        copies.append(copy)
    measurements["dataset"] = measurements.dataset.where(~moved, measurements.dataset + "_" + measurements.kind)
    # Made of objects from the start: pandas 3 would turn a None among texts into NaN.
    datasets = pd.concat([run.datasets, pd.DataFrame(copies, dtype=object)]) if copies else run.datasets
    return Run(
        run.folder,
        run.environment,
        run.plan,
        run.implementations,
        datasets.set_index("name", drop=False),
        measurements.drop(columns="kind"),
        run.notes,
        run.remarks,
        run.at_rates,
        run.shifted,
    )
