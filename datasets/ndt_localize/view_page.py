"""A localisation as an HTML page in three dimensions, which the package of the reports writes."""

import os
import sys
from pathlib import Path

from ndt_convert.ending import call
from ndt_convert.faults import Fault

REPORTS = Path(__file__).resolve().parents[2] / "reports"
LIBRARIES = ("plotly", "pandas")


def require_library():
    for name in LIBRARIES:
        try:
            __import__(name)
        except ImportError:
            raise Fault("--view", "", f"needs the Python package {name}", f"{sys.executable} -m pip install {name}") from None


def write(file, folder, shown) -> int:
    """Returns the exit code of the program that writes the page. The caller's folder is no place for its modules."""
    words = [sys.executable, "-m", "ndt_report.view", str(folder), "--out", str(file), *(["--open"] if shown else [])]
    return call(words, env=os.environ | {"PYTHONPATH": str(REPORTS), "PYTHONSAFEPATH": "1"})
