"""Maps that hold their own query scans: a method that clings to the scan's own points ends nearer to its pose there
than it would on a drive. Nothing may be said of accuracy on them, so the report forgets their truth."""

from dataclasses import replace

import pandas as pd

from .accuracy import UNKNOWN
from ..read.load import Run

# Names of datasets, as in datasets/catalogue.
OWN_SCANS = {"nclt_keyframes"}


def without_their_truth(run: Run) -> Run:
    """The run with a note, and without the truth of OWN_SCANS: success there is agreement with the oracle."""
    names = [name for name in run.datasets.index if name in OWN_SCANS]
    if not names:
        return run
    datasets, measurements = run.datasets.copy(), run.measurements.copy()
    exact = ["truth_quality", "truth_exact", "truth_accuracy_m"]
    datasets.loc[names, exact] = None
    own = measurements.dataset.isin(names)
    measurements.loc[own, "truth"] = None
    measurements.loc[own, ["translation_error_m", "rotation_error_deg"]] = float("nan")
    measurements.loc[own, "trace"] = measurements.trace[own].map(_without_errors)
    measurements.loc[own, "search"] = measurements.search[own].map(_search_without_errors)
    return replace(run, datasets=datasets, measurements=measurements, remarks=run.remarks + [sentence(names)])


def peers_unknown(judged: pd.DataFrame, peer: pd.Series) -> pd.DataFrame:
    """Judged measurements with the success of peers unknown on OWN_SCANS: that another algorithm does not agree with
    the oracle is no failure, whose time would not count. peer: by implementation."""
    own = judged.dataset.isin(OWN_SCANS) & judged.implementation.map(peer).astype(bool) & judged.error.isna()
    return judged.assign(
        success=judged.success.mask(own), success_kind=judged.success_kind.mask(own, UNKNOWN)
    )


def sentence(names) -> str:
    several = len(names) > 1
    return (
        f"The map{'s' if several else ''} of {', '.join(names)} hold{'' if several else 's'} the query scans"
        " themselves: nothing is said of accuracy there, and an alignment succeeds where it agrees with the oracle."
    )


def _without_errors(trace):
    return trace and trace | {"translation_error_m": None, "rotation_error_deg": None}


def _search_without_errors(search):
    if not search or not search.get("improvements"):
        return search
    unknown = {"translation_error_m": None, "rotation_error_deg": None}
    return search | {"improvements": [entry | unknown for entry in search["improvements"]]}
