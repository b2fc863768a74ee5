"""Vega-Lite, the library that draws a chart a reader can filter: the text of its script. It is 0.9 MB and goes into the page, which
fetches nothing. The Python package vl-convert-python brings it; without it the page has the still figure."""

import functools
import os
import re
import subprocess
import sys
from pathlib import Path

PACKAGE = "vl-convert-python"
SAY = "import sys, vl_convert; sys.stdout.buffer.write(vl_convert.javascript_bundle().encode())"
EXTRAS = Path(__file__).resolve().parents[3] / "build/venv-extras/bin/python"  # of ./run
MISSING = f"To filter, toggle and zoom this figure, install {PACKAGE} (./run view does), and make the page again."


@functools.cache
def vega_script() -> str:
    """The bundle of Vega, Vega-Lite and vega-embed; empty where no Python here has the package."""
    for python in dict.fromkeys((sys.executable, os.environ.get("NDT_EXTRAS_PYTHON"), str(EXTRAS))):
        if python and (said := _said(python)):
            return re.sub("</(?=script)", r"<\\/", said, flags=re.I)  # nothing in it may end the page's element
    return ""


def _said(python: str) -> str:
    # The caller's folder is no place for modules.
    environment = os.environ | {"PYTHONSAFEPATH": "1"}
    try:
        done = subprocess.run([python, "-c", SAY], capture_output=True, env=environment, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8") if done.returncode == 0 else ""
