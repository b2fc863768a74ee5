"""The wheel: built against the moved prefix, installed alone into an environment of its own, tested there."""

import os
from pathlib import Path

import pytest
from conftest import HERE, run

MOST_BYTES = 3_000_000


@pytest.fixture(scope="module")
def builder():
    python = os.environ.get("NDT_WHEEL_PYTHON")
    if not python:
        pytest.skip("skipped for want of NDT_WHEEL_PYTHON, which ./run sets (tests/requirements-wheel.txt)")
    return python


@pytest.fixture(scope="module")
def wheel(builder, prefix, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(builder, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--disable-pip-version-check", "-w", folder,
        "--config-settings", f"cmake.define.ndt_DIR={next(prefix.rglob('ndt-config.cmake')).parent}",
        "--config-settings", f"build-dir={folder}/build",
        HERE.parent.parent / "python")
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def python(builder, wheel, tmp_path_factory):
    """An interpreter that has the wheel, and of others' packages only what the builder's environment has."""
    folder = tmp_path_factory.mktemp("clean")
    run(builder, "-m", "venv", "--without-pip", folder)
    site = next(folder.glob("lib/python3*/site-packages"))
    run(builder, "-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", site, wheel)
    (site / "others.pth").write_text(run(builder, "-c", "import numpy; print(numpy.__path__[0].removesuffix('numpy'))"))
    return folder / "bin/python"


def test_it_is_small(wheel, prefix):
    if "set(ndt_WITH_CUDA TRUE)" in next(prefix.rglob("ndt-config.cmake")).read_text():
        pytest.skip("skipped for want of a build without CUDA")
    assert wheel.stat().st_size < MOST_BYTES


def test_it_answers_as_the_command_line(python, prefix, courtyard):
    environment = {"NDT_BENCH": str(prefix / "bin/ndt-bench"), "NDT_CLOUDS": str(courtyard[0].parent), "PYTHONDONTWRITEBYTECODE": "1"}
    said = run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", HERE.parent / "python", environment=environment, cwd=Path("/"))
    assert " passed" in said


def test_the_example_has_the_bits_of_the_command_line(python, courtyard, bench_pose):
    said = run(python, HERE.parent.parent / "examples/align_files.py", *courtyard)
    assert [float(word) for word in said.split()] == bench_pose("0.3,-0.2,0.1,0,0,0")
