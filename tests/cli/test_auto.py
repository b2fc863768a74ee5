"""What auto takes: measured by doctor, kept, shown, and looked up by the size of the work."""

import json

import pytest
from conftest import EXIT_USAGE, LISTED, bench, refusal

UNMEASURED = {"NDT_AUTO_TIMES": "/dev/null/auto_times.json"}
USUAL = json.loads(bench("list", "--json", env=UNMEASURED).stdout)["auto"]
OTHER = "multikernel_cpu"
GUESS = ["--guess", "0.3,-0.2,0.1,0,0,0.05"]


@pytest.fixture
def kept(tmp_path):
    """A file with times of this machine by which OTHER is best with up to 3,162 points, and USUAL above and in batches."""
    file = tmp_path / "times.json"
    env = {"NDT_AUTO_TIMES": str(file)}
    bench("doctor", "--measure", "0.5", env=env)
    times = [{"points": points, "poses": poses, "implementation": name, "us": us}
             for points, poses, name, us in [(2000, 1, OTHER, 1000), (2000, 1, USUAL, 2000), (5000, 1, OTHER, 2000),
                                             (5000, 1, USUAL, 1000), (5000, 100, OTHER, 1000), (5000, 100, USUAL, 9000)]]
    file.write_text(json.dumps(json.loads(file.read_text()) | {"measured_at": "2026-11-26T06:00:00Z", "times": times}))
    return env, file


def lines(env):
    return [line[17:] for line in bench("doctor", env=env).stdout.splitlines() if line.startswith("auto  ")]


def auto(env):
    return json.loads(bench("doctor", "--json", env=env).stdout)["auto"]


def taken(command, *args, env):
    """By its JSON, and by what it says while it works, where it does."""
    done = bench(command, *args, "--json", env=env)
    name = json.loads(done.stdout)["implementation"]
    assert command == "initial-pose" or f"ndt-bench: auto took {name} (" in done.stderr
    return name


def test_doctor_says_that_nothing_was_measured(tmp_path):
    env = {"NDT_AUTO_TIMES": str(tmp_path / "times.json")}
    assert lines(env) == [f"{USUAL} always: nothing was measured on this machine; ndt-bench doctor --measure measures it"]
    assert auto(env) == {"takes": USUAL, "file": env["NDT_AUTO_TIMES"], "why_not": "nothing was measured on this machine",
                         "measured_at": None, "choices": [], "times": []}
    assert list(tmp_path.iterdir()) == []


def test_a_machine_is_measured_and_its_times_are_shown(tmp_path):
    env = {"NDT_AUTO_TIMES": str(tmp_path / "new/times.json")}
    shown = bench("doctor", "--measure", "1", env=env)
    assert "1000 points, 1 at once" in shown.stderr  # how far it is
    found = auto(env)
    assert found["why_not"] is None and found["measured_at"].endswith("Z")
    names = {entry["name"] for entry in LISTED if entry["available"] and entry["for_use"] and not entry["peer"]} - {"cpu_pclomp_ref"}
    assert {time["implementation"] for time in found["times"] if (time["points"], time["poses"]) == (1000, 1)} == names
    assert all(time["us"] > 0 for time in found["times"])
    first, *rest = lines(env)
    assert first == f"{found['takes']} for 5000 points and one pose at a time; measured {found['measured_at']}, kept in {found['file']}"
    assert any(line.startswith("1 pose: ") for line in rest) and any(line.startswith("1 pose, 1000 points: ") for line in rest)


def test_the_file_may_be_named_without_a_folder(tmp_path):
    bench("doctor", "--measure", "0.5", env={"NDT_AUTO_TIMES": "times.json"}, cwd=tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["times.json"]


def test_doctor_shows_where_the_choice_changes(kept):
    env, _ = kept
    assert auto(env)["choices"] == [{"poses": 1, "up_to_points": pytest.approx(3162, abs=1), "implementation": OTHER},
                                    {"poses": 1, "up_to_points": None, "implementation": USUAL},
                                    {"poses": 100, "up_to_points": None, "implementation": OTHER}]
    assert lines(env)[1:3] == [f"1 pose: {OTHER} up to 3162 points, then {USUAL}", f"100 poses: {OTHER}"]
    assert f"1 pose, 2000 points: {OTHER} 1 ms, {USUAL} 2 ms" in lines(env)


def test_the_command_line_asks_with_the_size_of_the_scan(kept, courtyard):
    env, _ = kept
    assert taken("align", *courtyard.args, *GUESS, env=env) == OTHER  # 3,000 points
    assert taken("align", *courtyard.args, *GUESS, "--threads", "1", env=env) == USUAL, "the times are of all cores"
    assert taken("evaluate", *courtyard.args, "--pose", "0,0,0,0,0,0", env=env) == OTHER
    assert json.loads(bench("list", "--json", env=env).stdout)["auto"] == USUAL  # 5,000 points
    named = bench("align", *courtyard.args, *GUESS, "--implementation", USUAL, "--json", env=env)
    assert json.loads(named.stdout)["implementation"] == USUAL and "auto took" not in named.stderr


def test_localize_asks_with_the_size_of_its_first_scan(kept, courtyard, tmp_path):
    env, _ = kept
    scans = tmp_path / "scans"
    scans.mkdir()
    (scans / "0.pcd").write_bytes(courtyard.scan.read_bytes())
    args = ["localize", "--scans", scans, "--map", courtyard.map, "--init", "0,0,0,0,0,0"]
    assert f"implementation   {OTHER} (" in bench(*args, "--out", tmp_path / "a", env=env).stdout
    assert f"implementation   {USUAL} (" in bench(*args, "--out", tmp_path / "b", env=UNMEASURED).stdout


def test_a_search_stays_with_what_its_strategy_is_for(kept, courtyard):
    env, _ = kept
    args = [*courtyard.args, "--guess", "0,0,0,0,0,0", "--sigma", "0.1,0.1,0.1,0.01,0.01", "--particles", "20"]
    assert taken("initial-pose", *args, env=env) == USUAL
    assert taken("initial-pose", *args, "--strategy", "sequential", "--startup", "5", env=env) == OTHER  # one pose at a time


def test_times_of_another_machine_are_not_used(kept, courtyard):
    env, file = kept
    all_of_it = json.loads(file.read_text())
    all_of_it["machine"]["cpu"] = "abacus"
    file.write_text(json.dumps(all_of_it))
    assert f"{file} is not used: its times are of another processor: 'abacus', and here is '" in lines(env)[0]
    assert auto(env)["why_not"].startswith(str(file)) and auto(env)["times"] == []
    assert taken("align", *courtyard.args, *GUESS, env=env) == USUAL


def test_a_broken_file_stops_nothing(kept, courtyard):
    env, file = kept
    file.write_bytes(file.read_bytes()[:-20])
    assert f"{file} is not used: it is not what doctor --measure writes; " in lines(env)[0]
    assert taken("align", *courtyard.args, *GUESS, env=env) == USUAL
    bench("doctor", "--measure", "0.5", env=env)
    assert auto(env)["why_not"] is None


def test_a_time_out_of_bounds_is_refused():
    for seconds in ("0", "601", "nan"):
        assert "option --measure = " in refusal("doctor", "--measure", seconds, code=EXIT_USAGE)


@pytest.mark.parametrize("command", [["align", *GUESS], ["evaluate", "--pose", GUESS[1]], ["initial-pose", *GUESS, "--sigma", "1,1,0,0,0"]])
def test_a_misspelt_implementation_is_refused_before_a_file_is_read(command, tmp_path):
    missing = tmp_path / "missing.pcd"
    message = refusal(*command, "--map", missing, "--scan", missing, "--implementation", "presistent_cpu", code=EXIT_USAGE)
    assert "unknown implementation 'presistent_cpu'" in message
