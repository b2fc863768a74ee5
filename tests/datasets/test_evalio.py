"""Sequences of evalio, read from a stand-in with its interface: evalio itself, and recordings, are not needed."""

import sys
import types

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, convert, description, np, with_times


class Stamp:
    def __init__(self, seconds):
        self.ns = round(seconds * 1e9)

    def to_nsec(self):
        return self.ns


class Pose:
    def __init__(self, matrix):
        self.matrix = matrix

    def to_mat(self):
        return self.matrix


def shifted(x, y, z):
    matrix = np.eye(4)
    matrix[:3, 3] = x, y, z
    return Pose(matrix)


class Scan:
    def __init__(self, seconds, points):
        self.stamp, self.points = Stamp(seconds), points

    def to_vec_positions(self):
        return [np.array(p, dtype=np.float64) for p in self.points]

    def to_vec_stamps(self):
        return [0.01 * k for k in range(len(self.points))]


class Sequence:
    full_name = "somewhere/short"
    downloaded = True
    times = [10.0, 10.1, 10.2, 10.3]

    def is_downloaded(self):
        return self.downloaded

    def lidar(self):
        for k, time in enumerate(self.times):
            yield Scan(time, [(1 + k, 2, 3), (0, 0, 0), (float("nan"), 1, 1), (4, 5, 6)])

    def ground_truth(self):
        stamps = [Stamp(t) for t in (10.0, 10.2)]
        return types.SimpleNamespace(stamps=stamps, poses=[shifted(0, 0, 0), shifted(2, 0, 0)])

    def imu_T_lidar(self):
        return shifted(0, 0, 0.5)


@pytest.fixture
def evalio(monkeypatch):
    sequence = Sequence()
    package, datasets = types.ModuleType("evalio"), types.ModuleType("evalio.datasets")
    datasets.get_sequence = lambda name: sequence if name == "somewhere/short" else ValueError(name)
    package.datasets = datasets
    monkeypatch.setitem(sys.modules, "evalio", package)
    monkeypatch.setitem(sys.modules, "evalio.datasets", datasets)
    return sequence


def test_a_sequence_becomes_a_dataset_with_poses_of_the_lidar(evalio, tmp_path):
    said = convert("evalio:somewhere/short", "--out", tmp_path / "out", "--kind", "sequence")
    assert "1 of 4 scans are outside evalio:somewhere/short" in said and "4 points that are not finite" in said
    assert "left out 33 % of the points as no returns: 3 zero" in said
    assert "not corrected for motion" in said
    table = description(tmp_path / "out")
    assert table["provenance"]["source"] == "evalio:somewhere/short" and table["kind"] == "sequence"
    rows = np.loadtxt(tmp_path / "out" / "poses.tum")
    assert rows[:, 0].tolist() == pytest.approx([10.0, 10.1, 10.2])
    assert rows[:, 1:4] == pytest.approx(np.array([[0, 0, 0.5], [1, 0, 0.5], [2, 0, 0.5]]))
    scans = sorted((tmp_path / "out" / "scans").iterdir())
    points, times = with_times(scans[1])
    assert len(scans) == 3 and points == [[2, 2, 3], [4, 5, 6]] and times == pytest.approx([0, 0.03])


def test_every_and_max_scans_choose_scans(evalio, tmp_path):
    convert("evalio:somewhere/short", "--out", tmp_path / "out", "--every", 2, "--max-scans", 2, "--kind", "sequence")
    assert np.loadtxt(tmp_path / "out" / "poses.tum")[:, 0].tolist() == pytest.approx([10.0, 10.2])


def test_a_sequence_without_ground_truth_has_no_poses(evalio, tmp_path, monkeypatch):
    monkeypatch.setattr(Sequence, "ground_truth", lambda self: None)
    convert("evalio:somewhere/short", "--out", tmp_path / "out", "--kind", "sequence")
    assert "truth" not in description(tmp_path / "out") and len(list((tmp_path / "out" / "scans").iterdir())) == 4


def test_what_cannot_be_read_is_named(evalio, tmp_path):
    out = ["--out", tmp_path / "out"]
    assert "evalio knows no such sequence" in convert("evalio:nowhere/x", *out, code=EXIT_BAD_INPUT)
    evalio.downloaded = False
    assert "run evalio download somewhere/short" in convert("evalio:somewhere/short", *out, code=EXIT_BAD_INPUT)
    assert "so --topic is unused" in convert("evalio:somewhere/short", *out, "--topic", "/points", code=EXIT_USAGE)
    assert not (tmp_path / "out").exists()


def test_without_evalio_the_message_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "evalio", None)
    message = convert("evalio:somewhere/short", "--out", tmp_path / "out", code=EXIT_BAD_INPUT)
    assert "needs the Python package evalio" in message and "pip install evalio" in message
