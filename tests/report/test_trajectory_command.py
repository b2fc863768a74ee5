"""trajectory TRUTH ESTIMATE: pairs by time, numbers of trajectory.py, and what is refused."""

import needs  # noqa: F401  first: it skips

import json
import math

import numpy as np
import pytest
from ndt_report.trajectory_command import associated, read_tum


def write(path, rows, head="# time_s x_m y_m z_m qx qy qz qw\n"):
    path.write_text(head + "".join(" ".join(map(repr, row)) + "\n" for row in rows))
    return path


def straight(count=21, offset=(0.0, 0.0, 0.0), start=0.0):
    """10 m every second along x."""
    return [(start + i, 10.0 * i + offset[0], offset[1], offset[2], 0.0, 0.0, 0.0, 1.0) for i in range(count)]


def test_a_constant_offset_is_an_ate_but_no_rpe(tmp_path, ndt_report):
    truth, estimate = write(tmp_path / "a.tum", straight()), write(tmp_path / "b.tum", straight(offset=(0, 3, 4)))
    code, out, err = ndt_report("trajectory", truth, estimate, "--json")
    found = json.loads(out)
    assert code == 0 and err == ""
    assert found["pairs"] == 21 and found["path_m"] == 200 and not found["aligned"]
    assert found["ate"] == {"rmse_m": 5, "mean_m": 5, "median_m": 5, "max_m": 5, "poses": 21}
    assert found["rpe"]["translation_max_m"] == 0 and found["kitti"]["translation_percent"] == 0
    aligned = json.loads(ndt_report("trajectory", truth, estimate, "--json", "--align")[1])
    assert aligned["ate"]["max_m"] < 1e-12 and aligned["aligned"]


def test_for_people_it_is_four_lines(tmp_path, ndt_report):
    truth, estimate = write(tmp_path / "a.tum", straight()), write(tmp_path / "b.tum", straight(20, offset=(0, 0, 1)))
    code, out, _ = ndt_report("trajectory", truth, estimate, "--delta", 2)
    lines = out.splitlines()
    assert code == 0 and [line.split()[0] for line in lines] == ["poses", "ATE", "RPE", "KITTI"]
    assert lines[0] == "poses  20 pairs over 190.0 m; without a partner: 1 of the truth, 0 of the estimate"
    assert lines[1].startswith("ATE    1.0000 m RMSE") and "not moved onto the truth" in lines[1]
    assert "over 2 frames" in lines[2]
    short = write(tmp_path / "c.tum", straight(1))
    lines = ndt_report("trajectory", truth, short)[1].splitlines()
    assert lines[2] == "RPE    none: no two pairs are 1 frames apart" and lines[3].startswith("KITTI  none")


def test_a_rotation_is_read_with_its_scalar_last(tmp_path):
    half = math.sqrt(0.5)
    _, poses = read_tum(write(tmp_path / "a.tum", [(1.5, 1.0, 2.0, 3.0, 0.0, 0.0, half, half)]))
    assert np.allclose(poses[0], [[0, -1, 0, 1], [1, 0, 0, 2], [0, 0, 1, 3], [0, 0, 0, 1]], atol=1e-15)


def test_pairs_are_the_nearest_both_ways_within_the_gap():
    mine, others = associated(np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.004, 0.996, 1.003, 2.5]), 0.01)
    assert mine.tolist() == [0, 1] and others.tolist() == [0, 2]
    mine, others = associated(np.array([1.0]), np.array([0.0, 0.9, 2.0]), 0.2)
    assert (mine.tolist(), others.tolist()) == ([0], [1])
    assert associated(np.array([1.0, 2.0]), np.array([1.001]), 0.01)[0].tolist() == [0]


@pytest.mark.parametrize(
    "text, message",
    [
        ("", "contains no poses"),
        ("# nothing\n", "contains no poses"),
        ("1 2 3\n", "line 1: not 8 finite numbers"),
        ("1 0 0 0 0 0 0 1\n2 0 0 nan 0 0 0 1\n", "line 2: not 8 finite numbers"),
        ("1 0 0 0 0 0 0 x\n", "line 1: not 8 finite numbers"),
        ("1 0 0 0 0 0 0 1\n\n1 0 0 0 0 0 0 1\n", "line 3: time 1.0 does not come after 1.0"),
        ("1 0 0 0 0 0 0 1.01\n", "line 1: quaternion of length 1.01, not 1"),
        ("500 0 0 0 0 0 0 1\n", "no pose within 0.01 s"),
    ],
)
def test_what_cannot_be_read_is_named(tmp_path, ndt_report, text, message):
    truth, bad = write(tmp_path / "a.tum", straight()), tmp_path / "b.tum"
    bad.write_text(text)
    code, out, err = ndt_report("trajectory", truth, bad)
    assert code == 2 and out == "" and err.startswith(f"ndt-bench: {bad}") and message in err


def test_files_that_are_none_are_named(tmp_path, ndt_report):
    truth = write(tmp_path / "a.tum", straight())
    for other, said in ((tmp_path, "a folder, not a file"), (tmp_path / "missing.tum", "missing")):
        code, _, err = ndt_report("trajectory", truth, other)
        assert code == 2 and err.startswith(f"ndt-bench: {other}: {said}; ")


@pytest.mark.parametrize("arguments", [["--delta", "0"], ["--max-gap", "-1"], ["--max-gap", "nan"]])
def test_wrong_options_are_refused(tmp_path, ndt_report, arguments):
    truth = write(tmp_path / "a.tum", straight())
    assert ndt_report("trajectory", truth, truth, *arguments)[0] == 1
