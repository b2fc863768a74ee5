"""The entry script ./run: where it looks, and how it makes an environment of packages."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

RUN = Path(__file__).resolve().parent.parent.parent / "run"
FUNCTIONS = f"source <(sed '/^command=/,$d' '{RUN}'); root=$PWD; "


def test_cdpath_does_not_lead_it_astray(tmp_path):
    for folder, reader in (("a/ndt", "wrong"), ("b/ndt", "right")):
        (tmp_path / folder / "tests/fuzz/dictionaries").mkdir(parents=True)
        (tmp_path / folder / f"tests/fuzz/dictionaries/{reader}.dict").touch()
    shutil.copy(RUN, tmp_path / "b/ndt/run")
    done = subprocess.run(["ndt/run", "fuzz"], cwd=tmp_path / "b", env=os.environ | {"CDPATH": str(tmp_path / "a")}, capture_output=True, text=True)
    assert done.stderr == "run: give a reader: right\n"


def missing_packages(folder, *words):
    """The packages that ./run names on a machine without any; its apt-get fails, so nothing is installed."""
    for name, body in (("apt-get", "echo E: no network; exit 100"), ("dpkg-query", "exit 1"), ("sudo", 'exec "$@"')):
        (folder / name).write_text(f"#!/bin/sh\n[ \"$1\" = -n ] && shift\n{body}\n")
        (folder / name).chmod(0o755)
    done = subprocess.run([RUN, *words], cwd=folder, env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"}, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    assert done.returncode == 100, done
    return (done.stdout + done.stderr).split("Debian packages are missing: ")[1].split("\n")[0].split()


def test_a_command_asks_for_its_own_packages_only(tmp_path):
    localize, bench, test = (missing_packages(tmp_path, command) for command in ("localize", "bench", "test"))
    assert bench == [*localize, "libpcl-dev"] == missing_packages(tmp_path, "bench", "--without-pcl") + ["libpcl-dev"]
    assert set(test) > set(bench) and {"clang", "doxygen", "libgtest-dev"} <= set(test) - set(bench)


def environment(folder, *modules):
    """A shell that makes the environment `venv` there, with no package."""
    (folder / "requirements.txt").write_text("# nothing\n")
    words = FUNCTIONS + " ".join(["pypi_environment", "$PWD/build/venv", "requirements.txt", *modules])
    return subprocess.Popen(["bash", "-c", words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


@pytest.mark.skipif(subprocess.run(["/usr/bin/python3", "-c", "import venv, ensurepip"], capture_output=True).returncode != 0,
                    reason="skipped for want of python3-venv")
def test_two_at_once_make_an_environment_once_and_check_it(tmp_path):
    both = [environment(tmp_path, "json") for _ in range(2)]
    said = [one.communicate()[0] for one in both]
    assert [one.returncode for one in both] == [0, 0] and sum("Set-up:" in text for text in said) == 1, said
    assert (tmp_path / "build/venv/installed.txt").read_text() == "# nothing\n"

    (tmp_path / "other").mkdir()
    broken = environment(tmp_path / "other", "json", "no_such_module")
    assert "no_such_module" in broken.communicate()[0] and broken.returncode != 0
    assert not (tmp_path / "other/build/venv/installed.txt").exists()
