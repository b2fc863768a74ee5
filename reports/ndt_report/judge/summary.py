"""The table of the report: accuracy, latency and speed-up of every implementation, and summary.csv."""

import numpy as np
import pandas as pd

from .accuracy import KEY, accuracy_table, add_success, equal_accuracy
from .against_truth import add_comparable, against_truth
from .latency import add_median_times, latency_table, ratio_table
from .machine_load import add_load
from ..read.load import Run, oracle_of
from .own_scans import peers_unknown
from .reference import add_reference_errors, reference_threads


def judged_measurements(run: Run) -> pd.DataFrame:
    """run.measurements with errors against the oracle, success and median times."""
    judged = add_success(add_reference_errors(run.measurements, run.oracle), run.datasets, run.oracle)
    return add_median_times(peers_unknown(judged, run.implementations.peer))


def summary_table(
    measurements: pd.DataFrame, implementations: pd.DataFrame, datasets: pd.DataFrame
) -> pd.DataFrame:
    """One row per (dataset, variant, threads, implementation), in report order.

    measurements: of judged_measurements()."""
    pairing = reference_threads(measurements, implementations)
    oracle = oracle_of(implementations)
    equal = equal_accuracy(measurements, pairing, oracle)
    equal = add_comparable(equal.merge(against_truth(measurements, pairing, datasets, oracle), on=KEY))
    table = (
        accuracy_table(measurements)
        .merge(equal, on=KEY, how="left")
        .merge(latency_table(measurements), on=KEY, how="left")
    )
    table = add_load(table, measurements).merge(ratio_table(measurements, pairing, equal, implementations), on=KEY, how="left")
    texts = [prefix + name for prefix in ("", "cpu_") for name in ("verdict", "why_no_verdict", "base")]
    table[texts] = table[texts].fillna("")
    return table.assign(
        peer=np.array([implementations.loc[name, "peer"] for name in table.implementation], bool)
    )
