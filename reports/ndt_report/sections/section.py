"""A section of the page as one object, and the report that all sections are computed from and are part of."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pandas as pd

from ..figures.style import Looks
from ..judge.verdict import Verdict
from ..read.load import Run


@dataclass(frozen=True)
class Section:
    """Everything that the report, its files and its terminal know of a section."""

    name: str  # its anchor
    title: str
    preset: str = ""  # of ndt-bench run, which measures it
    tables: Callable = lambda report: {}  # {name: DataFrame or value}, names unique among all sections
    figures: Callable = lambda report, tables: []  # functions that answer a Drawing each, or None
    template: str = "figures.html.jinja"  # beside the section's module
    values: Callable = lambda report, tables: {}  # for the template, beside the tables' records
    csv: tuple = ()  # tables that are written as NAME.csv unless empty
    files: Callable = lambda folder, tables: None  # writes other files
    lines: Callable = lambda tables: []  # for a terminal
    says: Callable = lambda report, tables: {}  # {"searches" or "cautions" of the verdict: sentences}
    timed: str = ""  # what its first table times, beside single alignments
    lead: int = 9  # the lowest that has a figure gives the one beside the verdict
    drawn: bool = False  # without a figure there is no data


@dataclass
class Part:
    """A section of one report."""

    section: Section
    tables: dict
    drawings: list = field(default_factory=list)
    not_drawn: list = field(default_factory=list)  # sentences on what is missing

    def csv(self) -> dict:
        """{file: table}"""
        return {f"{name}.csv": self.tables[name] for name in self.section.csv if len(self.tables[name])}


@dataclass
class Report:
    run: Run  # alone alignments back to back; grids and scatters are datasets of their own
    loaded: Run  # whole
    measurements: pd.DataFrame  # of judged_measurements()
    table: pd.DataFrame  # of summary_table()
    shown: list  # of main_datasets()
    points: pd.DataFrame  # of trace_points()
    searches: pd.DataFrame  # of search_measurements()
    look: Looks
    verdict: Verdict = None  # needs the tables, and is there for the figures
    parts: dict = field(default_factory=dict)  # {name of its section: Part}

    @property
    def tables(self) -> dict:
        return {name: table for part in self.parts.values() for name, table in part.tables.items()}

    @property
    def drawings(self) -> list:
        return [drawing for part in self.parts.values() for drawing in part.drawings]

    @property
    def first(self):
        """The drawing beside the verdict; None if nothing is drawn."""
        leading = sorted(self.parts.values(), key=lambda part: part.section.lead)
        return next((part.drawings[0] for part in leading if part.drawings), None)


def by_dataset(table: pd.DataFrame) -> list:
    """[(dataset, rows as dicts)], in report order."""
    return [(name, group.to_dict("records")) for name, group in table.groupby("dataset", sort=False)]
