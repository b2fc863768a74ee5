"""Guesses on a grid ask another question than guesses as they come: a dataset with both becomes two."""

import pandas as pd

from .load import Run

LEAST_OFFSETS = 9  # fewer are a guess given by hand, not a grid
SUFFIX = "_grid"


def on_grids(measurements: pd.DataFrame) -> pd.Series:
    """True for measurements of a dataset's grid: it has at least LEAST_OFFSETS different offsets from the
    truth."""
    offsets = measurements.guess_offset.map(lambda offset: tuple(sorted(offset.items())), na_action="ignore")
    several = offsets.groupby(measurements.dataset).transform("nunique") >= LEAST_OFFSETS
    return measurements.guess_offset.notna() & several


def split_grids(run: Run) -> Run:
    """The run with the grid measurements of a dataset that has others too under the name <dataset>_grid."""
    grid = on_grids(run.measurements)
    both = [
        name
        for name in run.datasets.index
        if grid[run.measurements.dataset == name].any() and not grid[run.measurements.dataset == name].all()
    ]
    moved = grid & run.measurements.dataset.isin(both)
    measurements = run.measurements.assign(
        dataset=run.measurements.dataset.where(~moved, run.measurements.dataset + SUFFIX)
    )
    copies = [run.datasets.loc[name].copy() for name in both]
    for copy in copies:
        copy["name"], copy["description"], copy["picture"] = (
            copy["name"] + SUFFIX,
            copy["description"] + "; guesses on a grid",
            None,
        )
    datasets = pd.concat([run.datasets, pd.DataFrame(copies).astype(object)]) if copies else run.datasets
    return Run(
        run.folder,
        run.environment,
        run.plan,
        run.implementations,
        datasets.set_index("name", drop=False),
        measurements,
        run.notes,
    )
