"""An install prefix that has been moved, and projects built from it."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
BUILD = os.environ["NDT_BUILD"]
CMAKE = os.environ["NDT_CMAKE"]


def run(*words, code=0, **options):
    environment = {k: v for k, v in os.environ.items() if k not in ("NDT_SHARE", "NDT_GOLDEN_DIR", "NDT_DATASETS")}
    environment |= options.pop("environment", {})
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, env=environment, **options)
    assert done.returncode == code, f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr if code else done.stdout


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    folder = tmp_path_factory.mktemp("install")
    run(CMAKE, "--install", BUILD, "--prefix", folder / "first")
    shutil.move(folder / "first", folder / "moved")
    return folder / "moved"


@pytest.fixture(scope="session")
def courtyard(prefix, tmp_path_factory):
    folder = tmp_path_factory.mktemp("clouds") / "courtyard"
    run(prefix / "bin/ndt-bench", "export", "--dataset", "courtyard", "--out", folder)
    return folder / "map.pcd", folder / "scan.pcd"


@pytest.fixture(scope="session")
def bench_pose(prefix, courtyard):
    """bench_pose(guess): the 16 numbers that the command line gives."""

    def align(guess, implementation="auto"):
        answer = run(prefix / "bin/ndt-bench", "align", "--json", "--map", courtyard[0], "--scan", courtyard[1], "--guess", guess,
                     "--implementation", implementation)
        return json.loads(answer)["matrix"]

    return align


@pytest.fixture(scope="session")
def built(prefix, tmp_path_factory):
    """built(project, option...): the folder with a project's programs."""

    def build(project, *options):
        folder = tmp_path_factory.mktemp(Path(project).name)
        run(CMAKE, "-S", HERE / project, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_COMPILER={os.environ['NDT_CXX']}", *options)
        run(CMAKE, "--build", folder)
        return folder

    return build
