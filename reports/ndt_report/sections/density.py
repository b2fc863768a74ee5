"""Accuracy beside time at every density of the scans."""

from ..judge.density import density_sentence, density_table
from .section import Section


def by_base(table) -> list:
    """[(dataset without its density, the rows to show)]: of a peer's settings the best alone."""
    return [(base, rows[rows.best].to_dict("records")) for base, rows in table.groupby("base", sort=False)]


SECTION = Section(
    "density",
    "Accuracy by density",
    "accuracy",
    tables=lambda report: {
        "accuracy": density_table(
            report.table, report.measurements, report.loaded.measurements, report.loaded.shifted
        )
    },
    template="density.html.jinja",
    values=lambda report, tables: {
        "density_groups": by_base(tables["accuracy"]),
        "one_density": density_sentence(tables["accuracy"]),
        "scattered": bool(tables["accuracy"].grids.notna().any()),
    },
    csv=("accuracy",),
)
