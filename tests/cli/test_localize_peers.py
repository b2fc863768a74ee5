"""localize with a peer from outside: chained by constant velocity, judged by what it calls converged."""

import json

import numpy as np
import pytest
from conftest import EXIT_JOBS_FAILED, EXIT_OK, EXIT_USAGE, bench, refusal
from localizations import Folder, localize
from test_peers import TOML, make_peer

WRONG, FAILED = 5, 6  # scans that it puts 2 m beside the truth, and that it calls not converged
# Knows the truth, keeps what it is asked, and takes 2 ms for an alignment and 1 ms for a scan.
KNOWING = f"""
truth = json.load(open("truth.json"))
asked = []

def on_map():
    keep("map", os.path.getsize(request["file"]) // 12)
    say(us=work())

def on_scan():
    keep("scan", os.path.getsize(request["file"]) // 12)
    say(us=work(1))

def keep(what, value):
    with open("asked.jsonl", "a") as file:
        file.write(json.dumps([what, value]) + "\\n")

def on_align():
    if not asked or asked[-1] != request["guess"]:
        asked.append(request["guess"])
        keep(request["do"], request["guess"])
    k = len(asked) - 1
    pose = list(truth[k])
    pose[3] += 2 if k == {WRONG} else 0
    say(pose=pose, converged=k != {FAILED}, us=work(2))

on_follow = on_align
"""


def poses_of(file):
    """4x4 matrices of a file of kitti_line()."""
    rows = np.loadtxt(file).reshape(-1, 3, 4)
    return np.concatenate([rows, np.tile([[[0, 0, 0, 1]]], (len(rows), 1, 1))], axis=1)


@pytest.fixture
def knowing(town, tmp_path):
    """(environment, what reads what it was asked) of a peer that has the true poses."""
    rows = [[float(n) for n in line.split()] for line in (town / "truth.tum").read_text().splitlines() if line[0] != "#"]
    assert len(rows) == 8
    env = make_peer(tmp_path / "peers", "knowing", KNOWING)
    (tmp_path / "peers" / "truth.json").write_text(json.dumps([matrix_of(row) for row in rows]))
    return env, lambda: [json.loads(line) for line in (tmp_path / "peers" / "asked.jsonl").read_text().splitlines()]


def matrix_of(row):
    _, x, y, z, qx, qy, qz, qw = row
    return [1 - 2 * (qy * qy + qz * qz), 2 * (qx * qy - qz * qw), 2 * (qx * qz + qy * qw), x,
            2 * (qx * qy + qz * qw), 1 - 2 * (qx * qx + qz * qz), 2 * (qy * qz - qx * qw), y,
            2 * (qx * qz - qy * qw), 2 * (qy * qz + qx * qw), 1 - 2 * (qx * qx + qy * qy), z, 0, 0, 0, 1]


def chained(town, out, env, *args, name="exec:knowing", code=EXIT_OK):
    words = ["--implementation", name, "--prediction", "constant_velocity", "--gnss", "none", *args]
    done = bench("localize", "--scans", town, "--out", out, *words, env=env, code=code)
    return Folder(out), done


def test_a_peer_is_chained_and_judged_by_its_own_convergence(town, tmp_path, knowing):
    env, asked = knowing
    got, done = chained(town, tmp_path / "out", env)
    verdicts = [frame["verdict"] for frame in got.frames]
    assert verdicts == ["doubtful" if k == FAILED else "ok" for k in range(8)]
    assert [frame["source"] for frame in got.frames] == ["predicted" if k == FAILED else "aligned" for k in range(8)]
    errors = [float(frame["error_m"]) for frame in got.frames]
    assert max(errors[:WRONG]) < 1e-4 and abs(errors[WRONG] - 2) < 1e-4 and errors[FAILED] > 0.1 and errors[7] < 1e-4
    guesses = [np.reshape(value, (4, 4)) for what, value in asked() if what == "align"]
    poses = poses_of(tmp_path / "out" / "poses_kitti.txt")
    for k in range(2, WRONG + 1):  # scans are 0.5 s apart, so a velocity is the last motion once more
        assert np.allclose(guesses[k], poses[k - 1] @ np.linalg.inv(poses[k - 2]) @ poses[k - 1], atol=0.02), k
    assert np.allclose(poses[FAILED], guesses[FAILED], atol=1e-4), "what did not converge is not used"
    for frame, record in zip(got.frames, got.diagnostics):
        assert 3 <= float(frame["execution_ms"]) < 50 and frame["execution_ms"] == frame["align_ms"]
        assert all(frame[key] == "" for key in ("nvtl", "iterations", "condition_number", "variance_x_m2"))
        assert record["nearest_voxel_transformation_likelihood"] is record["iteration_num"] is record["covariance"] is None
    assert "scans            8 of town_small: 7 ok, 1 doubtful, 0 lost" in done.stdout and "not judged" not in done.stderr
    assert json.loads((tmp_path / "out" / "localization.json").read_text())["implementation"] == "exec:knowing"


def test_a_peer_sees_what_the_others_see(town, tmp_path, knowing):
    env, asked = knowing
    filters = ["--map-voxel-leaf", 1.5, "--scan-min-range", 6, "--scan-voxel-leaf", 0.8, "--every", 3]
    chained(town, tmp_path / "out", env, *filters)
    own, _ = localize(town, tmp_path / "other", *filters)
    assert [value for what, value in asked() if what == "scan"] == [d["sensor_points_size"] for d in own.diagnostics]
    points = json.loads((tmp_path / "other" / "localization.json").read_text())["map_points"]
    assert [value for what, value in asked() if what == "map"] == [points] and len(own.frames) == 3


def test_a_peer_that_follows_is_asked_so_and_not_measured(town, tmp_path, knowing):
    env, asked = knowing
    make_peer(tmp_path / "peers", "following", KNOWING, TOML + 'answers = ["follow"]\n')
    chained(town, tmp_path / "out", env, name="exec:following")
    assert {what for what, _ in asked()} == {"map", "scan", "follow"}
    said = bench("run", "--preset", "smoke", "--implementation", "exec:following", "--implementation", "persistent_cpu", "--dataset", "courtyard",
                 "--plan-only", tmp_path / "plan.json", env=env)
    assert "it only follows recordings" in said.stdout + said.stderr


def test_a_peer_that_never_converges_is_lost_where_it_began(town, tmp_path):
    env = make_peer(tmp_path / "peers", "hopeless", 'def on_align(): say(pose=request["guess"], converged=False, us=work())')
    got, _ = chained(town, tmp_path / "out", env, name="exec:hopeless", code=EXIT_JOBS_FAILED)
    assert [frame["verdict"] for frame in got.frames] == ["doubtful"] * 4 + ["lost"] * 4
    poses = poses_of(tmp_path / "out" / "poses_kitti.txt")
    assert np.ptp(poses, axis=0).max() == 0 and all(frame["search_attempt"] == "" for frame in got.frames)


@pytest.mark.parametrize("args, said", [
    (["--least-score", 2], "--least-score requires scores, which exec:hopeless does not give"),
    (["--recovery-particles", 9], "--recovery-particles requires scores"), (["--debug-iterations"], "--debug-iterations requires scores"),
    (["--init", "search"], "--init search requires scores"), (["--profile", "pyramid"], "exec:hopeless has no option"),
    (["--implementation", "exec:searching"], "exec:searching only searches for the initial pose"),
])
def test_what_needs_scores_is_refused(town, tmp_path, args, said):
    make_peer(tmp_path / "peers", "hopeless")
    env = make_peer(tmp_path / "peers", "searching", toml=TOML + 'answers = ["search"]\n')
    words = args if "--implementation" in args else [*args, "--implementation", "exec:hopeless"]
    done = bench("localize", "--scans", town, "--out", tmp_path / "out", *words, env=env, code=EXIT_USAGE)
    assert said in done.stderr and not (tmp_path / "out").exists()


def test_a_start_may_be_the_truth_or_beside_it(town, tmp_path):
    truth = [float(n) for n in (town / "truth.tum").read_text().splitlines()[1].split()]
    got, _ = localize(town, tmp_path / "a", "--init", "truth")
    assert np.allclose(got.diagnostics[0]["predicted_xyz_m"], truth[1:4], atol=1e-9)
    got, _ = localize(town, tmp_path / "b", "--init", "truth,1,0.5,0,0,0,0.2")
    beside = np.subtract(got.diagnostics[0]["predicted_xyz_m"], truth[1:4])
    yaw = 2 * np.arctan2(truth[6], truth[7])
    assert np.allclose(beside[:2], [np.cos(yaw) - 0.5 * np.sin(yaw), np.sin(yaw) + 0.5 * np.cos(yaw)], atol=0.02)
    assert abs(np.angle(np.exp(1j * (got.diagnostics[0]["predicted_rpy_rad"][2] - yaw - 0.2)))) < 0.01
    scans = ["localize", "--scans", town / "scans", "--map", town / "map.pcd", "--out", tmp_path / "c"]
    assert "--init truth: the first scan of" in refusal(*scans, "--init", "truth", code=EXIT_USAGE)


def test_every_nth_scan_is_taken(town, tmp_path):
    got, _ = localize(town, tmp_path / "a", "--every", 3)
    assert [frame["scan"] for frame in got.frames] == ["000000", "000003", "000006"]
    assert [float(frame["stamp_s"]) for frame in got.frames] == [0, 1.5, 3] and all(float(f["error_m"]) < 0.1 for f in got.frames)
    assert "--every = 0: must be in [1, " in refusal("localize", "--scans", town, "--out", tmp_path / "b", "--every", 0, code=EXIT_USAGE)
