"""The load of alignments that were repeated back to back: cores, the GPU, and energy."""

import pandas as pd

from .accuracy import KEY
from .latency import timed

LOAD = ["cpu_percent", "cpu_energy_mj", "gpu_percent", "gpu_energy_mj", "gpu_idle_w"]


def load_table(measurements: pd.DataFrame) -> pd.DataFrame:
    """Returns a row for each KEY whose load was measured: medians of LOAD, and load_measurements, their number."""
    if not set(LOAD) <= set(measurements):
        return pd.DataFrame(columns=KEY)
    known = timed(measurements)
    groups = known[known.cpu_percent.notna()].groupby(KEY, sort=False)
    return groups[LOAD].median().assign(load_measurements=groups.size()).reset_index()


def add_load(table: pd.DataFrame, measurements: pd.DataFrame) -> pd.DataFrame:
    """Adds the columns of load_table() unless the run has no load."""
    load = load_table(measurements)
    return table.merge(load, on=KEY, how="left") if len(load) else table


def with_load(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of summary_table() that have a load."""
    return table[table.cpu_percent.notna()] if "cpu_percent" in table else table[:0]
