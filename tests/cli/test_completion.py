"""Shell completion as the shells themselves do it, "did you mean" for options, and doctor's JSON."""

import json
import os
import shutil
import subprocess

import pytest
from conftest import BENCH, EXIT_USAGE, LISTED, bench, refusal
from terminal import Terminal


def bash(*words):
    """Returns the words that bash offers for the last word."""
    script = bench("completion", "bash").stdout
    line = " ".join(f"'{word}'" for word in words)
    code = f"{script}\nCOMP_WORDS=(ndt-bench {line}); COMP_CWORD={len(words)}\n_ndt_bench\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout.split()


def fish(*words):
    if not shutil.which("fish"):
        pytest.skip("no fish here")
    env = os.environ | {"PATH": f"{os.path.dirname(BENCH)}:{os.environ['PATH']}"}
    done = subprocess.run(["fish", "--no-config", "-c", f"{os.path.basename(BENCH)} completion fish | source; complete -C 'ndt-bench {' '.join(words)}'"],
                          capture_output=True, text=True, env=env)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return [line.split("\t")[0] for line in done.stdout.splitlines()]


@pytest.mark.parametrize("shell", [bash, fish])
def test_commands_options_and_names_are_completed(shell):
    assert set(shell("")) >= {"align", "run", "localize", "completion"} and "measure-job" not in shell("")
    assert shell("ali") == ["align"]
    assert shell("align", "--prof") == ["--profile"]
    assert set(shell("align", "--guess")) == {"--guess", "--guess-ros"}
    assert set(shell("align", "--profile", "")) == {"autoware", "textbook", "pyramid", "windows"}
    assert shell("localize", "--covariance", "lap") == ["laplace"]
    names = {entry["name"] for entry in LISTED} | {"auto"}
    assert set(shell("align", "--implementation", "")) == names
    assert "courtyard" in shell("run", "--dataset", "") and "smoke" in shell("run", "--preset", "")
    assert set(shell("map", "")) >= {"cut", "merge", "describe", "crop", "thin"}
    assert "--size" in shell("map", "cut", "--") and "--leaf" not in shell("map", "cut", "--")


def test_bash_completes_files_where_an_option_or_a_command_takes_one(tmp_path, monkeypatch):
    (tmp_path / "map.pcd").touch()
    monkeypatch.chdir(tmp_path)
    for words in [("align", "--map", "ma"), ("align", "--autoware-params", "ma"), ("report", "ma"), ("map", "describe", "ma"), ("run", "--preset", "ma")]:
        assert bash(*words) == (["map.pcd"] if words[0] != "run" else []), words
    assert bash("align", "--guess", "") == []


def test_bash_completes_an_alias_of_the_program():
    code = f"""shopt -s expand_aliases
alias bench={BENCH} ll='ls -l'
source <(bench completion bash)
complete -p bench; complete -p ll 2>/dev/null; true"""
    done = subprocess.run(["bash", "--norc", "-c", code], capture_output=True, text=True)
    assert done.stdout.replace(" -- ", " ") == "complete -F _ndt_bench bench\n" and done.stderr == "", done


def test_fish_completes_an_alias_of_the_program():
    if not shutil.which("fish"):
        pytest.skip("no fish here")
    code = f"alias bench={BENCH}; bench completion fish | source; complete -C 'bench align --prof'"
    done = subprocess.run(["fish", "--no-config", "-c", code], capture_output=True, text=True)
    assert done.stdout.startswith("--profile\t") and done.stderr == "", done


def test_zsh_completes_an_alias_of_the_program():
    """Typed on a terminal: zsh looks through an alias by itself."""
    if not shutil.which("zsh"):
        pytest.skip("no zsh here")
    terminal = Terminal(["zsh", "-f", "-i"], 200, env={"PS1": "> "})
    for line in ("autoload -U compinit; compinit -D", f"alias bench={BENCH}", "source <(bench completion zsh)", "print rea''dy"):
        terminal.press(line.encode() + b"\n")
    assert terminal.until(r"\nready")
    terminal.press(b"bench align --prof\t")
    assert terminal.until(r"--profile"), terminal.said
    terminal.press(b"\x15exit\n")
    terminal.end()


def test_zsh_takes_its_script():
    script = bench("completion", "zsh").stdout
    assert script.startswith("#compdef ndt-bench\n") and "'*--profile[" in script
    if not shutil.which("zsh"):
        pytest.skip("no zsh here")
    checked = subprocess.run(["zsh", "-f", "-c", "autoload -U compinit; compinit -D; source /dev/stdin; whence -w _ndt_bench_map_cut; print $_comps[ndt-bench]"],
                             input=script, capture_output=True, text=True)
    assert checked.returncode == 0 and checked.stderr == "" and checked.stdout == "_ndt_bench_map_cut: function\n_ndt_bench\n", checked


def test_another_shell_is_refused():
    refusal("completion", "tcsh", code=EXIT_USAGE)
    refusal("completion", code=EXIT_USAGE)


@pytest.mark.parametrize("args, said", [
    (["align", "--mapp", "a.pcd", "--scan", "b.pcd"], "align has no option --mapp; did you mean --map? see ndt-bench align --help"),
    (["align", "--map", "a", "--scan", "b", "--resolutoin=2"], "align has no option --resolutoin; did you mean --resolution?"),
    (["map", "cut", "a.pcd", "--out", "b", "--sise", "3"], "map cut has no option --sise; did you mean --size?"),
    (["run", "--xyzzy"], "run has no option --xyzzy; see ndt-bench run --help"),
    (["align", "--map", "a", "--scan", "b", "--autoware-param", "f"], "did you mean --autoware-params?"),
])
def test_a_misspelt_option_is_named_with_the_nearest(args, said):
    assert said in refusal(*args, code=EXIT_USAGE)


def test_doctor_json_has_what_its_lines_say(tmp_path):
    found = json.loads(bench("doctor", "--json", env={"NDT_DATASETS": str(tmp_path)}).stdout)
    assert [key for key in found if key != "solvers"] == ["ndt_bench", "compiler", "build", "cpu", "system", "cuda_toolkit", "cuda", "pcl", "eigen", "liblzf", "yaml_cpp", "python",
                           "project_files", "NDT_DATASETS", "auto"]
    assert found["NDT_DATASETS"] == str(tmp_path)
    assert found["cpu"]["cores"] >= 1 and f"summed with {found['cpu']['instructions']} instructions" in bench("doctor").stdout
    assert found["eigen"].count(".") == 2
    assert found["pcl"]["version"] or found["pcl"]["left_out"]
    assert found["python"]["path"].endswith("python3") and isinstance(found["python"]["reports"], bool)


def test_doctor_looks_at_the_python_that_reports_use(tmp_path):
    """The first on PATH without pandas is not it where the system's has it, and what is missing is said."""
    bare = tmp_path / "python3"
    bare.write_text('#!/bin/sh\n[ "$1" = --version ] && echo "Python 3.0.0" || exit 1\n')
    bare.chmod(0o755)
    python = json.loads(bench("doctor", "--json", env={"PATH": str(tmp_path)}).stdout)["python"]
    line = next(line for line in bench("doctor", env={"PATH": str(tmp_path)}).stdout.splitlines() if line.startswith("Python "))
    if python["reports"]:
        assert python["path"] == "/usr/bin/python3"
    else:
        assert python["path"] == str(bare) and "report, compare and trajectory need pandas matplotlib jinja2" in line


def test_a_missing_driver_is_said_once_and_in_words():
    if json.loads(bench("doctor", "--json").stdout)["cuda"]["unavailable"] != "no NVIDIA driver is loaded":
        pytest.skip("there is a driver, or a build without CUDA")
    for command in ("doctor", "list"):
        text = bench(command).stdout
        assert text.count("no NVIDIA driver is loaded") == 1 and "insufficient" not in text
