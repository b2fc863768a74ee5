"""Trajectory errors: cases worked out by hand, and agreement with evo."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

np = pytest.importorskip("numpy", reason="skipped for want of numpy (Debian: python3-numpy)")

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "reports"))

from ndt_report.judge import trajectory  # noqa: E402

EXACT = 1e-12
EVO = 1e-9  # relative to the larger of 1 and the value


def poses(positions, yaws_deg=None):
    out = np.tile(np.eye(4), (len(positions), 1, 1))
    out[:, :3, 3] = positions
    for pose, yaw in zip(out, np.radians(np.zeros(len(out)) if yaws_deg is None else yaws_deg)):
        pose[:2, :2] = [[math.cos(yaw), -math.sin(yaw)], [math.sin(yaw), math.cos(yaw)]]
    return out


def line(n, step=1.0):
    return poses([[step * i, 0, 0] for i in range(n)])


def rotation_of(vector):
    """exp of a rotation vector [Rodrigues]."""
    angle = np.linalg.norm(vector)
    if angle == 0:
        return np.eye(3)
    x, y, z = np.asarray(vector) / angle
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k


def drive(rng, n):
    """A car's path: about a metre a frame, slow turns, and small errors in all six degrees of freedom added
    up."""
    truth, estimate = [np.eye(4)], [np.eye(4)]
    yaw_rate = np.cumsum(rng.normal(0, 0.004, n)) * 0.2
    for i in range(n - 1):
        motion = np.eye(4)
        motion[:3, :3] = rotation_of([0, 0, yaw_rate[i]] + rng.normal(0, 0.002, 3))
        motion[:3, 3] = [rng.uniform(0.3, 1.5), rng.normal(0, 0.02), rng.normal(0, 0.02)]
        error = np.eye(4)
        error[:3, :3] = rotation_of(rng.normal(0, 0.001, 3))
        error[:3, 3] = rng.normal(0, 0.01, 3)
        truth.append(truth[-1] @ motion)
        estimate.append(estimate[-1] @ motion @ error)
    return np.array(truth), np.array(estimate)


def tum(file):
    """Poses of a TUM file."""
    out = []
    for x, y, z, *q in np.loadtxt(file)[:, 1:]:
        q = np.array(q) / np.linalg.norm(q)
        pose = np.eye(4)
        vector = q[:3] * (
            0 if not q[:3].any() else 2 * math.atan2(np.linalg.norm(q[:3]), q[3]) / np.linalg.norm(q[:3])
        )
        pose[:3, :3], pose[:3, 3] = rotation_of(vector), [x, y, z]
        out.append(pose)
    return np.array(out)


# --- by hand
# ---


def test_ate_is_the_distance_of_the_positions():
    truth = line(4)
    estimate = truth.copy()
    estimate[:, :3, 3] += [[0, 0, 0], [3, 4, 0], [0, 0, 1], [0, 2, 0]]  # 0, 5, 1, 2 m away
    got = trajectory.ate(truth, estimate)
    assert got == pytest.approx(
        {"rmse_m": math.sqrt(30 / 4), "mean_m": 2, "median_m": 1.5, "max_m": 5, "poses": 4}, abs=EXACT
    )


def test_ate_after_alignment_ignores_where_a_trajectory_starts():
    truth, _ = drive(np.random.default_rng(3), 50)
    moved = poses([[7, -2, 1]], [130])[0] @ truth
    assert trajectory.ate(truth, moved)["rmse_m"] > 1
    assert trajectory.ate(truth, moved, align=True)["max_m"] == pytest.approx(0, abs=1e-11)


def test_alignment_takes_the_mean_offset_and_no_scale():
    truth = line(3)
    estimate = poses([[-1, 5, 0], [1, 5, 0], [3, 5, 0]])  # twice as long, 5 m beside; the middles coincide
    got = trajectory.ate(truth, estimate, align=True)
    assert got["rmse_m"] == pytest.approx(math.sqrt(2 / 3), abs=EXACT)
    assert got["max_m"] == pytest.approx(1, abs=EXACT)


def test_alignment_never_mirrors():
    corners = np.array([[0, 0, 0], [4, 0, 0], [0, 2, 0], [0, 0, 1.0]])
    rotation, _ = trajectory.umeyama(corners * [1, 1, -1], corners)
    assert np.linalg.det(rotation) == pytest.approx(1, abs=EXACT)
    assert rotation @ rotation.T == pytest.approx(np.eye(3), abs=EXACT)


def test_rpe_sees_one_wrong_step_once_and_a_wrong_turn_from_then_on():
    truth = line(5)
    shifted = truth.copy()
    shifted[2:, 0, 3] += 0.5  # one step of four is 0.5 m too long
    got = trajectory.rpe(truth, shifted)
    assert got["translation_rmse_m"] == pytest.approx(0.25, abs=EXACT) and got[
        "translation_max_m"
    ] == pytest.approx(0.5)
    assert got["rotation_max_deg"] == 0 and got["pairs"] == 4

    turned = poses([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 2, 0]], [0, 90, 90, 90])
    got = trajectory.rpe(
        line(4), turned
    )  # the positions follow the turn, so only one motion of three is wrong
    assert got["rotation_rmse_deg"] == pytest.approx(90 / math.sqrt(3), abs=1e-11)
    assert got["translation_max_m"] == pytest.approx(0, abs=EXACT)


def test_rpe_over_more_frames_pairs_every_frame():
    truth = line(7)
    drifting = line(7, step=1.1)
    got = trajectory.rpe(truth, drifting, delta=5)
    assert got["pairs"] == 2 and got["translation_mean_m"] == pytest.approx(0.5, abs=EXACT)


def test_rpe_of_tiny_and_of_half_turns_is_exact():
    truth, tiny, half = (
        line(2),
        poses([[0, 0, 0], [1, 0, 0]], [0, 1e-9]),
        poses([[0, 0, 0], [1, 0, 0]], [0, 180]),
    )
    assert trajectory.rpe(truth, tiny)["rotation_max_deg"] == pytest.approx(1e-9, rel=1e-9)
    assert trajectory.rpe(truth, half)["rotation_max_deg"] == pytest.approx(180, abs=1e-9)


def test_kitti_of_a_straight_drive_with_a_scale_error():
    truth, estimate = line(301), line(301, step=1.02)
    got = trajectory.kitti(truth, estimate)
    # A sub-sequence ends with the first frame past its length: 101 frames for 100 m, each 2 % too long.
    assert [row["length_m"] for row in got["by_length"]] == list(trajectory.KITTI_LENGTHS_M)
    rows = got["by_length"]
    assert rows[0]["segments"] == 20 and rows[0]["translation_percent"] == pytest.approx(2.02, abs=1e-11)
    assert rows[1]["segments"] == 10 and rows[1]["translation_percent"] == pytest.approx(2.01, abs=1e-11)
    assert rows[2] == {
        "length_m": 300,
        "segments": 0,
        "translation_percent": None,
        "rotation_deg_per_m": None,
    }
    # The total is a mean over sub-sequences, not over lengths.
    assert got["segments"] == 30 and got["translation_percent"] == pytest.approx(
        (20 * 2.02 + 10 * 2.01) / 30, abs=1e-11
    )
    assert got["rotation_deg_per_m"] == pytest.approx(0, abs=EXACT)


def test_kitti_rotation_is_the_turn_over_the_nominal_length():
    truth = line(201)
    estimate = poses([[i, 0, 0] for i in range(201)], [0.01 * i for i in range(201)])
    got = trajectory.kitti(truth, estimate, lengths_m=(50,), step=1)
    assert got["by_length"][0]["segments"] == 150
    assert got["rotation_deg_per_m"] == pytest.approx(0.51 / 50, abs=1e-11)


def test_kitti_of_a_drive_that_is_too_short_has_no_numbers():
    assert trajectory.kitti(line(20), line(20)) | {"by_length": 0} == {
        "segments": 0,
        "translation_percent": None,
        "rotation_deg_per_m": None,
        "by_length": 0,
    }


def test_what_is_no_pair_of_trajectories_is_refused():
    good, broken, skewed = line(3), line(3), line(3)
    broken[1, 0, 3], skewed[2, 0, 0] = math.nan, 1.5
    for call, text in [
        (lambda: trajectory.ate(good, line(4)), "the truth has 3 poses, the estimate 4"),
        (lambda: trajectory.ate(good[0], good), r"truth: shape \(4, 4\); give \(n, 4, 4\)"),
        (lambda: trajectory.ate(good, good[:, :3]), r"estimate: shape \(3, 3, 4\)"),
        (lambda: trajectory.ate(good[:0], good[:0]), r"truth: shape \(0, 4, 4\)"),
        (lambda: trajectory.ate(good, broken), "estimate: pose 1 is not finite"),
        (lambda: trajectory.rpe(skewed, good), "truth: pose 2 is not a rigid motion"),
        (
            lambda: trajectory.rpe(good, good * np.diag([1, 1, -1, 1])),
            "estimate: pose 0 is not a rigid motion",
        ),
        (lambda: trajectory.rpe(good, good, delta=3), "3 poses hold no pair 3 frames apart"),
        (lambda: trajectory.rpe(good, good, delta=0), "delta = 0: must be"),
        (lambda: trajectory.rpe(good, good, delta=1.5), "delta = 1.5: must be"),
        (lambda: trajectory.kitti(good, good, lengths_m=(0,)), "length 0: must be above 0 m"),
        (lambda: trajectory.kitti(good, good, lengths_m=()), "no length was given"),
        (lambda: trajectory.kitti(good, good, step=0), "step = 0: must be"),
    ]:
        with pytest.raises(ValueError, match=text):
            call()


# --- evo
# ---


def evo_answers(tmp_path, truth, estimate, lengths_m, step):
    python = os.environ.get("NDT_EXTRAS_PYTHON")
    if not python:
        pytest.skip(
            "skipped for want of NDT_EXTRAS_PYTHON, an interpreter with tests/requirements-extras.txt"
        )
    if subprocess.run([python, "-c", "import evo"], capture_output=True).returncode:
        pytest.skip(f"skipped for want of evo in {python}")
    file = tmp_path / "trajectories.npz"
    np.savez(file, truth=truth, estimate=estimate, lengths_m=lengths_m, step=step)
    done = subprocess.run(
        [python, HERE / "evo_oracle.py", file],
        capture_output=True,
        text=True,
        env=os.environ | {"HOME": str(tmp_path)},
    )  # evo writes its settings there
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def assert_agreement(tmp_path, truth, estimate, lengths_m, step):
    """Every number both have; of KITTI's metric evo has the parts only."""
    evo = evo_answers(tmp_path, truth, estimate, lengths_m, step)

    def same(ours, theirs, what):
        assert ours == pytest.approx(theirs, rel=EVO, abs=EVO), what

    for align, key in [(False, "ape"), (True, "ape_aligned")]:
        got = trajectory.ate(truth, estimate, align=align)
        for name in ("rmse", "mean", "median", "max"):
            same(got[f"{name}_m"], evo[key][name], (key, name))
    for delta in (1, 5):
        got = trajectory.rpe(truth, estimate, delta)
        for name in ("rmse", "mean", "max"):
            same(got[f"translation_{name}_m"], evo[f"rpe_{delta}_m"][name], (delta, name))
            same(got[f"rotation_{name}_deg"], evo[f"rpe_{delta}_deg"][name], (delta, name))
    got = trajectory.kitti(truth, estimate, lengths_m, step)
    assert got["segments"] == evo["kitti"]["segments"] > 0
    for name in ("translation_percent", "rotation_deg_per_m"):
        same(got[name], evo["kitti"][name], name)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_evo_agrees_on_random_drives(tmp_path, seed):
    truth, estimate = drive(np.random.default_rng(seed), 1200)
    assert_agreement(tmp_path, truth, estimate, trajectory.KITTI_LENGTHS_M, trajectory.KITTI_STEP)


def test_evo_agrees_on_a_drive_in_another_frame(tmp_path):
    truth, estimate = drive(np.random.default_rng(4), 300)
    estimate = poses([[400, -200, 30]], [-75])[0] @ estimate
    assert_agreement(tmp_path, truth, estimate, (20, 100), 3)


def test_evo_agrees_on_a_real_drive(tmp_path):
    if not os.environ.get("NDT_DATASETS"):
        pytest.skip("skipped for want of NDT_DATASETS")
    folder = Path(os.environ["NDT_DATASETS"]) / "kitti00"
    truth, estimate = tum(folder / "poses_scanmatch.tum"), tum(folder / "poses_gnss_ins.tum")
    assert len(truth) == 11 and trajectory.ate(truth, estimate)["max_m"] > 1
    assert_agreement(tmp_path, truth, estimate, (2, 4, 6), 1)
