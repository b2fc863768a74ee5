"""Python and the other programs that ndt-bench and ./run start: without a shell, and without code of the current folder."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_OK, bench

PROJECT = Path(__file__).parents[2]
MODULES = ["pandas", "matplotlib", "jinja2", "numpy", "pytest", "argparse", "runpy", "json", "sitecustomize", "usercustomize"]


@pytest.fixture
def trap(tmp_path):
    """A folder whose code, if anything executes it, leaves a file named caught."""
    mark = f"open({str(tmp_path / 'caught')!r}, 'a').write(__file__)\n"
    folder = tmp_path / "trap"
    (folder / "ndt_report").mkdir(parents=True)
    for file in ["ndt_report/__init__", "ndt_report/__main__", *MODULES]:
        (folder / f"{file}.py").write_text(mark)
    return folder


def commands(missing):
    return [(EXIT_BAD_INPUT, "report", missing), (EXIT_BAD_INPUT, "compare", missing, missing), (EXIT_OK, "doctor")]


@pytest.mark.parametrize("pythonpath", [None, "", ":", ".", "/nowhere:"])
def test_modules_of_the_current_folder_are_not_executed(trap, tmp_path, pythonpath):
    environment = {} if pythonpath is None else {"PYTHONPATH": pythonpath}
    for code, *args in commands(tmp_path / "missing"):
        done = bench(*args, code=code, cwd=trap, env=environment)
        assert not (tmp_path / "caught").exists(), (args, (tmp_path / "caught").read_text())
        assert code == EXIT_OK or str(tmp_path / "missing") in done.stderr, "the package itself has answered"


@pytest.mark.parametrize("module", ["ndt_convert", "ndt_localize"])
def test_the_entry_script_executes_no_module_of_the_current_folder(trap, tmp_path, module):
    (trap / module).mkdir()
    for file in ["__init__", "__main__"]:
        shutil.copy(trap / "numpy.py", trap / module / f"{file}.py")
    script = (PROJECT / "run").read_text()
    run_module = re.search(r"^run_module\(\) \{.*?^\}", script, re.MULTILINE | re.DOTALL)[0]
    assert not re.search(r"NDT_EXTRAS_PYTHON:-python3.*-m ", script), "everything goes through run_module"
    done = subprocess.run(["bash", "-c", f"root={shlex.quote(str(PROJECT))}\n{run_module}\nrun_module \"$@\"", "run", module, "--help"],
                          cwd=trap, env={**os.environ, "NDT_EXTRAS_PYTHON": sys.executable}, capture_output=True, text=True)
    assert not (tmp_path / "caught").exists(), (tmp_path / "caught").read_text()
    assert "--out DIR" in done.stdout + done.stderr or "--bench" in done.stderr, (done.stdout, done.stderr)


@pytest.mark.parametrize("entry", ["", ".", "bin"])
def test_programs_of_the_current_folder_are_not_executed(trap, tmp_path, entry):
    (trap / "bin").mkdir()
    for program in ["python3", "nvidia-smi"]:
        for file in [trap / program, trap / "bin" / program]:
            file.write_text(f"#!/bin/sh\necho {program} > {tmp_path}/caught\n")
            file.chmod(0o755)
    for code, *args in commands(tmp_path / "missing"):
        bench(*args, code=code, cwd=trap, env={"PATH": f"{entry}:{os.environ['PATH']}"})
        assert not (tmp_path / "caught").exists(), args


def test_no_shell_reads_a_folder_on_path(tmp_path):
    folder = tmp_path / "q'; touch caught; '$(touch caught)`touch caught`"
    folder.mkdir()
    (folder / "python3").symlink_to(shutil.which("python3"))
    for code, *args in commands(tmp_path / "missing"):
        bench(*args, code=code, cwd=tmp_path, env={"PATH": f"{folder}:{os.environ['PATH']}"})
        assert not (tmp_path / "caught").exists(), args


# --- the entry script ./run: where it looks, and how it makes an environment of packages ---

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
