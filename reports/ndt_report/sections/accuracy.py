"""Accuracy beside time: of every method, and at every density of the scans."""

from ..figures import pareto
from ..judge.density import density_sentence, density_table
from .section import Section


def _pareto_figures(report, tables) -> list:
    datasets, better, shown, look = report.run.datasets, report.verdict.better_peers, report.shown, report.look
    return [
        lambda: pareto.draw(report.table, datasets, better, shown, look, report.run.own),
        lambda: pareto.draw_others(report.table, datasets, better, shown[1:], look),
    ]


PARETO = Section("pareto", "Accuracy and latency", "smoke", figures=_pareto_figures, lead=1, drawn=True)


def by_base(table) -> list:
    """[(dataset without its density, the rows to show)]: of a peer's settings the best alone."""
    return [(base, rows[rows.best].to_dict("records")) for base, rows in table.groupby("base", sort=False)]


DENSITY = Section(
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
