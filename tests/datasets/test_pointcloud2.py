"""PointCloud2 messages of every layout to points."""

from types import SimpleNamespace

import pytest
from conftest import np

from ndt_convert.faults import Fault
from ndt_convert.pointcloud2 import points_of

POINTS = np.array([[1.5, -2, 3], [4, 5.25, -6], [7, 8, 9.125], [0, 0, 0], [-1e-3, 1e3, 0.5], [2, 3, 4]])
UINT16, UINT32, FLOAT32, FLOAT64 = 4, 6, 7, 8
KINDS = {UINT16: "u2", UINT32: "u4", FLOAT32: "f4", FLOAT64: "f8"}


def message(points=POINTS, fields=(("x", 0, FLOAT32), ("y", 4, FLOAT32), ("z", 8, FLOAT32)), step=12, big=False, height=1, padding=0):
    """A cloud as a driver would pack it; bytes of no field are 0xAB."""
    rows = bytearray()
    width = len(points) // height
    for i, point in enumerate(points):
        record = bytearray(b"\xab" * step)
        for name, offset, kind in fields:
            value = dict(zip("xyz", point)).get(name, 7)
            size = np.dtype(KINDS[kind]).itemsize
            record[offset:offset + size] = np.array(value).astype((">" if big else "<") + KINDS[kind]).tobytes()
        rows += record
        if (i + 1) % width == 0:
            rows += b"\xcd" * padding
    return SimpleNamespace(
        height=height, width=width, fields=[SimpleNamespace(name=n, offset=o, datatype=d, count=1) for n, o, d in fields],
        is_bigendian=big, point_step=step, row_step=width * step + padding, data=np.frombuffer(bytes(rows), np.uint8), is_dense=True)


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize("height, padding", [(1, 0), (1, 6), (2, 0), (3, 5)])
@pytest.mark.parametrize("fields, step, kind", [
    ((("x", 0, FLOAT32), ("y", 4, FLOAT32), ("z", 8, FLOAT32)), 12, "f4"),
    ((("x", 0, FLOAT32), ("y", 4, FLOAT32), ("z", 8, FLOAT32), ("rgb", 16, FLOAT32)), 32, "f4"),
    ((("ring", 0, UINT16), ("z", 3, FLOAT32), ("x", 9, FLOAT32), ("t", 13, UINT32), ("y", 17, FLOAT32)), 21, "f4"),
    ((("y", 0, FLOAT64), ("x", 8, FLOAT64), ("z", 16, FLOAT64)), 24, "f8"),
    ((("x", 0, FLOAT64), ("y", 8, FLOAT32), ("z", 12, FLOAT32)), 16, "f8")])
def test_coordinates_are_found_in_every_layout(big, height, padding, fields, step, kind):
    points, dropped, _ = points_of(message(fields=fields, step=step, big=big, height=height, padding=padding), "bag", "topic")
    assert dropped == 0 and points.dtype == np.dtype(kind)
    exact = {"f4": POINTS.astype("f4"), "f8": POINTS}[kind]
    narrow = POINTS.astype("f4").astype("f8")
    assert all(np.array_equal(points[:, i], (narrow if dict((f[0], f[2]) for f in fields)["xyz"[i]] == FLOAT32 else exact)[:, i])
               for i in range(3))


def test_points_that_are_not_finite_are_dropped_and_counted():
    points = POINTS.copy()
    points[1, 2], points[4, 0], points[5] = np.nan, np.inf, [np.nan] * 3
    got, dropped, _ = points_of(message(points), "bag", "topic")  # whatever is_dense says
    assert dropped == 3 and got.tolist() == POINTS[[0, 2, 3]].astype("f4").tolist()


def test_a_cloud_may_be_empty():
    for empty in (message(POINTS[:0]), message(height=1)):
        empty.width = 0
        got, dropped, _ = points_of(empty, "bag", "topic")
        assert got.shape == (0, 3) and dropped == 0


def test_the_row_step_of_a_single_row_does_not_matter():
    unset = message()
    unset.row_step = 0
    assert len(points_of(unset, "bag", "topic")[0]) == len(POINTS)


def test_the_last_row_may_lack_its_padding():
    short = message(height=2, padding=8)
    short.data = short.data[:-8]
    assert points_of(short, "bag", "topic")[0].tolist() == POINTS.astype("f4").tolist()


def test_messages_that_contradict_themselves_are_refused():
    def broken(**changes):
        cloud = message(height=2)
        for name, value in changes.items():
            setattr(cloud, name, value)
        return cloud

    as_int = message()
    as_int.fields[1].datatype = UINT32
    array = message()
    array.fields[2].count = 3
    beyond = message()
    beyond.fields[2].offset = 9
    for cloud, text in [
        (message(fields=(("x", 0, FLOAT32), ("range", 4, FLOAT32))), "no field y among x, range; choose a topic"),
        (broken(fields=[]), "no field x among none"),
        (as_int, "field y is uint32 x 1; float32 and float64"),
        (array, "field z is float32 x 3"),
        (beyond, "field z at byte 9 does not fit in a point of 12 bytes"),
        (broken(row_step=35, data=bytes(73)), "73 bytes do not hold 2 rows of 3 points of 12 bytes, 35 bytes a row"),
        (broken(row_step=38, data=bytes(73)), "73 bytes do not hold 2 rows of 3 points of 12 bytes, 38 bytes a row"),
        (broken(width=7), "72 bytes do not hold 2 rows of 7 points"),
    ]:
        with pytest.raises(Fault, match=f"^bag: topic: {text}"):
            points_of(cloud, "bag", "topic")
