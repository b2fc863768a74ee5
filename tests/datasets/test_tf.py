"""Frames of tf, and places on the earth in metres."""

import pytest
from conftest import np

from ndt_convert import geodesy, tf
from ndt_convert.faults import Fault
from ndt_convert.poses import pose_of

QUARTER = [0, 0, 2**-0.5, 2**-0.5]  # a quarter turn to the left
STRAIGHT = [0, 0, 0, 1]
START_S = 1_600_000_000


def drive():
    """map > odom (fixed) > base (1 m/s along x) > lidar (1 m ahead, turned to the left); mast hangs from base, too."""
    tree = tf.Tree("a.bag")
    for second in range(3):
        tree.add("odom", "base", START_S + second, pose_of([second, 0, 0], STRAIGHT))
    tree.add("map", "odom", START_S, pose_of([100, 0, 0], QUARTER))
    tree.add("map", "odom", START_S + 10, pose_of([100, 0, 0], QUARTER))
    tree.add("/base", "/lidar", None, pose_of([1, 0, 2], QUARTER))
    tree.add("base", "mast", None, pose_of([0, 0, 3], STRAIGHT))
    return tree


def test_a_chain_is_followed_up_and_down_and_between_times():
    times = np.array([START_S, START_S + 0.5, START_S + 2])
    found, known = drive().poses("odom", "lidar", times, 1)
    assert known.all() and found[:, :3, 3] == pytest.approx(np.array([[1, 0, 2], [1.5, 0, 2], [3, 0, 2]]))
    found, known = drive().poses("map", "lidar", times, 10)
    assert known.all() and found[:, :3, 3] == pytest.approx(np.array([[100, 1, 2], [100, 1.5, 2], [100, 3, 2]]))
    assert found[0, :3, 0] == pytest.approx([-1, 0, 0]), "two quarters"
    down, _ = drive().poses("lidar", "map", times, 10)
    assert down @ found == pytest.approx(np.tile(np.eye(4), (3, 1, 1)))
    beside, known = drive().poses("mast", "lidar", np.array([0.0]), 1)
    assert known.all() and beside[0, :3, 3] == pytest.approx([1, 0, -1]), "fixed frames need no time"


def test_times_that_are_not_covered_are_told():
    times = np.array([START_S - 1, START_S, START_S + 1.5, START_S + 2.5])
    assert drive().poses("odom", "lidar", times, 1)[1].tolist() == [False, True, True, False]
    assert drive().poses("odom", "lidar", times, 0.5)[1].tolist() == [False, True, False, False], "a gap of 1 s"
    assert drive().poses("map", "lidar", times, 1)[1].tolist() == [False, True, False, False], "map > odom has a gap of 10 s"


def test_what_tf_does_not_join_is_named():
    tree = drive()
    assert tree.knows("map", "lidar") and tree.knows("lidar", "mast") and not tree.knows("map", "camera")
    with pytest.raises(Fault, match="does not join earth and lidar; its frames are base, lidar, map, mast, odom; give a frame"):
        tree.poses("earth", "lidar", np.array([0.0]), 1)
    tree.add("mast", "map", None, np.eye(4))
    with pytest.raises(Fault, match="run in a circle"):
        tree.poses("map", "lidar", np.array([0.0]), 1)


def test_wrong_transforms_matter_on_the_way_alone():
    tree = drive()
    for parent in ("base", "roof"):
        tree.add(parent, "camera", None, np.eye(4))
    tree.add_bad("gps")
    tree.add_bad("base")
    assert tree.poses("odom", "lidar", np.array([START_S]), 1)[1].all()
    assert tree.wrong() == ["tf: 1 transforms of base were left out, which are invalid",
                            "tf: ignored, since nothing needs these frames: 1 transforms of gps are invalid; camera has two parents, base and roof"]
    with pytest.raises(Fault, match="all 1 transforms of gps are invalid"):
        tree.knows("map", "gps")
    with pytest.raises(Fault, match="frame camera has two parents, base and roof"):
        tree.poses("map", "camera", np.array([START_S]), 1)


@pytest.mark.parametrize("latitude", [-33.9, 0, 49, 80])
def test_a_small_step_on_the_ellipsoid_is_its_radii_times_the_angles(latitude):
    origin, step = (latitude, 8.4, 115), np.radians(1e-4)
    curvature = 1 - geodesy.ECCENTRICITY_2 * np.sin(np.radians(latitude)) ** 2
    east = (6378137 / curvature**0.5 + 115) * np.cos(np.radians(latitude)) * step
    north = (6378137 * (1 - 0.00669437999014) / curvature**1.5 + 115) * step
    assert geodesy.east_north_up((latitude, 8.4, 115), origin) == pytest.approx([0, 0, 0], abs=1e-8)
    assert geodesy.east_north_up((latitude, 8.4 + 1e-4, 115), origin) == pytest.approx([east, 0, 0], abs=2e-4)
    assert geodesy.east_north_up((latitude + 1e-4, 8.4, 115), origin) == pytest.approx([0, north, 0], abs=2e-4)
    assert geodesy.east_north_up((latitude, 8.4, 125), origin) == pytest.approx([0, 0, 10], abs=1e-8)


def test_two_places_are_as_far_apart_as_on_the_earth():
    # The equator's quarter: the chord between longitudes 0 and 90 on a circle of the earth's radius.
    found = geodesy.east_north_up((0, 90, 0), (0, 0, 0))
    assert found == pytest.approx([6378137, 0, -6378137]) and geodesy.earth_centred(90, 0, 0)[2] == pytest.approx(6356752.314245, abs=1e-5)
