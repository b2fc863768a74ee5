"""run --plan and --shard, merge, and report of several folders: one plan, repeated or shared."""

import fcntl
import html
import json
import os
import re
import shutil
import subprocess

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, EXIT_USAGE, bench, refusal, rows_in

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


def keys(folder):
    return [tuple(row[key] for key in MEASUREMENT) for row in rows_in(folder)]


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


timed = pytest.mark.parametrize("parts", ["true"], ids=["timed"], indirect=True)  # where times make no difference


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
    poses = {key: row["pose"] for key, row in zip(keys(whole), rows_in(whole))}
    assert poses == {key: row["pose"] for key, row in zip(keys(tmp_path / "again"), rows_in(tmp_path / "again"))}


def test_parts_are_disjoint_and_together_the_whole(parts):
    folder = parts[0]
    shared = [keys(folder / part) for part in "123"]
    assert all(shared) and sorted(sum(shared, [])) == sorted(keys(folder / "whole"))
    for part in "123":
        plan = read(folder / part, "plan.json")
        assert plan["shard"]["parts"] == [int(part)] and plan["shard"]["of"] == 3
        assert {row["job"] for row in rows_in(folder / part)} <= set(plan["shard"]["jobs"])
        assert len(plan["shard"]["jobs"]) < len(plan["jobs"])
        assert without(plan, "run_id", "shard") == without(read(folder / "whole", "plan.json"), "run_id")


def test_a_plan_alone_is_that_of_the_run_and_measures_nothing(tmp_path, parts):
    folder = parts[0]
    done = bench("run", "--preset", folder / "p.toml", *TWO, "--samples", 1, "--plan-only", tmp_path / "plan.json")
    plan = read(tmp_path, "plan.json")
    assert os.listdir(tmp_path) == ["plan.json"] and without(plan, "run_id") == without(read(folder / "whole", "plan.json"), "run_id")
    assert done.stdout.startswith(f"{len(plan['jobs'])} jobs are planned in {tmp_path / 'plan.json'}\nnext: ndt-bench run --plan ")
    bench("run", "--plan", tmp_path / "plan.json", "--shard", "2/3", "--out", tmp_path / "2")
    bench("merge", folder / "1", tmp_path / "2", folder / "3", "--out", tmp_path / "all")
    for more in (["--plan", tmp_path / "plan.json"], ["--shard", "1/2"], ["--out", "x"], ["--resume", "x"]):
        assert "excludes" in refusal("run", "--plan-only", tmp_path / "other.json", *more, code=EXIT_USAGE)


def test_parts_are_merged_with_the_environment_of_each(tmp_path, parts):
    folder = parts[0]
    bench("merge", folder / "2", folder / "3", "--out", tmp_path / "two")
    plan = read(tmp_path / "two", "plan.json")
    assert plan["shard"]["parts"] == [2, 3]
    assert set(plan["shard"]["jobs"]).isdisjoint(read(folder / "1", "plan.json")["shard"]["jobs"])
    out = bench("merge", tmp_path / "two", folder / "1", "--out", tmp_path / "all").stdout
    merged = tmp_path / "all"
    assert f"{len(rows_in(folder / 'whole'))} measurements of 2 parts in {merged}\nnext: ndt-bench report {merged}\n" == out
    assert sorted(keys(merged)) == sorted(keys(folder / "whole"))
    (run_id,) = {row["run_id"] for row in rows_in(merged)}
    environment, plan = read(merged, "environment.json"), read(merged, "plan.json")
    assert run_id == environment["run_id"] == plan["run_id"] and "shard" not in plan
    assert environment["command_line"].endswith(f"merge {tmp_path / 'two'} {folder / '1'} --out {merged}")
    ran = read(merged, "parts.json")
    assert [part["environment"] for part in ran] == [read(folder / part, "environment.json") for part in "231"]
    assert sorted(sum((part["jobs"] for part in ran), [])) == list(range(len(plan["jobs"])))
    own = [without(row, "run_id") for part in "231" for row in rows_in(folder / part)]
    assert [without(row, "run_id") for row in rows_in(merged)] == own
    bench("run", "--resume", merged)  # nothing is missing


@timed
def test_one_page_is_made_of_several_parts(tmp_path, parts):
    folder = parts[0]
    bench("report", folder / "1", folder / "2", folder / "3", "--out", tmp_path / "all")
    page = (tmp_path / "all" / "report.html").read_text()
    assert "of a run: ndt-bench merge" not in page and "persistent_cpu" in page
    bench("report", folder / "1", folder / "2", cwd=tmp_path)
    (made,) = (tmp_path / "bench-results").iterdir()
    assert "part 1, 2 of 3 of a run" in (made / "report.html").read_text()
    assert "is given twice" in bench("report", folder / "1", folder / "1", cwd=tmp_path, code=EXIT_BAD_INPUT).stderr
    assert [made] == list((tmp_path / "bench-results").iterdir()), "nothing is left behind"
    bench("report", folder / "1", "--out", tmp_path / "x")
    assert (tmp_path / "x" / "report.html").is_file() and not (tmp_path / "x" / "results.jsonl").exists()
    assert not (folder / "1" / "report.html").exists(), "the page of one folder is in the other alone"


def test_what_is_no_part_of_one_run_is_refused(tmp_path, parts):
    folder = parts[0]
    out = tmp_path / "out"

    def said(*folders):
        message = refusal("merge", *folders, "--out", out, code=EXIT_BAD_INPUT)
        assert not out.exists(), "nothing is left behind"
        return message

    assert re.search(r"1/results.jsonl: line 1: this measurement is in .*whole too: (cpu_pclomp_ref|persistent_cpu) on courtyard\w*, "
                     r"frame \w+, guess [^|]+, variant autoware, 1 thread; leave out one of the two folders",
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


DEEP = "[" * 200000 + "]" * 200000


@timed
def test_damaged_parts_are_refused_by_file_and_leave_nothing(tmp_path, parts):
    folder = parts[0]
    bench("merge", folder / "1", folder / "2", "--out", tmp_path / "two")

    def said(part, name, text):
        kept = (part / name).read_text() if (part / name).exists() else None
        (part / name).write_text(text)
        message = refusal("merge", part, folder / "3", "--out", tmp_path / "out", code=EXIT_BAD_INPUT)
        (part / name).write_text(kept) if kept is not None else (part / name).unlink()
        assert not list(tmp_path.glob("out*")), "nothing is left behind"
        assert f"{part / name}: " in message and "json.exception" not in message
        return message

    part = shutil.copytree(folder / "1", tmp_path / "part")
    for name in ("environment.json", "datasets.json", "columns.json", "implementations.json", "plan.json", "parts.json"):
        assert "is nested too deeply" in said(part, name, DEEP)
        assert "is not JSON" in said(part, name, "{")
    deep_row = (part / "results.jsonl").read_text().replace("{", '{"x":' + DEEP + ",", 1)
    assert "line 1: not a line of results.jsonl: it is nested too deeply" in said(part, "results.jsonl", deep_row)
    deep_entry = json.dumps(read(part, "environment.json")).replace("{", '{"x":' + DEEP + ",", 1)
    assert "is nested too deeply" in said(part, "environment.json", deep_entry)

    whole = read(tmp_path / "two", "parts.json")
    for wrong in ([], {}, [1], [{}], [whole[0] | {"environment": []}], [whole[0] | {"jobs": "all"}],
                  [whole[0] | {"jobs": ["1"]}], [without(whole[0], "run_id")]):
        assert "is not what ndt-bench writes" in said(tmp_path / "two", "parts.json", json.dumps(wrong)), wrong
    for available in ("yes", None, 1):
        entries = read(part, "implementations.json")
        entries[0]["available"] = available
        assert "is not what ndt-bench writes" in said(part, "implementations.json", json.dumps(entries))
    for name, wrong in (("environment.json", "[]"), ("datasets.json", "[1]"), ("columns.json", "{}")):
        assert "is not what ndt-bench writes" in said(part, name, wrong)


@timed
def test_a_part_that_did_not_end_says_how_it_does(tmp_path, parts):
    folder = parts[0]
    for name in ("results.jsonl", "datasets.json"):
        part = shutil.copytree(folder / "1", tmp_path / name)
        (part / name).unlink()
        message = refusal("merge", part, folder / "2", "--out", tmp_path / "out", code=EXIT_BAD_INPUT)
        assert f"has no {name}: that part has not finished; ndt-bench run --resume {part}" in message


@timed
def test_the_busiest_part_and_what_is_alike_of_the_gpus_stay(tmp_path, parts):
    folder = parts[0]
    cores = read(folder / "1", "environment.json")["cores"]
    cuda = read(folder / "1", "environment.json")["cuda"]
    calm = edited(tmp_path, folder / "2", "environment.json", load_average_1_min=0.0)
    calm = calm.rename(tmp_path / "calm")
    busy = edited(tmp_path, folder / "1", "environment.json", load_average_1_min=3.5 * cores,
                  cuda=cuda | {"driver_release": "999.1"})
    for number, order in enumerate(([busy, calm], [calm, busy])):
        merged = tmp_path / f"merged{number}"
        bench("merge", *order, "--out", merged)
        environment = read(merged, "environment.json")
        assert environment["load_average_1_min"] == 3.5 * cores
        assert environment["cuda"] == without(cuda, "driver_release")
    bench("report", merged)
    assert "The machine was busy when the run began" in (merged / "report.html").read_text()


@timed
def test_only_the_pictures_own_clouds_are_copied(tmp_path, parts):
    folder = parts[0]
    secret = tmp_path / "secret"
    secret.mkdir()
    for name in ("courtyard_map.pcd", "other.pcd"):
        (secret / name).write_text("secret")
    part = shutil.copytree(folder / "1", tmp_path / "part")
    (part / "clouds" / "notes.txt").write_text("mine")
    (part / "clouds" / "courtyard_map.pcd").unlink()
    (part / "clouds" / "courtyard_map.pcd").symlink_to(secret / "courtyard_map.pcd")
    bench("merge", part, folder / "2", "--out", tmp_path / "one")
    copied = {file.name for file in (tmp_path / "one" / "clouds").iterdir()}
    assert "courtyard_scan.pcd" in copied and not copied & {"notes.txt", "courtyard_map.pcd"}
    shutil.rmtree(part / "clouds")
    (part / "clouds").symlink_to(secret)
    bench("merge", part, folder / "2", "--out", tmp_path / "other")
    assert "courtyard_map.pcd" in {file.name for file in (tmp_path / "other" / "clouds").iterdir()}, "of the second part"
    assert "secret" not in (tmp_path / "other" / "clouds" / "courtyard_map.pcd").read_text(errors="replace")


@timed
def test_a_folder_that_may_only_be_read_is_merged(tmp_path, parts):
    folder = parts[0]
    part = shutil.copytree(folder / "1", tmp_path / "part")
    (part / "run.lock").chmod(0o444)
    part.chmod(0o555)
    try:
        bench("merge", part, folder / "2", "--out", tmp_path / "out")
    finally:
        part.chmod(0o755)
    # As root may write anywhere: readers do not shut each other out, a writer does.
    with open(part / "run.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_SH)
        bench("merge", part, folder / "2", "--out", tmp_path / "again")
    with open(part / "run.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert "another process writes to it" in refusal(
            "merge", part, folder / "2", "--out", tmp_path / "x", code=EXIT_BAD_INPUT)


def test_times_of_two_machines_are_not_put_into_one_run(tmp_path, parts):
    folder, timed = parts
    other = edited(tmp_path, folder / "1", "environment.json", machine="00", cpu_model="Another", cores=99,
                   cuda=read(folder / "1", "environment.json")["cuda"] | {"devices": [{"name": "Another GPU"}]})
    if timed:
        message = refusal("merge", folder / "2", other, "--out", tmp_path / "out", code=EXIT_BAD_INPUT)
        assert "measured on different machines; times are never compared across machines" in message
        assert not (tmp_path / "out").exists()
        return
    bench("merge", folder / "2", other, "--out", tmp_path / "out")
    assert "devices" not in read(tmp_path / "out", "environment.json")["cuda"]
    bench("report", tmp_path / "out")
    assert "cpu_model" not in read(tmp_path / "out", "environment.json")
    ran = {part["environment"]["cpu_model"]: part["jobs"] for part in read(tmp_path / "out", "parts.json")}
    assert len(ran) == 2 and set(ran["Another"]) == {row["job"] for row in rows_in(other)}
    # A run that was merged before is refused, too.
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


@timed
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
    assert re.fullmatch(r"# built from commit [0-9a-f]{40}( +# had local changes)?", lines[0]), lines
    assert len(lines) == 4 and all(line.startswith(BENCH) for line in lines[1:]), lines
    done = subprocess.run(["bash", "-e", "-c", "\n".join(lines)], cwd=tmp_path, capture_output=True, text=True,
                          env=os.environ | {"NDT_DATASETS": ""})
    assert done.returncode == 0, done.stderr
    assert sorted(keys(tmp_path / "my run-again")) == sorted(keys(tmp_path / "my run"))
    assert (tmp_path / "my run-again" / "report.html").exists()
