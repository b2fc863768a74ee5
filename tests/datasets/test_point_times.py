"""Times of points: the fields of drivers become seconds after the scan's stamp, or are left out."""

import pytest
from conftest import convert, np, pcd_points, with_times
from test_odd_bags import START_S, bag

from ndt_convert.point_times import PointTimes, Rule, Times, field_of

SWEEP = [0.01 * i for i in range(11)]  # seconds after its begin; at the end the next one begins
DRIVERS = {  # field, type, parts of a second, whether absolute, whether the stamp is that of the end
    "ouster": ("t", "u4", 10**9, False, False),
    "velodyne": ("time", "f4", 1, False, False),
    "velodyne_of_last_packet": ("time", "f4", 1, False, True),
    "hesai": ("timestamp", "f8", 1, True, False),
    "robosense": ("timestamp", "f8", 1, True, True),
    "livox": ("timestamp", "f8", 10**9, True, False),
    "livox_offsets": ("offset_time", "u4", 10**9, False, False),
    "nebula": ("time_stamp", "u4", 10**9, False, False),
    "microseconds": ("t_us", "u4", 10**6, False, False),
    "signed": ("point_time_offset", "i4", 10**9, False, True),
}


def sweep(name, stamp):
    """The values of a driver's field; seconds after the stamp."""
    _, _, parts, absolute, of_end = DRIVERS[name]
    seconds = [at - SWEEP[-1] * of_end for at in SWEEP]
    values = [round(at * 10**9) * parts / 10**9 for at in seconds]
    if absolute:
        values = [(START_S * 10**9 + round((stamp + at) * 10**9)) * parts / 10**9 for at in seconds]
    return values, seconds


@pytest.fixture(scope="module")
def drivers(tmp_path_factory, extras_python):
    """A bag with topics of all drivers in both byte orders, and one of a clock of its own."""
    messages = []
    for i in range(3):
        at = i / 10 + 5
        for name, (field, form, *_) in DRIVERS.items():
            for order in ("little", "big"):
                given = {"stamp": at, "field": field, "form": form, "values": sweep(name, at)[0], "big": order == "big", "x": i + 1}
                messages.append([f"/{name}_{order}", at, "timed", given])
        given = {"stamp": at, "field": "timestamp", "form": "f8", "values": [at + t for t in SWEEP], "x": i + 1}
        messages.append(["/boot", at, "timed", given])
    return bag(extras_python, tmp_path_factory.mktemp("drivers"), *messages)


@pytest.mark.parametrize("name", DRIVERS)
def test_times_of_every_driver_become_seconds_after_the_stamp_in_both_byte_orders(drivers, tmp_path, extras_python, name):
    said = convert(drivers, "--topic", f"/{name}_little,/{name}_big", "--out", tmp_path / "out", python=extras_python)
    assert "points' times" not in said and "3 points that are not finite were dropped" in said
    for i in range(3):
        points, times = with_times(tmp_path / "out" / "scans" / f"{i:06d}.pcd")
        assert points == [[i + 1, k, 0] for k in range(1, 11)] * 2, "without the first, which is not finite"
        assert times == pytest.approx(sweep(name, 0)[1][1:] * 2, abs=1e-6)


def test_times_of_another_clock_are_left_out_and_said_once(drivers, tmp_path, extras_python):
    said = convert(drivers, "--topic", "/boot", "--out", tmp_path / "out", python=extras_python)
    assert said.count("points' times") == 1
    assert ("/boot: the points' times in timestamp are left out where their unit or reference is unclear: 5.01 to 5.1 in message 0, "
            "stamped 1600000005.000000 s; a sweep of 0.005 to 0.5 s near the stamp is expected\n") in said
    assert [len(pcd_points(file)) for file in sorted((tmp_path / "out" / "scans").iterdir())] == [10] * 3


def test_times_of_two_lidars_count_from_the_stamp_of_the_first(drivers, tmp_path, extras_python):
    convert(drivers, "--topic", "/ouster_little,/robosense_big", "--out", tmp_path / "out", python=extras_python)
    points, times = with_times(tmp_path / "out" / "scans" / "000001.pcd")
    assert points == [[2, k, 0] for k in range(1, 11)] * 2
    assert times == pytest.approx(SWEEP[1:] + [at - 0.1 for at in SWEEP[1:]], abs=1e-6)


def seconds_of(*scans, field="t", stamp_s=1000.0):
    """(seconds of each of the scans or None, what was said)"""
    said = []
    topic = PointTimes("/points", said.append)
    found = [topic.seconds(Times(field, np.array(values, float)), stamp_s, number) for number, values in enumerate(scans)]
    return [None if one is None else one.tolist() for one in found], said


@pytest.mark.parametrize("values", [[0, 0, 0], [0, 3], [0.3, 0.4], [-0.4, -0.3], [0, np.nan], [np.inf, 0], [998.0, 998.1],
                                    [1.6e18, 1.6e18 + 1e8], [0, 0.004], [7e9, 7.1e9]])
def test_values_that_are_no_sweep_near_the_stamp_have_no_times(values):
    found, said = seconds_of(values, values)
    assert found == [None, None] and len(said) == 1


def test_the_first_scan_that_tells_decides_for_those_after_it():
    single, whole, other_unit = [5e7], [0, 1e8], [0, 0.1]
    found, said = seconds_of(single, whole, single, [0, 9e9], [])
    assert found == [None, pytest.approx([0, 0.1]), pytest.approx([0.05]), None, None] and len(said) == 1 and "in message 0" in said[0]
    assert seconds_of(whole, other_unit)[0][1] == pytest.approx([0, 1e-10]), "taken as ns"
    assert seconds_of([1e5, 2e5], field="t_ns")[0] == [None] and seconds_of([0, 1e5], field="t_us")[0] == [pytest.approx([0, 0.1])]


def test_two_references_that_both_fit_are_undecided():
    assert seconds_of([0, 0.1], stamp_s=0.05)[0] == [None] and seconds_of([0, 0.1], stamp_s=0.5)[0] == [pytest.approx([0, 0.1])]


def test_a_message_type_with_a_rule_needs_no_sweep():
    topic = PointTimes("/points", pytest.fail)
    assert topic.seconds(Times("offset_time", np.array([0, 2e9]), Rule("ns", False)), 5.0, 0).tolist() == [0, 2]
    assert topic.seconds(None, 5.0, 0) is None


def test_fields_of_times_are_known_by_their_names():
    for name in ("t", "time", "Timestamp", "time_stamp", "offset_time", "t_us", "time_offset_ns"):
        assert field_of(["x", "ring", name]) == name
    assert field_of(["intensity", "ring", "noise_t", "return_type", "timeout", "t_min"]) is None
