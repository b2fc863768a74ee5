"""The Python package as its users have it, against the command line. NDT_BENCH: the program; NDT_CLOUDS: folder with map.pcd, scan.pcd."""

import ast
import importlib.metadata
import json
import os
import subprocess
import threading
from pathlib import Path

import ndt
import numpy as np
import pytest

CLOUDS = Path(os.environ["NDT_CLOUDS"])
MAP, SCAN = CLOUDS / "map.pcd", CLOUDS / "scan.pcd"
CAN_RUN = [entry.name for entry in ndt.implementations() if not entry.unavailable_reason]


def bench(*words):
    done = subprocess.run([os.environ["NDT_BENCH"], *map(str, words), "--json"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def pose(x=0.0, y=0.0, z=0.0, yaw=0.0):
    out = np.eye(4)
    out[:2, :2] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]
    out[:3, 3] = x, y, z
    return out


GUESS = pose(0.3, -0.2, 0.1, 0.05)
GUESS_TEXT = ",".join(repr(float(number)) for number in GUESS.ravel())


@pytest.fixture(scope="module")
def clouds():
    return ndt.read_cloud(MAP), ndt.read_cloud(SCAN)


def same(result, answer):
    assert result.map_from_scan.ravel().tolist() == answer["matrix"]
    assert result.stop == answer["stop"] and result.iterations == answer["iterations"]
    assert (result.score, result.nvtl) == (answer["score"], answer["nvtl"])
    assert result.hessian.ravel().tolist() == answer["hessian"]


@pytest.mark.parametrize("name", CAN_RUN)
def test_an_alignment_has_the_bits_of_the_command_line(name, clouds):
    answer = bench("align", "--map", MAP, "--scan", SCAN, "--guess", GUESS_TEXT, "--implementation", name, "--resolution", 1.5,
                   "--neighbours", "direct7")
    result = ndt.Aligner(clouds[0], implementation=name, resolution=1.5, neighbours="direct7").align(clouds[1], GUESS)
    same(result, answer)
    assert result.converged and result.covariance.shape == (2, 2)


def test_a_judgement_is_that_of_the_command_line(clouds):
    options = {"implementation": "persistent_cpu", "profile": "pyramid", "resolution": 1.5}
    aligner = ndt.Aligner(clouds[0], **options)
    judge = ndt.Judge(aligner, clouds[0])
    for guess, verdict in ((GUESS, "ok"), (pose(2, -3, 0, 3.1), "doubtful"), (pose(500), "doubtful")):
        words = [word for name, value in options.items() for word in ("--" + name, value)]
        answer = bench("align", "--map", MAP, "--scan", SCAN, "--guess", ",".join(map(repr, guess.ravel().tolist())), *words)
        judgement = judge(aligner, clouds[1], aligner.align(clouds[1], guess))
        assert judgement.verdict == answer["verdict"] == verdict and judgement.ok == (verdict == "ok")
        assert "; ".join(judgement.reasons) == (answer["doubt"] or "")
        if answer["covariance"] is None:
            assert judgement.covariance is None and guess[0, 3] == 500
        else:
            assert judgement.covariance.shape == (6, 6) and judgement.covariance.ravel().tolist() == answer["covariance"]
            assert np.array_equal(judgement.covariance, judgement.covariance.T)
    late = judge(aligner, clouds[1], aligner.align(clouds[1], GUESS), timeout_ms=1e-6)
    assert late.reasons[0] == "the second look at it was ended before it was finished"
    with pytest.raises(TypeError, match="^scan"):
        judge(aligner, None, aligner.align(clouds[1], GUESS))


def test_profiles_and_lists_are_those_of_the_command_line(clouds):
    answer = bench("align", "--map", MAP, "--scan", SCAN, "--guess", GUESS_TEXT, "--implementation", "persistent_cpu", "--profile",
                   "pyramid", "--levels", "4,1", "--max-iterations", 9)
    aligner = ndt.Aligner(clouds[0], implementation="persistent_cpu", max_iterations=9, levels=(4, 1), profile="pyramid")
    same(aligner.align(clouds[1], GUESS), answer)


def test_a_finish_is_that_of_the_command_line(clouds):
    words = ["--profile", "pyramid", "--finish", "windows", "--finish-window", 0.75, "--finish-min-points", 8,
             "--finish-eigenvalue-ratio", 0.002]
    answer = bench("align", "--map", MAP, "--scan", SCAN, "--guess", GUESS_TEXT, "--implementation", "persistent_cpu", *words)
    options = {"profile": "pyramid", "finish": "windows", "finish_window": 0.75, "finish_min_points": 8, "finish_eigenvalue_ratio": 0.002}
    result = ndt.Aligner(clouds[0], implementation="persistent_cpu", **options).align(clouds[1], GUESS)
    same(result, answer)
    assert (result.finish.step_m, result.finish.score) == (answer["finish"]["step_m"], answer["finish"]["score"])
    assert ndt.Aligner(clouds[0], implementation="persistent_cpu", profile="pyramid").align(clouds[1], GUESS).finish is None
    found = ndt.initial_pose(*clouds, GUESS, sigma=(1, 1, 0.1, 0.01, 0.01), particles=40, seed=3, finish="windows")
    assert 0 < found.best.finish.step_m < 0.1


def forms_of(cloud):
    wide = np.column_stack([cloud, np.full(len(cloud), np.nan, cloud.dtype)])
    return {"float64": cloud.astype(np.float64), "four columns": wide, "columns first": np.asfortranarray(cloud),
            "a part of a wider array": np.column_stack([wide, wide])[:, :3], "reversed twice": cloud[::-1].copy()[::-1],
            "read-only": np.frombuffer(cloud.tobytes(), cloud.dtype).reshape(cloud.shape)}


def test_every_form_of_an_array_is_the_same_cloud(clouds):
    aligner = ndt.Aligner(clouds[0], implementation="persistent_cpu")
    expected = aligner.align(clouds[1], GUESS)
    for name, scan in forms_of(clouds[1]).items():
        assert aligner.align(scan, GUESS).map_from_scan.tobytes() == expected.map_from_scan.tobytes(), name
    for name, cloud in forms_of(clouds[0]).items():
        again = ndt.Aligner(cloud, implementation="persistent_cpu").align(clouds[1], GUESS.astype(np.float64))
        assert again.map_from_scan.tobytes() == expected.map_from_scan.tobytes(), name


def test_a_map_far_from_the_origin_keeps_its_digits(clouds, tmp_path):
    far = clouds[0].astype(np.float64) + [81377.25, 49916.5, 40]
    ndt.write_cloud(tmp_path / "far.pcd", far)
    assert ndt.read_cloud(tmp_path / "far.pcd").dtype == np.float64
    guess = GUESS.copy()
    guess[:3, 3] += [81377.25, 49916.5, 40]
    answer = bench("align", "--map", tmp_path / "far.pcd", "--scan", SCAN, "--guess", ",".join(map(repr, guess.ravel().tolist())),
                   "--implementation", "persistent_cpu")
    same(ndt.Aligner(ndt.read_cloud(tmp_path / "far.pcd"), implementation="persistent_cpu").align(clouds[1], guess), answer)


def test_a_batch_is_its_alignments(clouds):
    aligner = ndt.Aligner(clouds[0], implementation="persistent_cpu")
    guesses = np.stack([GUESS, pose(0.1), pose(500)])
    results = aligner.align_batch(clouds[1], guesses, trace=True)
    for guess, result in zip(guesses, results, strict=True):
        alone = aligner.align(clouds[1], guess)
        assert result.map_from_scan.tobytes() == alone.map_from_scan.tobytes() and result.stop == alone.stop
        assert result.trace.shape == (result.iterations + 1, 4, 4) and np.array_equal(result.trace[0], guess)
        assert alone.trace.shape == (0, 4, 4)
    assert [result.stop for result in results] == ["converged", "converged", "no_overlap"]
    assert results[2].covariance is None


def test_scores_are_those_of_evaluations(clouds):
    aligner = ndt.Aligner(clouds[0], implementation="persistent_cpu")
    poses = np.stack([GUESS, np.eye(4)])
    scores = aligner.score(clouds[1], poses)
    for k, at in enumerate(poses):
        alone = aligner.evaluate(clouds[1], at, point_scores=True)
        assert (scores.nvtl[k], scores.score[k], scores.correspondences[k]) == (alone.nvtl, alone.score, alone.correspondences)
        assert alone.point_scores.shape == (len(clouds[1]),) and alone.point_scores.dtype == np.float32
        assert alone.gradient.shape == (6,) and alone.hessian.shape == (6, 6)


def test_voxels_are_those_of_the_command_line(clouds):
    answer = bench("voxels", "--map", MAP, "--implementation", "persistent_cpu")["voxels"]
    aligner = ndt.Aligner(clouds[0], implementation="persistent_cpu")
    aligner.expect_scan()  # changes nothing
    voxels = aligner.voxels()
    assert voxels["points"].tolist() == [voxel["points"] for voxel in answer]
    assert voxels["mean"].tolist() == [voxel["mean_m"] for voxel in answer]
    assert np.array_equal(voxels["covariance"], voxels["covariance"].transpose(0, 2, 1))


def test_a_search_has_the_bits_of_the_command_line(clouds):
    answer = bench("initial-pose", "--map", MAP, "--scan", SCAN, "--guess", GUESS_TEXT, "--sigma", "1,1,0.1,0.01,0.01", "--particles", 40,
                   "--seed", 3)
    found = ndt.initial_pose(*clouds, GUESS, sigma=(1, 1, 0.1, 0.01, 0.01), particles=40, seed=3)
    assert found.best.map_from_scan.ravel().tolist() == answer["best"]["matrix"]
    assert found.verdict == answer["verdict"] and found.doubts == answer["doubts"]
    assert found.poses.shape == (len(found.nvtl), 4, 4)


def test_a_localizer_takes_other_sensors(clouds):
    aligner = ndt.Aligner(clouds[0], implementation="persistent_cpu")
    for prediction, add in (("odometry", lambda localizer, t: localizer.add_twist(t, [1, 0, 0], [0, 0, 0])),
                            ("odometry", lambda localizer, t: localizer.add_odometry(t, shifted(t))),
                            ("imu", lambda localizer, t: localizer.add_imu(t, [0, 0, 0], [0, 0, 9.81]))):
        localizer = ndt.Localizer(aligner, prediction=prediction)
        localizer.start_at(GUESS)
        for k in range(3):
            add(localizer, 0.1 * k)
        times = np.linspace(0, 0.1, len(clouds[1]), dtype=np.float32)
        assert localizer.localize(0.1, clouds[1], times).reason == "none"  # a sweep without a known motion is not_deskewed
    with pytest.raises(ValueError, match="nan is not finite"):
        localizer.add_imu(1, [0, 0, float("nan")], [0, 0, 9.81])


def shifted(x):
    pose = np.eye(4)
    pose[0, 3] = x
    return pose


def test_a_localizer_follows_the_scans(clouds):
    aligner = ndt.Aligner(clouds[0], implementation="persistent_cpu")
    localizer = ndt.Localizer(aligner, covariance="laplace")
    localizer.start_at(GUESS)
    first, second = (localizer.localize(0.1 * k, clouds[1]) for k in range(2))
    alone = aligner.align(clouds[1], GUESS)
    assert first.aligned.map_from_scan.tobytes() == alone.map_from_scan.tobytes() == first.map_from_scan.tobytes()
    for report in (first, second):
        assert (report.verdict, report.reason, report.source) == ("ok", "none", "aligned")
        assert report.covariance.shape == (6, 6)
    lost = localizer.localize(0.2, clouds[1][:0])
    assert (lost.verdict, lost.reason, lost.source, lost.covariance) == ("doubtful", "scan_empty", "predicted", None)
    with pytest.raises(ValueError, match="after the last scan's|time"):
        localizer.localize(0.1, clouds[1])
    with pytest.raises(ValueError, match="unknown option 'leaf'"):
        ndt.Localizer(aligner, leaf=1)
    with pytest.raises(RuntimeError):
        ndt.Localizer(aligner).localize(0, clouds[1])


def test_a_prepared_scan_is_filtered_and_localised(clouds):
    aligner = ndt.Aligner(clouds[0], implementation="persistent_cpu")
    whole, thin = (ndt.Localizer(aligner) for _ in range(2))
    for localizer in (whole, thin):
        localizer.start_at(GUESS)
    scan = np.vstack([clouds[1], np.zeros((5, 3), np.float32)])
    same_as_localize = whole.prepare(0, scan)
    assert same_as_localize.no_returns == 5 and not same_as_localize.deskewed
    assert np.array_equal(same_as_localize.points, clouds[1])
    report = whole.localize_prepared(0, same_as_localize)
    assert report.aligned.map_from_scan.tobytes() == aligner.align(clouds[1], GUESS).map_from_scan.tobytes()
    prepared = thin.prepare(0, clouds[1], min_range=2, max_range=30, remove_box=(-1, -1, -5, 1, 1, 5), voxel_leaf=1.5)
    assert 100 < len(prepared.points) < len(clouds[1]) and np.linalg.norm(prepared.points, axis=1).max() <= 30
    report = thin.localize_prepared(0, prepared)
    alone = aligner.align(prepared.points, GUESS)
    assert report.verdict == "ok" and report.aligned.map_from_scan.tobytes() == alone.map_from_scan.tobytes()
    with pytest.raises(RuntimeError, match="no scan is held"):  # the aligner had another one in between
        thin.localize_prepared(1, prepared)
    with pytest.raises(ValueError, match="option scan-voxel-leaf = 0"):
        thin.prepare(1, clouds[1], voxel_leaf=0)
    with pytest.raises(ValueError, match="times: 2 for"):
        thin.prepare(1, clouds[1], np.zeros(2, np.float32))


def test_the_times_of_points_move_them_once_a_motion_is_known(clouds):
    localizer = ndt.Localizer(ndt.Aligner(clouds[0], implementation="persistent_cpu"))
    localizer.start_at(GUESS)
    times = np.linspace(-0.05, 0.05, len(clouds[1]), dtype=np.float32)
    assert [localizer.localize(0.1 * k, clouds[1], times).reason for k in range(3)] == ["not_deskewed", "none", "none"]
    with pytest.raises(ValueError, match="times: 2 for 3000 points; give one for each"):
        localizer.localize(1, clouds[1], times[:2])


def refusals():
    good, scan, aligner = ndt.read_cloud(MAP), ndt.read_cloud(SCAN), None
    aligner = ndt.Aligner(good)
    nan = GUESS.copy()
    nan[0, 3] = np.nan
    return [
        (TypeError, "map: give a numpy array of shape (N, 3) or (N, 4), not None", lambda: ndt.Aligner(None)),
        (ValueError, "map: the shape is (30000, 2); give (N, 3) or (N, 4)", lambda: ndt.Aligner(good[:, :2])),
        (ValueError, "map: the shape is (30000,); give (N, 3) or (N, 4)", lambda: ndt.Aligner(good[:, 0])),
        (TypeError, "map: give float32 or float64, not int64", lambda: ndt.Aligner(good.astype(np.int64))),
        (ndt.InputError, "set_map: no valid voxel: 0 finite points", lambda: ndt.Aligner(good[:0])),
        (ndt.InputError, "set_map: no valid voxel: 0 finite points (30000 non-finite dropped)", lambda: ndt.Aligner(good * np.nan)),
        (ValueError, "unknown option 'leaf': choose from", lambda: ndt.Aligner(good, leaf=1)),
        (ValueError, "option resolution = -1", lambda: ndt.Aligner(good, resolution=-1)),
        (TypeError, "resolution: give a value, not None", lambda: ndt.Aligner(good, resolution=None)),
        (ValueError, "unknown implementation 'fast': choose from", lambda: ndt.Aligner(good, implementation="fast")),
        (TypeError, "scan: give a numpy array of shape (N, 3) or (N, 4), not list", lambda: aligner.align([[1, 2, 3]], GUESS)),
        (TypeError, "guess: give a rigid matrix of shape (4, 4), not None", lambda: aligner.align(scan, None)),
        (ValueError, "guess: not a rigid transform: entry (0, 3) is nan", lambda: aligner.align(scan, nan)),
        (ValueError, "guess: not a rigid transform:", lambda: aligner.align(scan, 2 * GUESS)),
        (ValueError, "guess: the shape is (3, 4); give (4, 4)", lambda: aligner.align(scan, GUESS[:3])),
        (ValueError, "guesses[1]: not a rigid transform", lambda: aligner.align_batch(scan, [GUESS, nan])),
        (ValueError, "poses: the shape is (4, 4); give (N, 4, 4)", lambda: aligner.score(scan, GUESS)),
        (ValueError, "timeout_ms: give milliseconds above 0", lambda: aligner.align(scan, GUESS, timeout_ms=0)),
        (ValueError, "method: anywhere is ndt-bench initial-pose's",
         lambda: ndt.initial_pose(good, scan, GUESS, sigma=(1, 1, 0, 0, 0), method="anywhere")),
        (ndt.InputError, "missing.pcd: there is no such file", lambda: ndt.read_cloud("missing.pcd")),
    ]


def test_what_cannot_be_used_is_refused_by_name():
    for error, message, call in refusals():
        with pytest.raises(error) as caught:
            call()
        assert str(caught.value).startswith(message), message


def test_auto_can_run():
    assert ndt.auto_implementation() in CAN_RUN


def test_an_implementation_that_cannot_run_says_why():
    for entry in ndt.implementations():
        if entry.unavailable_reason:
            with pytest.raises(RuntimeError, match=f"{entry.name} cannot run here: "):
                ndt.Aligner(ndt.read_cloud(MAP), implementation=entry.name)


def test_other_threads_run_while_an_aligner_works(clouds):
    aligner = ndt.Aligner(clouds[0], implementation="persistent_cpu", threads=1)
    counted, done = [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    before = counted[0]
    aligner.align_batch(clouds[1], np.repeat(GUESS[None], 100, axis=0))
    during = counted[0] - before
    done.set()
    thread.join()
    assert during > 1000


def test_the_package_is_typed_and_has_one_version():
    folder = Path(ndt.__file__).parent
    assert (folder / "py.typed").exists()
    stub = ast.parse((folder / "_ndt.pyi").read_text())
    named = {node.name for node in stub.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    assert set(ndt.__all__) - {"__version__"} <= named
    assert importlib.metadata.version("ndt") == ndt.__version__
