"""The report's figures: each module turns tidy frames into a Drawing, or into none if there is nothing to
draw. NotDrawable says why there is none where a reader expects one."""

from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from ..read.files import file_name
from .svg import Picture


@dataclass
class Drawing:
    name: str  # of the CSV file, as far as a file can have it
    title: str
    finding: str  # one sentence with numbers, computed from data
    figure: Figure
    data: pd.DataFrame  # what is drawn, units in the column names
    note: str = ""  # how to read it
    picture: Picture = None
    chart: object = None  # of named.py, if the page can draw it so that a reader can filter it

    @property
    def file(self) -> str:
        return file_name(self.name, ".csv")

    @property
    def svg_file(self) -> str:
        return file_name(self.name, ".svg")

    @property
    def pdf_file(self) -> str:
        return file_name(self.name, ".pdf")


class NotDrawable(Exception):
    """Its text is a sentence for the page."""


MOST_PANELS = 6  # more make a page too long to read; the CSV has them all


def and_more(shown: int, there: int) -> str:
    return f" {shown} of {there} datasets are drawn; the CSV has all." if there > shown else ""
