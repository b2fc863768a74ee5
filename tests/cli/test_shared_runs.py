"""run --plan and --shard, merge, and report of several folders: one plan, repeated or shared."""

import html
import json
import os
import re
import shutil
import subprocess

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, EXIT_USAGE, bench, refusal

# Two studies that share the first guesses of the grid: their jobs must stay together.
PRESET = """
description = 'd'
[timing]
cap_s = 0.02
idle_samples = 1
[[study]]
datasets = ['courtyard', 'courtyard_2000']
threads = [1]
measurements_per_job = 2
timed = {timed}
[[study]]
datasets = ['courtyard']
threads = [1]
timed = {timed}
grids = [{{ x_m = [0.0, 0.1, 0.2] }}]
[[study]]
datasets = ['courtyard']
threads = [1]
timed = {timed}
grids = [{{ x_m = [0.2, 0.3] }}]
"""
TWO = ["--implementation", "cpu_pclomp_ref", "--implementation", "persistent_cpu"]
MEASUREMENT = ["dataset", "implementation", "variant", "threads", "frame", "guess_name", "poses"]


def rows(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def keys(folder):
    return [tuple(row[key] for key in MEASUREMENT) for row in rows(folder)]


def read(folder, name):
    return json.loads((folder / name).read_text())


def without(plan, *names):
    return {key: value for key, value in plan.items() if key not in names}


@pytest.fixture(scope="module", params=["true", "false"], ids=["timed", "untimed"])
def parts(request, tmp_path_factory):
    """A whole run, and the same in three parts."""
    folder = tmp_path_factory.mktemp("shared")
    (folder / "p.toml").write_text(PRESET.format(timed=request.param))
    bench("run", "--preset", folder / "p.toml", *TWO, "--samples", 1, "--out", folder / "whole")
    for part in (1, 2, 3):
        bench("run", "--plan", folder / "whole" / "plan.json", "--shard", f"{part}/3", "--out", folder / str(part))
    return folder, request.param == "true"


def edited(tmp_path, folder, name, **changes):
    copy = tmp_path / "edited"
    shutil.copytree(folder, copy)
    (copy / name).write_text(json.dumps(read(copy, name) | changes))
    return copy


def test_a_plan_is_repeated_as_it_was(tmp_path, parts):
    whole = parts[0] / "whole"
    bench("run", "--plan", whole / "plan.json", "--out", tmp_path / "again")
    first, again = read(whole, "plan.json"), read(tmp_path / "again", "plan.json")
    assert without(again, "run_id") == without(first, "run_id") and len(first["jobs"]) > 10
    assert sorted(keys(tmp_path / "again")) == sorted(keys(whole))
    poses = {key: row["pose"] for key, row in zip(keys(whole), rows(whole))}
    assert poses == {key: row["pose"] for key, row in zip(keys(tmp_path / "again"), rows(tmp_path / "again"))}


def test_parts_are_disjoint_and_together_the_whole(parts):
    folder = parts[0]
    shared = [keys(folder / part) for part in "123"]
    assert all(shared) and sorted(sum(shared, [])) == sorted(keys(folder / "whole"))
    for part in "123":
        plan = read(folder / part, "plan.json")
        assert plan["shard"]["parts"] == [int(part)] and plan["shard"]["of"] == 3
        assert {row["job"] for row in rows(folder / part)} <= set(plan["shard"]["jobs"])
        assert len(plan["shard"]["jobs"]) < len(plan["jobs"])
        assert without(plan, "run_id", "shard") == without(read(folder / "whole", "plan.json"), "run_id")


def test_parts_are_merged_with_the_environment_of_each(tmp_path, parts):
    folder = parts[0]
    bench("merge", folder / "2", folder / "3", "--out", tmp_path / "two")
    plan = read(tmp_path / "two", "plan.json")
    assert plan["shard"]["parts"] == [2, 3]
    assert set(plan["shard"]["jobs"]).isdisjoint(read(folder / "1", "plan.json")["shard"]["jobs"])
    out = bench("merge", tmp_path / "two", folder / "1", "--out", tmp_path / "all").stdout
    merged = tmp_path / "all"
    assert f"{len(rows(folder / 'whole'))} measurements of 2 parts in {merged}\nnext: ndt-bench report {merged}\n" == out
    assert sorted(keys(merged)) == sorted(keys(folder / "whole"))
    (run_id,) = {row["run_id"] for row in rows(merged)}
    environment, plan = read(merged, "environment.json"), read(merged, "plan.json")
    assert run_id == environment["run_id"] == plan["run_id"] and "shard" not in plan
    assert environment["command_line"].endswith(f"merge {tmp_path / 'two'} {folder / '1'} --out {merged}")
    ran = read(merged, "parts.json")
    assert [part["environment"] for part in ran] == [read(folder / part, "environment.json") for part in "231"]
    assert sorted(sum((part["jobs"] for part in ran), [])) == list(range(len(plan["jobs"])))
    own = [without(row, "run_id") for part in "231" for row in rows(folder / part)]
    assert [without(row, "run_id") for row in rows(merged)] == own
    bench("run", "--resume", merged)  # nothing is missing


def test_one_page_is_made_of_several_parts(tmp_path, parts):
    folder = parts[0]
    bench("report", folder / "1", folder / "2", folder / "3", "--out", tmp_path / "all")
    page = (tmp_path / "all" / "report.html").read_text()
    assert "of a run: ndt-bench merge" not in page and "persistent_cpu" in page
    bench("report", folder / "1", folder / "2", cwd=tmp_path)
    (made,) = (tmp_path / "bench-results").iterdir()
    assert "part 1, 2 of 3 of a run" in (made / "report.html").read_text()
    assert "--out is where several folders are merged" in refusal(
        "report", folder / "1", "--out", tmp_path / "x", code=EXIT_USAGE)


def test_what_is_no_part_of_one_run_is_refused(tmp_path, parts):
    folder = parts[0]
    out = tmp_path / "out"

    def said(*folders):
        message = refusal("merge", *folders, "--out", out, code=EXIT_BAD_INPUT)
        assert not out.exists(), "nothing is left behind"
        return message

    assert re.search(r"1/results.jsonl: line 1: this measurement is in .*whole too: courtyard",
                     said(folder / "whole", folder / "1"))
    assert "is given twice; name every part once" in said(folder / "1", folder / "1")
    for name, changes, what in [
        ("environment.json", {"commit": "0" * 40}, "has another commit than"),
        ("environment.json", {"flags": "-O0"}, "has another compiler flags than"),
        ("plan.json", {"seed": 7}, "has another plan than"),
    ]:
        assert what in said(folder / "2", edited(tmp_path, folder / "1", name, **changes)), what
        shutil.rmtree(tmp_path / "edited")
    for name, key, value, what in [
        ("datasets.json", "fingerprint", "fnv1a64:0", "has another fingerprint or description of a dataset than"),
        ("columns.json", "unit", "miles", "has another list of columns than"),
        ("implementations.json", "schedule", "x", "has another list of implementations than"),
    ]:
        copy = edited(tmp_path, folder / "1", "plan.json")
        entries = read(copy, name)
        entries[0][key] = value
        (copy / name).write_text(json.dumps(entries))
        message = said(folder / "2", copy)
        assert what in message and "give the others its plan.json (run --plan, --shard i/n)" in message
        shutil.rmtree(copy)
    assert "plan.json" in said(folder / "1", tmp_path)


def test_times_of_two_machines_are_not_put_into_one_run(tmp_path, parts):
    folder, timed = parts
    other = edited(tmp_path, folder / "1", "environment.json", machine="00", cpu_model="Another", cores=99)
    if timed:
        message = refusal("merge", folder / "2", other, "--out", tmp_path / "out", code=EXIT_BAD_INPUT)
        assert "measured on different machines; times are never compared across machines" in message
        assert not (tmp_path / "out").exists()
        return
    bench("merge", folder / "2", other, "--out", tmp_path / "out")
    assert "cpu_model" not in read(tmp_path / "out", "environment.json")
    ran = {part["environment"]["cpu_model"]: part["jobs"] for part in read(tmp_path / "out", "parts.json")}
    assert len(ran) == 2 and set(ran["Another"]) == {row["job"] for row in rows(other)}
    # Nor by way of a run that was merged before.
    assert "begun with another processor" in refusal("run", "--resume", tmp_path / "out", code=EXIT_BAD_INPUT)


@pytest.mark.parametrize("what", ["poses = [1, 3]", "seeds = 2\nsearches = [{ name = 'a', implementations = ['persistent_cpu'], "
                                  "particles = 4, startup = 4 }]"], ids=["batches", "searches"])
def test_times_of_batches_and_searches_count_without_repeats(tmp_path, what):
    (tmp_path / "p.toml").write_text("description = 'd'\n[[study]]\ndatasets = ['courtyard']\nthreads = [1]\ntimed = false\n"
                                     f"measurements_per_job = 1\n{what}\n")
    for part in "12":
        bench("run", "--preset", tmp_path / "p.toml", *TWO[2:], "--shard", f"{part}/2", "--out", tmp_path / part)
    other = edited(tmp_path, tmp_path / "2", "environment.json", machine="00")
    said = refusal("merge", tmp_path / "1", other, "--out", tmp_path / "out", code=EXIT_BAD_INPUT)
    assert "measured on different machines" in said
    bench("merge", tmp_path / "1", tmp_path / "2", "--out", tmp_path / "out")


def test_a_plan_leaves_nothing_to_choose(tmp_path, parts):
    plan = parts[0] / "whole" / "plan.json"
    for more in (["--preset", "smoke"], ["--dataset", "town"], ["--threads", 2], ["--step", 0.2], ["--resume", "x"]):
        assert "--plan" in refusal("run", "--plan", plan, *more, "--out", tmp_path / "x", code=EXIT_USAGE)
    for shard in ("0/3", "4/3", "1", "a/3", "1/3/5", "/", "-1/3"):
        assert "give i/n" in refusal("run", "--plan", plan, "--shard", shard, "--out", tmp_path / "x", code=EXIT_USAGE)
    assert "can be shared by" in refusal(
        "run", "--plan", plan, "--shard", "1000/1000", "--out", tmp_path / "x", code=EXIT_USAGE)
    nothing = tmp_path / "plan.json"
    nothing.write_text(json.dumps(read(parts[0] / "whole", "plan.json") | {"jobs": []}))
    assert "plans nothing" in refusal("run", "--plan", nothing, "--out", tmp_path / "x", code=EXIT_BAD_INPUT)
    assert not (tmp_path / "x").exists()


def test_the_lines_that_redo_a_run_work_as_printed(tmp_path):
    bench("run", "--dataset", "courtyard", *TWO, "--threads", 1, "--samples", 1, "--out", "my run", cwd=tmp_path)
    bench("report", "my run", cwd=tmp_path)
    page = (tmp_path / "my run" / "report.html").read_text()
    lines = html.unescape(re.search(r"To redo it</h3>\s*<pre>(.*?)</pre>", page, re.S).group(1)).splitlines()
    commands = [line for line in lines if not line.startswith("git checkout ")]
    assert len(commands) == 3 and all(line.startswith(BENCH) for line in commands), lines
    done = subprocess.run(["bash", "-e", "-c", "\n".join(commands)], cwd=tmp_path, capture_output=True, text=True,
                          env=os.environ | {"NDT_DATASETS": ""})
    assert done.returncode == 0, done.stderr
    assert sorted(keys(tmp_path / "my run-again")) == sorted(keys(tmp_path / "my run"))
    assert (tmp_path / "my run-again" / "report.html").exists()
