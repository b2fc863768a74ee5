"""The cases that users reported, each compared with its expected outcome. NDT_CASES names a folder with the inputs: a folder a case.
Cases with bags require NDT_EXTRAS_PYTHON."""

import os
import shutil
from pathlib import Path

import pytest

pytest.importorskip("numpy", reason="skipped for want of numpy (Debian: python3-numpy)")

import wrong_answers  # noqa: E402, F401  fills CASES
from trial import CASES, Setup, Trial  # noqa: E402


@pytest.fixture(scope="session")
def setup(tmp_path_factory):
    if not os.environ.get("NDT_CASES"):
        pytest.skip("skipped for want of NDT_CASES")
    return Setup(Path(os.environ["NDT_CASES"]).resolve(), os.environ["NDT_BENCH"], os.environ.get("NDT_EXTRAS_PYTHON"),
                 tmp_path_factory.mktemp("cases"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_case(setup, case):
    if not case.own_input and not (setup.cases / case.name).is_dir():
        pytest.skip(f"skipped for want of the folder {case.name}")
    if case.needs_extras and not setup.extras:
        pytest.skip("skipped for want of NDT_EXTRAS_PYTHON")
    trial = Trial(setup, case.name)
    try:
        case.run(trial)
    finally:
        shutil.rmtree(trial.work, ignore_errors=True)
    assert not trial.failed, f"expected: {case.expected}\nseen: " + "; ".join(trial.seen)
