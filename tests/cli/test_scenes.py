"""--ply of align and localize: coloured clouds, read back by a reader of this test's own."""

import json
import struct

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, bench, refusal

KINDS = {"double": "d", "uchar": "B", "float": "f"}
GREY, BLUE, PURPLE = (150, 150, 150), (40, 110, 255), (160, 32, 200)


def read_ply(file):
    """(names of the properties, rows), every byte accounted for."""
    head, _, body = file.read_bytes().partition(b"end_header\n")
    lines = head.decode().splitlines()
    assert lines[:2] == ["ply", "format binary_little_endian 1.0"]
    names = [line.split() for line in lines if line.startswith("property ")]
    row = struct.Struct("<" + "".join(KINDS[kind] for _, kind, _ in names))
    rows = list(row.iter_unpack(body))
    assert [line for line in lines if line.startswith("element")] == [f"element vertex {len(rows)}"]
    return [name for _, _, name in names], rows


def points_of(file):
    """Reads the points of a PCD that ndt-bench wrote."""
    return list(struct.iter_unpack("<3f", file.read_bytes().partition(b"DATA binary\n")[2]))


def moved(matrix, point):
    return [sum(matrix[4 * i + k] * point[k] for k in range(3)) + matrix[4 * i + 3] for i in range(3)]


XYZ, RGB = ["x", "y", "z"], ["red", "green", "blue"]


def test_align_draws_the_map_and_the_scan_before_and_after(courtyard, tmp_path):
    done = bench("align", *courtyard.args, "--guess", "0.3,-0.2,0.1,0,0,0.05", "--ply", tmp_path / "new" / "ply", "--json")
    found = json.loads(done.stdout)
    assert sorted(file.name for file in (tmp_path / "new" / "ply").iterdir()) == ["align.json", "map.ply", "scan_after.ply", "scan_before.ply"]
    assert json.loads((tmp_path / "new" / "ply" / "align.json").read_text()) == found
    names, rows = read_ply(tmp_path / "new" / "ply" / "map.ply")
    assert names == XYZ + RGB and [row[:3] for row in rows] == points_of(courtyard.map) and {row[3:] for row in rows} == {GREY}
    scan = points_of(courtyard.scan)
    names, before = read_ply(tmp_path / "new" / "ply" / "scan_before.ply")
    c, s = 0.9987502603949663, 0.04997916927067833  # of 0.05 rad
    assert len(before) == len(scan) and {row[3:] for row in before} == {BLUE}
    assert before[7][:3] == pytest.approx(moved([c, -s, 0, 0.3, s, c, 0, -0.2, 0, 0, 1, 0.1], scan[7]), abs=1e-12)
    names, after = read_ply(tmp_path / "new" / "ply" / "scan_after.ply")
    assert names == XYZ + RGB + ["score"] and len(after) == len(scan)
    assert after[7][:3] == pytest.approx(moved(found["matrix"], scan[7]), abs=1e-12)
    scored = [row[6] for row in after if row[6] > 0]
    assert sum(scored) / len(scored) == pytest.approx(found["nvtl"], rel=1e-5)
    best = max(after, key=lambda row: row[6])
    assert best[3:6] == (0, 255, 0) and {row[3:6] for row in after if row[6] == 0} <= {PURPLE}
    for row in after:
        share = row[6] / best[6]
        assert row[6] == 0 or row[3:6] == pytest.approx((min(255, 510 * (1 - share)), min(255, 510 * share), 0), abs=0.51)


def test_align_tells_what_makes_a_page(courtyard, tmp_path):
    said = refusal("align", *courtyard.args, "--view", tmp_path / "a.html", code=EXIT_USAGE)
    assert "align has no option --view; ./run align has it: give it the same arguments" in said


def test_what_is_drawn_can_be_aligned(courtyard, tmp_path):
    bench("align", *courtyard.args, "--ply", tmp_path / "ply")
    again = json.loads(bench("align", "--map", tmp_path / "ply" / "map.ply", "--scan", tmp_path / "ply" / "scan_after.ply", "--json").stdout)
    assert again["verdict"] == "ok" and max(map(abs, again["pose_xyz_m"])) < 0.01, "it is where it belongs"


def test_points_without_a_voxel_are_purple(courtyard, tmp_path):
    bench("align", *courtyard.args, "--guess", "500,0,0,0,0,0", "--ply", tmp_path / "ply")
    assert {row[3:] for row in read_ply(tmp_path / "ply" / "scan_after.ply")[1]} == {(*PURPLE, 0)}


def test_localize_draws_the_frames_asked_for(tmp_path):
    town = tmp_path / "town"
    bench("generate", "town", "--scale", "small", "--out", town)
    base = ["localize", "--scans", town, "--implementation", "persistent_cpu"]
    bench(*base, "--out", tmp_path / "a", "--ply", tmp_path / "ends")
    assert sorted(file.name for file in (tmp_path / "ends").iterdir()) == [
        "000000_scan_after.ply", "000000_scan_before.ply", "000007_scan_after.ply", "000007_scan_before.ply", "map.ply"]
    bench(*base, "--out", tmp_path / "b", "--ply", tmp_path / "some", "--ply-frames", "2,5")
    assert [file.name[:6] for file in sorted((tmp_path / "some").iterdir())] == ["000002", "000002", "000005", "000005", "map.pl"]
    record = json.loads((tmp_path / "b" / "diagnostics.jsonl").read_text().splitlines()[2])
    before, after = (read_ply(tmp_path / "some" / f"000002_scan_{name}.ply")[1] for name in ("before", "after"))
    assert len(before) == len(after) == record["sensor_points_size"]
    scored = [row[6] for row in after if row[6] > 0]
    with_voxels = sum(scored) / record["nearest_voxel_transformation_likelihood"]
    assert with_voxels == pytest.approx(round(with_voxels), abs=0.02), "the likelihood is their mean over points that have a voxel"
    assert len(scored) <= round(with_voxels) <= len(scored) + 10, "of which a few are so far off that their score is 0 in float32"
    drift = [after[9][i] - before[9][i] for i in range(3)]
    assert sum(d * d for d in drift) ** 0.5 == pytest.approx(record["distance_initial_to_result"], abs=0.5)
    assert "--ply-frames: 8 is no frame; they are 0 to 7" in refusal(*base, "--out", tmp_path / "c", "--ply", tmp_path / "x",
                                                                     "--ply-frames", "1,8", code=EXIT_USAGE)
    assert "--ply-frames requires --ply" in refusal(*base, "--out", tmp_path / "c", "--ply-frames", "1", code=EXIT_USAGE)
    assert not (tmp_path / "c").exists()


def test_a_folder_that_is_not_empty_is_not_written_to(courtyard, tmp_path):
    (tmp_path / "map.ply").write_text("mine")
    assert "not empty" in refusal("align", *courtyard.args, "--ply", tmp_path, code=EXIT_BAD_INPUT)
    assert (tmp_path / "map.ply").read_text() == "mine" and len(list(tmp_path.iterdir())) == 1
