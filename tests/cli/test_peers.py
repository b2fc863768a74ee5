"""Peers from outside: what they say becomes measurements, and what they do wrong costs theirs alone."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_JOBS_FAILED, EXIT_NO_DEVICE, EXIT_USAGE, bench, rows_in
from test_run import preset

PAGE = (Path(__file__).parents[2] / "docs" / "peers.md").read_text()
# Answers to all but what a test replaces: `say` prints an answer, `request` is what was asked.
PEER = """
import json, os, sys, time

def say(**answer):
    print(json.dumps(answer), flush=True)

def work(ms=0.2):
    begin = time.perf_counter()
    while time.perf_counter() - begin < ms / 1e3:
        pass
    return 1e6 * (time.perf_counter() - begin)

def on_map(): say(us=work())
def on_scan(): say(us=work())
def on_nothing(): say()
def on_align(): say(pose=request["guess"], converged=True, iterations=3, us=work())
{replaced}
for line in sys.stdin:
    request = json.loads(line)
    globals()["on_" + request["do"]]()
"""
TOML = """
about = "the guess"
version = "1"
licence = "none"
stop_rule = "at once"
"""
GUESSES = 2
WRONG = {
    "dies_at_map": ("def on_map(): print('no room', file=sys.stderr); os._exit(3)", "exit code 3 when asked to 'map'.*no room"),
    "dies_at_align": ("def on_align(): os.kill(os.getpid(), 11)", r"signal 11 \(SEGV\) when asked to 'align'"),
    "closes": ("def on_align(): os.close(1); time.sleep(60)", "closed its stdout without an answer"),
    "no_json": ("def on_align(): print('hello', flush=True)", "'hello', which is no JSON object"),
    "a_list": ("def on_align(): print('[1]', flush=True)", "no JSON object"),
    "chatters": ("def on_scan(): say(us=work()); print('done', flush=True)", "(wrote 'done.*' without being asked|'done', which is no JSON)"),
    "no_keys": ("def on_align(): say(us=work())", "a key is missing or of another type; give pose"),
    "rows": ("def on_align(): say(pose=[[1, 0, 0, 0]] * 4, converged=True, us=work())", "of another type"),
    "too_many": ("def on_align(): say(pose=request['guess'] * 2, converged=True, us=work())", "of another type; give pose .16 numbers"),
    "not_rigid": ("def on_align(): say(pose=[2.0] * 16, converged=True, us=work())", "pose that is not rigid"),
    "far_away": ("def on_align(): say(pose=[1, 0, 0, 1e300, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], converged=True, us=work())",
                 "pose 1e[+]300 m away"),
    "long_line": ("def on_align(): print('x' * 200000, flush=True); time.sleep(60)", "more than 64 KiB"),
    "too_slow_clock": ("def on_align(): work(200); say(pose=request['guess'], converged=True, us=5.0)", "took 5 us, but"),
    "too_fast_clock": ("def on_align(): say(pose=request['guess'], converged=True, us=1e9)", "took 1e[+]09 us, but"),
    "no_time": ("def on_align(): say(pose=request['guess'], converged=True, us=0)", "took 0 us, but"),
    "backwards": ("def on_map(): say(us=-1)", "took -1 us"),
    "huge_number": ("def on_align(): print('{\"us\": 1e999}', flush=True)", "no JSON object|a key is missing"),
    "gives_up": ("def on_scan(): say(error='too few points')", "says of 'scan': too few points"),
    "eats": ("def on_align(): global much; much = bytearray(600 << 20); time.sleep(60)", "more than 400 MiB"),
}


def make_peer(folder, name, replaced="", toml=TOML, command=(sys.executable,)):
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.py").write_text(PEER.replace("{replaced}", replaced))
    (folder / f"{name}.toml").write_text(toml + f"command = {json.dumps([*command, f'{name}.py'])}\n")
    return {"NDT_PEERS": str(folder)}


def run(tmp_path, names, env, code, limits="", study=""):
    file = preset(tmp_path, f'[limits]\nmeasurement_s = 30\n{limits}\n[[study]]\ndatasets = ["courtyard"]\nthreads = [1]\n{study}'
                  f'[[study.scatters]]\nguesses = {GUESSES}\nxy_m = 0.2\nroll_pitch_deg = 0\nyaw_deg = 0\n')
    words = [word for name in [*names, "persistent_cpu"] for word in ("--implementation", name)]
    bench("run", "--preset", file, *words, "--samples", 1, "--out", tmp_path / "run", code=code, env=env)
    rows = rows_in(tmp_path / "run")
    own = [row for row in rows if row["implementation"] == "persistent_cpu"]
    assert len(own) == GUESSES and all(row["error"] is None for row in own), "the other measurements are intact"
    return [row for row in rows if row["implementation"] != "persistent_cpu"]


def test_a_peer_is_measured_as_the_others_are(tmp_path):
    env = make_peer(tmp_path / "peers", "good")
    rows = run(tmp_path, ["exec:good"], env, code=0)
    assert len(rows) == GUESSES and {row["implementation"] for row in rows} == {"exec:good"}
    for row in rows:
        assert row["pose"] == row["guess"] and row["stop"] == "converged" and row["iterations"] == 3 and not row["error"]
        assert 200 <= min(row["align_us"]) and 200 <= row["prepare_us"] and 200 <= row["build_us"]
        assert 0 < row["pipe_us"] and row["peak_rss_bytes"] > 1 << 20 and row["translation_error_m"] > 0
        for key in ("score", "transform_probability", "nvtl", "evaluations", "correspondences", "voxels",
                    "oscillation_count", "newton_fallbacks", "trace"):
            assert row[key] is None, key
    own = [row for row in rows_in(tmp_path / "run") if row["implementation"] == "persistent_cpu"]
    assert all(row["prepare_us"] is None and row["pipe_us"] is None for row in own)
    entries = {entry["name"]: entry for entry in json.loads((tmp_path / "run" / "implementations.json").read_text())}
    assert entries["exec:good"]["peer"] and entries["exec:good"]["stop_rule"] == "at once"
    bench("report", tmp_path / "run", env=env)
    assert "exec:good" in (tmp_path / "run" / "report.html").read_text()


def test_the_load_of_a_peer_is_that_of_its_process_too(tmp_path):
    make_peer(tmp_path / "peers", "busy", "def on_align(): say(pose=request['guess'], converged=True, us=work(20))")
    sleeps = "def on_align():\n    begin = time.perf_counter(); time.sleep(0.02); say(pose=request['guess'], converged=True, "
    env = make_peer(tmp_path / "peers", "asleep", sleeps + "us=1e6 * (time.perf_counter() - begin))")
    rows = run(tmp_path, ["exec:busy", "exec:asleep"], env, code=0, study="timing = { samples = 1, idle_samples = 0, load_s = 0.3 }\n")
    busy, asleep = (min(row["cpu_percent"] for row in rows if row["implementation"] == name) for name in ("exec:busy", "exec:asleep"))
    assert 0 < asleep < 50 and 2 * asleep < busy < 200


SIZED = 'def on_align(): say(pose=request["guess"], converged=True, iterations=int(sys.argv[2]), us=work())'


def test_a_name_may_give_the_program_arguments(tmp_path):
    env = make_peer(tmp_path / "peers", "sized", SIZED)
    rows = run(tmp_path, ["exec:sized:0.1:20", "exec:sized:0.1:10"], env, code=0)
    assert {(row["implementation"], row["iterations"]) for row in rows} == {("exec:sized:0.1:20", 20), ("exec:sized:0.1:10", 10)}
    entries = {entry["name"]: entry for entry in json.loads((tmp_path / "run" / "implementations.json").read_text())}
    assert entries["exec:sized:0.1:20"]["note"] == "called with 0.1 20"
    for wrong in ("exec:sized:", "exec:sized:a b", "exec:sized:../x"):
        said = bench("run", "--implementation", wrong, "--dataset", "courtyard", "--out", tmp_path / "no", env=env, code=EXIT_USAGE)
        assert "is no argument; give letters, digits" in said.stderr


def test_a_preset_may_name_peers_and_leaves_out_those_that_are_missing(tmp_path):
    env = make_peer(tmp_path / "peers", "sized", SIZED)
    file = preset(tmp_path, '[[study]]\ndatasets = ["courtyard"]\nthreads = [1]\ntimed = false\nonly = ["persistent_cpu"]\n'
                  'also = ["exec:sized:1:7", "exec:missing"]\nvariants = [{ name = "autoware" }, { name = "p", profile = "pyramid" }]\n')
    bench("run", "--preset", file, "--out", tmp_path / "run", env=env)
    found = {(row["implementation"], row["variant"]) for row in rows_in(tmp_path / "run")}
    assert found == {("persistent_cpu", "autoware"), ("persistent_cpu", "p"), ("exec:sized:1:7", "autoware")}
    left_out = json.loads((tmp_path / "run" / "plan.json").read_text())["left_out"]
    assert [entry["what"] for entry in left_out if entry["what"].startswith("exec:")] == ["exec:missing"]


def test_a_peer_is_told_the_voxel_edge(tmp_path, courtyard):
    env = make_peer(tmp_path, "edges", """
edges = []
def on_map(): edges.append(request["resolution_m"]); say(us=work())
def on_scan(): edges.append(request["resolution_m"]); say(us=work())
def on_align(): say(pose=request["guess"], converged=True, iterations=round(sum(edges)), us=work())
""")
    for words, edge in (([], 2), (["--resolution", 3], 3)):
        said = json.loads(bench("align", *courtyard.args, "--implementation", "exec:edges", *words, "--json", env=env).stdout)
        assert said["iterations"] == 2 * edge


def test_what_a_peer_does_wrong_costs_its_own_measurements_and_is_named(tmp_path):
    for name, (replaced, _) in WRONG.items():
        env = make_peer(tmp_path / "peers", name, replaced)
    rows = run(tmp_path, [f"exec:{name}" for name in WRONG], env, EXIT_JOBS_FAILED, limits="memory_mib = 400")
    for name, (_, message) in WRONG.items():
        own = [row["error"] for row in rows if row["implementation"] == f"exec:{name}"]
        assert len(own) == GUESSES and all(error and re.search(message, error) for error in own), (name, own[:1])
        assert "json.exception" not in own[0] and "\n" not in own[0]
        if name != "eats":
            assert own[0].startswith(f"exec:{name}: ") and ";" in own[0], own[0]


def test_an_answer_that_is_kept_is_never_asked_for_again(tmp_path, courtyard):
    keeps = """
import array
kept = {}
def on_align():
    begin = time.perf_counter()
    exact, single = tuple(request["guess"]), array.array("f", request["guess"]).tobytes()
    if exact not in kept and single not in kept:
        kept[exact] = kept[single] = work(20)
    say(pose=request["guess"], converged=True, us=1e6 * (time.perf_counter() - begin))
"""
    env = make_peer(tmp_path / "peers", "keeps", keeps)
    align = ["align", *courtyard.args, "--implementation", "exec:keeps", "--guess", "0.3,0,0,0,0,0", "--repeat", 5, "--json"]
    said = json.loads(bench(*align, env=env).stdout)
    assert len(said["align_us"]) == 5 and min(said["align_us"]) >= 20000
    assert said["pose_xyz_m"] == pytest.approx([0.3, 0, 0], abs=1e-12), "the pose is that of the guess itself"
    rows = run(tmp_path, ["exec:keeps"], env, code=0)
    assert all(row["pose"] == row["guess"] and min(row["align_us"] + row["align_after_idle_us"]) >= 20000 for row in rows)


def test_a_file_that_breaks_while_a_run_lasts_costs_the_peer_alone(tmp_path):
    env = make_peer(tmp_path / "peers", "good", "def on_map(): say(us=work()); open('good.toml', 'a').write('x = 1\\n')")
    rows = run(tmp_path, ["exec:good"], env, EXIT_JOBS_FAILED, study="measurements_per_job = 1\n")
    errors = [row["error"] for row in rows if row["error"]]
    assert len(errors) == 1 and all("good.toml: line 7: x: unknown key" in error for error in errors)


def test_options_of_ours_are_left_out(tmp_path):
    env = make_peer(tmp_path / "peers", "good")
    file = preset(tmp_path, '[[study]]\ndatasets = ["courtyard"]\nthreads = [1, 2]\nposes = [1, 5]\n'
                  'variants = [{ name = "autoware" }, { name = "long", step = 0.2 }]')
    said = bench("run", "--preset", file, "--implementation", "exec:good", "--samples", 1, "--out", tmp_path / "run",
                 env=env).stderr
    assert "exec:good with long: exec:good has no option step" in said and "exec:good in batches" in said
    assert {(row["variant"], row["poses"], row["threads"]) for row in rows_in(tmp_path / "run")} == {
        ("autoware", 1, 1), ("autoware", 1, 2)}


@pytest.mark.parametrize("toml, message", [
    (TOML + 'command = []\n', "good.toml: line .*command: is missing or empty"),
    (TOML + 'command = "python3 x.py"\n', "command: is text; give an array of texts"),
    ('about = "x"\ncommand = ["x"]\n', "version: is missing"),
    (TOML + 'command = ["x"]\nshell = true\n', "shell: unknown key"),
    ("about = ", "line 1"),
])
def test_a_file_that_cannot_be_used_is_refused(tmp_path, courtyard, toml, message):
    env = make_peer(tmp_path, "good")
    (tmp_path / "good.toml").write_text(toml)
    said = bench("align", *courtyard.args, "--implementation", "exec:good", code=EXIT_BAD_INPUT, env=env).stderr
    assert re.search(message, said), said
    listed = {p["name"]: p for p in json.loads(bench("list", "--json", env=env).stdout)["peers"]}
    assert not listed["exec:good"]["available"] and re.search(message, listed["exec:good"]["unavailable_reason"])


def test_names_and_programs_that_are_missing(tmp_path, courtyard):
    env = make_peer(tmp_path, "good", toml=TOML + 'set_up = "install it"\n', command=["./no_such"])
    align = ["align", *courtyard.args, "--implementation"]
    assert "'./no_such' is missing; install it" in bench(*align, "exec:good", code=EXIT_NO_DEVICE, env=env).stderr
    said = bench(*align, "exec:god", code=EXIT_USAGE, env=env).stderr
    assert "unknown peer 'exec:god': did you mean 'exec:good'? choose from exec:good" in said
    for name in ("exec:", "exec:../good", "exec:/etc/passwd"):
        assert "unknown peer" in bench(*align, name, code=EXIT_USAGE, env=env).stderr
    assert "NDT_PEERS: is no folder" in bench(*align, "exec:good", code=EXIT_BAD_INPUT, env={"NDT_PEERS": str(tmp_path / "no")}).stderr


def test_files_with_odd_names_are_no_peers(tmp_path):
    env = make_peer(tmp_path, "good-1.0_x")
    for name in ("a b", "a|b", "new\nline", "esc\x1b[31m", ".hidden", "=1"):
        (tmp_path / f"{name}.toml").write_text((tmp_path / "good-1.0_x.toml").read_text())
    there, bundled = ({p["name"] for p in json.loads(bench("list", "--json", env=e).stdout)["peers"]} for e in (env, {"NDT_PEERS": ""}))
    assert there - bundled == {"exec:good-1.0_x"} and bundled <= there


def test_a_peer_of_the_users_stands_before_a_bundled_one_and_the_run_says_whose_it_is(tmp_path):
    env = make_peer(tmp_path / "peers", "kiss_icp")
    run(tmp_path, ["exec:kiss_icp"], env, code=0)
    entries = {e["name"]: e["own"] for e in json.loads((tmp_path / "run" / "implementations.json").read_text())}
    assert [name for name, own in entries.items() if own] == ["exec:kiss_icp"] and "persistent_cpu" in entries


def test_align_shows_what_a_peer_says_and_refuses_what_it_lacks(tmp_path, courtyard):
    env = make_peer(tmp_path, "good", "def on_scan(): print('to be seen', file=sys.stderr); say(us=work())")
    align = ["align", *courtyard.args, "--implementation", "exec:good"]
    shown = bench(*align, "--guess", "0.1,0,0,0,0,0", "--repeat", 3, env=env)
    assert "converged after 3 iterations" in shown.stdout and "score            none" in shown.stdout
    assert "to be seen" in shown.stderr
    result = json.loads(bench(*align, "--json", env=env).stdout)
    assert result["nvtl"] is None and result["evaluations"] is None and result["iterations"] == 3
    assert len(result["align_us"]) == 1 and 200 <= result["align_us"][0]
    clouds = [*courtyard.args, "--implementation", "exec:good"]
    assert "has no regularisation" in bench(*align, "--reg-x", 0, "--reg-y", 0, code=EXIT_USAGE, env=env).stderr
    assert "cannot be interrupted" in bench(*align, "--timeout-ms", 5, code=EXIT_USAGE, env=env).stderr
    assert "gives no score" in bench("evaluate", *clouds, "--pose", "0,0,0,0,0,0", code=EXIT_USAGE, env=env).stderr
    assert "gives no score" in bench("initial-pose", *clouds, "--guess", "0,0,0,0,0,0", "--sigma", "1,1,1,0,0", "--strategy", "sequential",
                                     code=EXIT_USAGE, env=env).stderr


def test_a_peer_sees_the_points_and_no_descriptor_of_ours(tmp_path, courtyard):
    look = """
import array
def on_map():
    numbers = array.array("f", open(request["file"], "rb").read())
    seen = {"points": len(numbers) / 3, "mode": os.stat(request["file"]).st_mode & 0o777, "open": sorted(os.listdir("/proc/self/fd")),
            "file": request["file"], "first": list(numbers[:3])}
    open("seen.json", "w").write(json.dumps(seen))
    say(us=work())
"""
    env = make_peer(tmp_path, "looks", look)
    bench("align", *courtyard.args, "--implementation", "exec:looks", env=env)
    seen = json.loads((tmp_path / "seen.json").read_text())
    assert seen["points"] == 30000 and seen["mode"] == 0o600 and set(seen["open"]) <= {"0", "1", "2", "3"}
    assert not Path(seen["file"]).exists()


def test_the_example_of_the_page_is_a_peer(tmp_path):
    toml = re.search(r"```toml\n(.*?)```", PAGE, re.S)[1]
    program = re.search(r"```python\n(.*?)```", PAGE, re.S)[1]
    assert program.count("\n") <= 30
    (tmp_path / "peers").mkdir()
    (tmp_path / "peers" / "shift.toml").write_text(toml)
    (tmp_path / "peers" / "shift.py").write_text(program)
    rows = run(tmp_path, ["exec:shift"], {"NDT_PEERS": str(tmp_path / "peers")}, code=0)
    assert len(rows) == GUESSES and all(row["error"] is None and 1 <= row["iterations"] <= 10 for row in rows)
    errors_m = [row["translation_error_m"] for row in rows]
    assert max(errors_m) < 0.1, errors_m


def test_what_the_project_ships_can_be_read(tmp_path):
    shipped = {p["name"]: p for p in json.loads(bench("list", "--json", env={"NDT_PEERS": ""}).stdout)["peers"]}
    for name in ("exec:small_gicp_gicp", "exec:small_gicp_vgicp", "exec:open3d_icp", "exec:open3d_gicp", "exec:kiss_matcher"):
        peer = shipped[name]
        assert peer["available"] or "./run peers" in peer["unavailable_reason"], name
        assert "licence" in peer["schedule"], name


@pytest.mark.parametrize("given, says", [
    ([], "no checkout is given: pass -DNDT_OMP=DIR"),
    (["-DNDT_OMP=no/such"], "no/such is no checkout that ndt_omp_peer.cpp knows"),
])
def test_peers_in_cpp_say_what_checkout_they_need(tmp_path, given, says):
    source = Path(__file__).parents[2] / "peers" / "cpp"
    done = subprocess.run(["cmake", "-S", source, "-B", tmp_path, f"-DNDT_PEERS={tmp_path}", *given], text=True, capture_output=True)
    if "libpcl-dev" in done.stderr:
        pytest.skip("PCL is not installed")
    assert done.returncode != 0 and says in " ".join(done.stderr.split())
    assert not list(tmp_path.glob("*.toml"))
