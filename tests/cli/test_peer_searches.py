"""Searches for the initial pose in a run: of peers from outside, in their own way, and ours, as initial-pose finds it."""

import json
import math
import re

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_JOBS_FAILED, EXIT_USAGE, bench, rows_in
from test_peers import TOML, make_peer
from test_run import preset

SEEKS = TOML + 'answers = ["search"]\n'
SEARCH = """
def on_search():
    assert len(request["sigma"]) == 5 and request["threads"] >= 1
    print("seed", request["seed"], file=sys.stderr, flush=True)
    say(pose=request["guess"], reliable=request["seed"] % 2 == 0, us=work())
"""
PRIOR = ["--guess", "0.5,-0.4,0,0,0,2", "--sigma", "1,1,0.1,0.01,0.01"]
STUDIES = """
[limits]
measurement_s = 30
[[study]]
datasets = ["courtyard"]
threads = [1]
seeds = 3
sigma = [1, 1, 0.1, 0.01, 0.01]
searches = [
  { name = "ours", strategy = "sequential", particles = 4, startup = 4, implementations = ["persistent_cpu"] },
  { name = "own", particles = 4, startup = 4, implementations = ["exec:*"] },
]
[[study]]
datasets = ["courtyard"]
threads = [1]
[[study.scatters]]
guesses = 2
"""
ANYWHERE = SEARCH + """
def on_anywhere():
    assert "guess" not in request and "sigma" not in request and request["threads"] >= 1
    say(pose=[1, 0, 0, 7, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], reliable=True, us=work())
"""
OF_THE_MAP = """
[[study]]
datasets = ["courtyard"]
threads = [1]
seeds = 2
variants = [{ name = "pyramid", profile = "pyramid" }, { name = "pyramid at 1 m", profile = "pyramid", resolution = 1 }]
prior = "map"
searches = [
  { name = "own map", implementations = ["exec:*"] },
  { name = "anywhere map", method = "anywhere", particles = 4, implementations = ["persistent_cpu"] },
]
"""
WRONG = {
    "no_pose": ("say(reliable=True, us=work())", "give pose .16 numbers, row by row., reliable"),
    "not_rigid": ("say(pose=[2.0] * 16, us=work())", "answered 'search' with a pose that is not rigid"),
    "not_sure": ("say(pose=request['guess'], reliable='yes', us=work())", "a key is missing or of another type"),
    # Long, so that waiting for a core, which is not held against a peer, cannot explain it.
    "too_slow_clock": ("work(200); say(pose=request['guess'], us=5.0)", "says that 'search' took 5 us, but"),
    "too_fast_clock": ("say(pose=request['guess'], us=1e9)", "says that 'search' took 1e[+]09 us, but"),
    "gives_up": ("say(error='too few features')", "says of 'search': too few features"),
    "dies": ("os._exit(3)", "exit code 3 when asked to 'search'"),
}


@pytest.fixture
def roamer(tmp_path):
    """Two peers, of which one needs no guess."""
    make_peer(tmp_path / "peers", "seeks", SEARCH, SEEKS)
    return make_peer(tmp_path / "peers", "roams", ANYWHERE, TOML + 'answers = ["search", "anywhere"]\n')


@pytest.fixture
def seeker(tmp_path):
    make_peer(tmp_path / "peers", "aligns")
    return make_peer(tmp_path / "peers", "seeks", SEARCH, SEEKS)


def run(tmp_path, names, env, code=0):
    words = [word for name in [*names, "persistent_cpu"] for word in ("--implementation", name)]
    said = bench("run", "--preset", preset(tmp_path, STUDIES), *words, "--samples", 2, "--out", tmp_path / "run", code=code, env=env)
    rows = rows_in(tmp_path / "run")
    own = [row for row in rows if row["implementation"] == "persistent_cpu"]
    assert len(own) == 3 + 2 and all(row["error"] is None for row in own), "the other measurements are intact"
    return said.stderr, [row for row in rows if row["implementation"] != "persistent_cpu"]


def test_a_peer_searches_from_the_same_priors_as_the_others(tmp_path, seeker):
    said, rows = run(tmp_path, ["exec:seeks"], seeker)
    assert "left out: exec:seeks in alignments: it only searches for the initial pose" in said
    ours = {row["guess_name"]: row for row in rows_in(tmp_path / "run") if row["search"] and row["search"]["name"] == "ours"}
    assert len(rows) == 3 and {row["guess_name"] for row in rows} == set(ours)
    for row in rows:
        search = row["search"]
        assert row["guess"] == ours[row["guess_name"]]["guess"] and row["error"] is None
        assert row["pose"] == pytest.approx(row["guess"], abs=1e-12), "of the first search; later ones begin beside it"
        assert (search["name"], search["strategy"], search["method"], search["particles"]) == ("own", "own", "own", 0)
        assert search["reliable"] == (search["seed"] % 2 == 0) and search["improvements"] == [] and search["paths"] is None
        assert row["nvtl"] is None and row["iterations"] is None and row["translation_error_m"] > 0
        assert len(row["align_us"]) >= 2 and min(row["align_us"]) >= 200 and row["prepare_us"] >= 200 and row["pipe_us"] > 0
    bench("report", tmp_path / "run", env=seeker)
    page = (tmp_path / "run" / "report.html").read_text()
    assert re.search("exec:seeks own: 0 of 3 searches .* succeed, median .* ms; of 2 called reliable 2 are wrong", page)


def test_a_peer_without_a_search_is_left_out_of_searches_with_the_reason(tmp_path, seeker):
    said, rows = run(tmp_path, ["exec:aligns"], seeker)
    assert "left out: exec:aligns in search own: it gives no score, and has no search of its own" in said
    assert len(rows) == 2 and all(row["search"] is None for row in rows)


def test_a_preset_may_name_a_peer_and_is_refused_where_there_is_none(tmp_path, seeker):
    file = tmp_path / "named.toml"
    file.write_text("description = 'd'\n[[study]]\ndatasets = ['courtyard']\nthreads = [1]\nseeds = 2\n"
                    "searches = [{ name = 'a', implementations = ['exec:seeks'] }]\n")
    bench("run", "--preset", file, "--implementation", "exec:seeks", "--samples", 1, "--out", tmp_path / "run", env=seeker)
    assert len(rows_in(tmp_path / "run")) == 2
    file.write_text(file.read_text().replace("exec:seeks", "exec:no"))
    assert "'a' cannot be run: unknown peer 'exec:no'" in bench("run", "--preset", file, code=EXIT_BAD_INPUT, env=seeker).stderr


def test_what_a_search_does_wrong_costs_its_own_measurements_and_is_named(tmp_path):
    for name, (wrong, _) in WRONG.items():
        env = make_peer(tmp_path / "peers", name, f"def on_search(): {wrong}", SEEKS)
    _, rows = run(tmp_path, [f"exec:{name}" for name in WRONG], env, EXIT_JOBS_FAILED)
    for name, (_, message) in WRONG.items():
        errors = [row["error"] for row in rows if row["implementation"] == f"exec:{name}"]
        assert len(errors) == 3 and all(re.search(message, error or "") for error in errors), (name, errors[:1])
        assert all(error.startswith(f"exec:{name}: ") for error in errors)


def test_initial_pose_takes_a_peer(seeker, courtyard):
    search = ["initial-pose", *courtyard.args, *PRIOR, "--implementation", "exec:seeks"]
    shown = bench(*search, env=seeker)
    for line in ("implementation   exec:seeks", "search           in the peer's own way, seed 0", "verdict          reliable, says exec:seeks",
                 "position         x 0.5"):
        assert line in shown.stdout, line
    assert "particle" not in shown.stdout and "runner-up" not in shown.stdout and "seed 0" in shown.stderr
    found = json.loads(bench(*search, "--seed", 2**64 - 1, "--json", env=seeker).stdout)
    assert (found["strategy"], found["method"], found["startup"], found["reliable"]) == ("own", "own", None, False)
    assert len(found["particles"]) == 1 and found["best"]["nvtl"] is None and found["seed"] == 2**64 - 1
    assert found["best"]["pose_xyz_m"] == pytest.approx([0.5, -0.4, 0]) and found["search_us"] >= 200 and found["build_us"] >= 200


def test_a_peer_may_search_the_whole_map_and_one_that_needs_a_guess_is_left_out(tmp_path, roamer):
    file = tmp_path / "map.toml"
    file.write_text("description = 'd'\n" + OF_THE_MAP)
    words = [word for name in ("exec:seeks", "exec:roams", "persistent_cpu") for word in ("--implementation", name)]
    said = bench("run", "--preset", file, *words, "--samples", 1, "--out", tmp_path / "run", env=roamer).stderr
    assert "left out: exec:seeks in search own map: it requires a guess to search around" in said
    rows = rows_in(tmp_path / "run")
    assert sorted(row["implementation"] for row in rows) == 2 * ["exec:roams"] + 4 * ["persistent_cpu"]
    assert all(row["error"] is None and row["search"]["prior"] == "map" for row in rows)
    own = [row for row in rows if row["search"]["name"] == "own map"]
    assert {row["variant"] for row in own} == {"autoware"}, "profiles are not for peers, which search once for all variants that have one"
    assert all(row["pose"][3] == pytest.approx(7) and row["search"]["reliable"] and row["translation_error_m"] > 1 for row in own)


def test_initial_pose_takes_a_peer_without_a_guess(roamer, courtyard):
    search = ["initial-pose", *courtyard.args, "--prior", "map", "--implementation"]
    found = json.loads(bench(*search, "exec:roams", "--json", env=roamer).stdout)
    assert (found["prior"], found["prior_sigma"], found["anywhere"]) == ("map", None, None)
    assert found["best"]["pose_xyz_m"] == pytest.approx([7, 0, 0]) and found["reliable"]
    said = bench(*search, "exec:seeks", code=EXIT_USAGE, env=roamer).stderr
    assert "exec:seeks: it requires a guess to search around; give --guess and --sigma" in said


@pytest.mark.parametrize("words, says", [
    (["--particles", 10], "exec:seeks has its own search, which cannot use --particles; remove the option"),
    (["--strategy", "sequential"], "cannot use --strategy; remove the option"),
    (["--profile", "textbook"], "exec:seeks has no option"),
    (["--timeout-ms", 5], "cannot be interrupted"),
])
def test_options_of_our_searches_are_refused(seeker, courtyard, words, says):
    search = ["initial-pose", *courtyard.args, *PRIOR, "--implementation", "exec:seeks"]
    assert says in bench(*search, *words, code=EXIT_USAGE, env=seeker).stderr


def test_a_peer_that_only_searches_does_not_align(seeker, courtyard):
    said = bench("align", *courtyard.args, "--implementation", "exec:seeks", code=EXIT_USAGE, env=seeker).stderr
    assert "exec:seeks searches for the initial pose and does not align" in said


@pytest.mark.parametrize("answers, wrong", [
    ("[]", "is no list of align, follow, search and anywhere; give"),
    ('["align", "align"]', "is no list of align, follow, search and anywhere; give"),
    ('["find"]', "is no list of align, follow, search and anywhere; give"),
    ('["align", "search", "nothing"]', "is no list of align, follow, search and anywhere; give"),
    ('["align", "anywhere"]', "has anywhere without search; let the peer answer search, too"),
])
def test_answers_are_of_the_three_that_there_are(tmp_path, courtyard, answers, wrong):
    env = make_peer(tmp_path, "odd", SEARCH, TOML + f"answers = {answers}\n")
    said = bench("align", *courtyard.args, "--implementation", "exec:odd", code=EXIT_BAD_INPUT, env=env).stderr
    assert re.search(rf"odd.toml: line \d+: answers: {wrong}", said), said


def test_a_peer_may_do_both(tmp_path, courtyard):
    env = make_peer(tmp_path, "both", SEARCH, TOML + 'answers = ["align", "search"]\n')
    bench("align", *courtyard.args, "--implementation", "exec:both", env=env)
    bench("initial-pose", *courtyard.args, *PRIOR, "--implementation", "exec:both", env=env)


def test_kiss_matcher_finds_a_pose_or_says_that_it_has_none(courtyard):
    env = {"NDT_PEERS": ""}
    (peer,) = [p for p in json.loads(bench("list", "--json", env=env).stdout)["peers"] if p["name"] == "exec:kiss_matcher"]
    if not peer["available"]:
        assert "./run peers installs it" in peer["unavailable_reason"]
        pytest.skip(peer["unavailable_reason"])
    found = json.loads(bench("initial-pose", *courtyard.args, *PRIOR, "--implementation", "exec:kiss_matcher", "--json", env=env).stdout)
    assert found["reliable"] in (True, False) and found["search_us"] > 1000
    near = max(abs(v) for v in found["best"]["pose_xyz_m"]) < 0.5
    assert near or not found["reliable"], found["best"]


# --- ours ---

def test_searches_anywhere_of_a_run_find_what_initial_pose_finds(tmp_path, courtyard):
    """From priors of two widths and in the whole map; the page has them as a ladder."""
    study = """
[[study]]
datasets = ["courtyard"]
threads = [2]
timed = false
variants = [{{ name = "pyramid", profile = "pyramid" }}]
seeds = 1
{prior}
searches = [{{ name = "anywhere {name}", method = "anywhere", particles = 5, implementations = ["persistent_cpu"] }}]
"""
    priors = {"1 m": "sigma = [1, 1, 0.1, 0, 0]", "3 m": "sigma = [3, 3, 0.1, 0, 0]"}
    priors["map"] = "prior = 'map'\nsigma = [0, 0, 0, 0, 0]"
    text = "".join(study.format(name=name, prior=prior) for name, prior in priors.items())
    (tmp_path / "ladder.toml").write_text('description = "a ladder"' + text)
    bench("run", "--preset", tmp_path / "ladder.toml", "--out", tmp_path / "run")
    rows = {row["search"]["name"]: row for row in map(json.loads, (tmp_path / "run/results.jsonl").read_text().splitlines())}
    assert set(rows) == {f"anywhere {name}" for name in priors} and not any(row["error"] for row in rows.values())
    row = rows["anywhere map"]
    assert row["search"]["prior"] == "map" and rows["anywhere 1 m"]["search"]["prior"] is None
    yaw = math.atan2(row["guess"][4], row["guess"][0])
    words = ["--prior", "map", "--guess", f"0,0,0,0,0,{yaw!r}", "--particles", 5, "--json"]
    alone = json.loads(bench("initial-pose", *courtyard.args, *words).stdout)
    search, anywhere = row["search"], alone["anywhere"]
    assert search["places"] == len(anywhere["places"]) and search["coverage"] == anywhere["coverage"] == 1
    assert (search["place_cell_m"], search["pyramid_bytes"]) == (anywhere["cell_m"], anywhere["pyramid_bytes"])
    assert search["verdict"] == alone["verdict"] and 0 < search["coarse_us"] < row["align_us"][0] and search["pyramid_us"] > 0
    assert row["nvtl"] == pytest.approx(alone["best"]["nvtl"], rel=1e-6)
    bench("report", tmp_path / "run")
    page = (tmp_path / "run/report.html").read_text()
    said = "Initial pose on courtyard, prior of the whole map: persistent_cpu, anywhere, 1 of 1 searches succeed"
    assert "The less one knows" in page and said in page
