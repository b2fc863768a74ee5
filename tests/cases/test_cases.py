"""The reported cases of a folder, which NDT_CASES names; see run_cases.py."""

import os
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="skipped for want of numpy (Debian: python3-numpy)")

from run_cases import CASES, outcome  # noqa: E402
from trial import Setup  # noqa: E402


@pytest.fixture(scope="session")
def setup(tmp_path_factory):
    if not os.environ.get("NDT_CASES"):
        pytest.skip("skipped for want of NDT_CASES")
    return Setup(Path(os.environ["NDT_CASES"]).resolve(), os.environ["NDT_BENCH"], os.environ.get("NDT_EXTRAS_PYTHON"), False,
                 tmp_path_factory.mktemp("cases"))


@pytest.mark.parametrize("name", [case.name for case in CASES.values() if case.issue == "q1"])
def test_case(setup, name):
    row = outcome(CASES[name], setup)
    if row["result"] == "skip":
        pytest.skip(row["seen"])
    assert row["result"] == "pass", row["seen"]
