"""Poses of the scanner that become those of the vehicle's base."""

from types import SimpleNamespace

from conftest import np

import pytest

from ndt_convert import bags, from_bag, tf
from ndt_convert.faults import Fault
from ndt_convert.poses import pose_of, read_tum
from ndt_convert.recording import Frames
from ndt_localize import base
from ndt_localize.results import Result
from ndt_localize.results import pose_of as pose_of_angles

MOUNT = pose_of_angles([1.0, -0.4, 1.8], [0.1, -0.2, 0.7])  # base_from_scan


def angles_of(rotation):
    """Roll, pitch and yaw of Rx Ry Rz."""
    return [np.arctan2(-rotation[1, 2], rotation[2, 2]), np.arcsin(rotation[0, 2]), np.arctan2(-rotation[0, 1], rotation[0, 0])]


def base_of(values):
    """x y z roll pitch yaw of the base, of those of the scanner."""
    pose = pose_of_angles(values[:3], values[3:]) @ np.linalg.inv(MOUNT)
    return np.array([*pose[:3, 3], *angles_of(pose[:3, :3])])


def test_a_covariance_moves_as_small_errors_of_the_pose_do():
    at, step = np.array([10, 20, 3, 0.2, -0.3, 2.0]), 1e-6
    jacobian = np.column_stack([(base_of(at + step * axis) - base_of(at - step * axis)) / (2 * step) for axis in np.eye(6)])
    root = np.random.default_rng(1).normal(size=(6, 6))
    covariance = root @ root.T
    moved = base.moved_covariance(covariance.reshape(-1), pose_of_angles(at[:3], at[3:]), np.linalg.inv(MOUNT))
    assert moved.reshape(6, 6) == pytest.approx(jacobian @ covariance @ jacobian.T, rel=1e-6)


def moved(tmp_path, tree, wanted=None, scan="lidar"):
    """(results, name, what was said) of two scans, 1 s apart."""
    said, pose = [], pose_of([5, 6, 7], [0, 0, 0, 1])
    results = [Result(f"{k}", float(k), pose, pose, None, {}, []) for k in range(2)]
    frames = None if tree is None else Frames(scan, tree, 0.5)
    return *base.moved(results, wanted, "base_link", frames, tmp_path, said.append), said


def joined(*transforms):
    tree = tf.Tree("a.bag")
    for parent, child, time_s in transforms:
        tree.add(parent, child, time_s, MOUNT)
    return tree


def test_poses_are_moved_where_tf_joins_the_frames(tmp_path):
    results, name, said = moved(tmp_path, joined(("base_link", "lidar", None)))
    assert name == "base_link" and len(results) == 2 and len(said) == 1
    expected = pose_of([5, 6, 7], [0, 0, 0, 1]) @ np.linalg.inv(MOUNT)
    assert results[1].map_from_body == pytest.approx(expected) and results[1].predicted == pytest.approx(expected)
    times, found = read_tum(tmp_path / "poses_base.tum")
    assert times.tolist() == [0, 1] and found[0] == pytest.approx(expected)
    assert moved(tmp_path, joined(("roof", "lidar", None)), "/roof")[1] == "roof"


@pytest.mark.parametrize("transforms, wanted, scan, name, reason", [
    ([], None, "lidar", "lidar", "tf does not say where lidar is on base_link"), ([], "car", "lidar", "car", "does not say"),
    ([], None, "", "base_link", "the scanner is on base_link"), ([("base_link", "lidar", 50.0)], None, "lidar", "lidar", "does not say"),
    ([("base_link", "lidar", None), ("roof", "lidar", None)], None, "lidar", "lidar", "frame lidar has two parents, base_link and roof"),
])
def test_poses_stay_the_scanners_where_it_does_not(tmp_path, transforms, wanted, scan, name, reason):
    (tmp_path / "poses_base.tum").write_text("of an earlier run\n")
    results, called, said = moved(tmp_path, joined(*transforms), wanted, scan)
    assert called == name and any(reason in line for line in said) and said[-1].endswith(f"poses are the scanner's, called {name}")
    assert results[0].map_from_body[:3, 3].tolist() == [5, 6, 7] and not (tmp_path / "poses_base.tum").exists()


def test_a_dataset_has_the_name_alone(tmp_path):
    for wanted, name in ((None, "base_link"), ("lidar", "lidar")):
        results, called, said = moved(tmp_path, None, wanted)
        assert called == name and said == [] and len(results) == 2


class WithoutTf:
    """A bag of which no message of tf can be read."""

    path, tell_bad = "a.bag", bags.Bag.tell_bad

    def frame_of(self, topic):
        return "/lidar"

    def topics_of(self, kinds):
        return ["/tf"]

    def messages(self, topic, bad):
        bad.append(Fault(self.path, topic, "cannot be read", "record it again"))
        return iter(())


def test_tf_that_cannot_be_read_costs_no_localisation(tmp_path):
    said = []
    frames = from_bag._Sensors(WithoutTf(), "/points", SimpleNamespace(longest_gap=0.5), said.append).known_frames()
    assert said == ["a.bag: /tf: cannot be read; record it again"]
    results, name, said = moved(tmp_path, frames.tree, scan=frames.scan)
    assert name == "lidar" and results[0].map_from_body[:3, 3].tolist() == [5, 6, 7] and len(said) == 1
