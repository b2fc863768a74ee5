"""The distances from which the pose is found."""

from functools import partial

from ..figures import basin
from ..figures.drawings import first_of_kind
from ..judge.basin import band_rows, basin_bands, basin_cells
from .section import Section


def tables(report) -> dict:
    cells = basin_cells(report.measurements)
    return {"basin_cells": cells, "basin": basin_bands(cells)}


def figures(report, tables) -> list:
    cells = tables["basin_cells"]
    return [partial(basin.draw, cells, name) for name in first_of_kind(cells.dataset)]


SECTION = Section(
    "basin",
    "Basin of convergence",
    "basin",
    tables=tables,
    figures=figures,
    template="basin.html.jinja",
    values=lambda report, tables: {"bands": band_rows(tables["basin"])},
    csv=("basin",),
    drawn=True,
)
