"""The report's figures: each module turns tidy frames into a Drawing, or into none if there is nothing to
draw."""

from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure


@dataclass
class Drawing:
    name: str  # of the CSV file
    title: str
    finding: str  # one sentence with numbers, computed from data
    figure: Figure
    data: pd.DataFrame  # what is drawn, units in the column names
    note: str = ""  # how to read it


MOST_PANELS = 6  # more make a page too long to read; the CSV has them all


def and_more(shown: int, there: int) -> str:
    return f" {shown} of {there} datasets are drawn; the CSV has all." if there > shown else ""


def joined(parts) -> str:
    parts = list(parts)
    return ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "".join(parts)
