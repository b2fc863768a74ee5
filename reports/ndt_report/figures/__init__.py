"""The report's figures: each module turns tidy frames into a Drawing, or into none if there is nothing to
draw. NotDrawable says why there is none where a reader expects one, and where one cannot be drawn, a sentence takes its place."""

from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure

from ..read.files import file_name
from ..read.refusal import InputError
from .svg import Picture, picture_of


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


MOST_PER_KIND = 4  # datasets with a trajectory, a picture, a basin or a ROC of their own
NOT_DRAWN = "A figure of this section cannot be drawn from these measurements; the tables hold their numbers."
MOST_PANELS = 6  # more make a page too long to read; the CSV has them all


def and_more(shown: int, there: int) -> str:
    return f" {shown} of {there} datasets are drawn; the CSV has all." if there > shown else ""


def drawn_or_said(makers):
    """([Drawing], [sentence]) of functions that answer a Drawing each, or None if there is nothing to draw."""
    made = [_made(make) for make in makers]
    drawings = [drawing for drawing in made if not isinstance(drawing, str | None)]
    return drawings, list(dict.fromkeys(said for said in made if isinstance(said, str)))


def _made(make):
    """The Drawing with its picture, None if there is nothing to draw, or a sentence if that fails."""
    try:
        drawing = make()
        if drawing is not None:
            drawing.picture = picture_of(drawing.figure, drawing.name)
        return drawing
    except InputError:
        raise
    except NotDrawable as error:
        return str(error)
    except Exception:  # one odd number must not cost the page
        return NOT_DRAWN


def first_of_kind(names) -> list:
    return list(dict.fromkeys(names))[:MOST_PER_KIND]
