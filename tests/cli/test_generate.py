"""ndt-bench generate: a dataset folder that is whole, described and can be aligned, or a refusal that leaves nothing."""

import hashlib
import json
import tomllib

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, bench, refusal


def files_of(folder):
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).hexdigest()
            for p in sorted(folder.rglob("*")) if p.is_file()}


def matrix_of_tum(line):
    """Row-major 4x4 of "time x y z qx qy qz qw"."""
    _, tx, ty, tz, x, y, z, w = map(float, line.split())
    return [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), tx,
            2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), ty,
            2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), tz, 0, 0, 0, 1]


@pytest.fixture(scope="module")
def small_town(tmp_path_factory):
    folder = tmp_path_factory.mktemp("generated") / "new" / "town"
    done = bench("generate", "town", "--scale", "small", "--out", folder)
    assert "100 %" in done.stderr.splitlines()[-1]
    assert done.stdout.startswith(f"town_small in {folder}: 8 scans over 35 m, ") and " map points, " in done.stdout
    return folder


def test_generate_writes_a_dataset_that_says_what_it_is(small_town):
    assert set(files_of(small_town)) == {"dataset.toml", "gnss.tum", "map.pcd", "odometry.tum", "truth.tum"} | {f"scans/{i:06}.pcd" for i in range(8)}
    toml = tomllib.loads((small_town / "dataset.toml").read_text())
    assert (toml["format"], toml["name"], toml["kind"]) == (1, "town_small", "scan_to_map")
    assert (toml["map"], toml["scans"], toml["resolution_m"]) == ("map.pcd", ["scans/*.pcd"], 2.0)
    assert toml["truth"] == {"file": "truth.tum", "format": "tum", "exact": True, "accuracy_m": 0.0,
                             "quality": "exact: the poses the scans were cast from"}
    assert toml["guess"] == {"kind": "noise", "seed": 1, "count": 1, "xy_sigma_m": 0.3, "z_sigma_m": 0.05,
                             "roll_pitch_sigma_deg": 0.5, "yaw_sigma_deg": 2.0}
    assert toml["odometry"] == {"file": "odometry.tum"}
    assert toml["preparation"] == {"scan": {"voxel_leaf_m": 1.0}}
    assert toml["provenance"]["licence"] == "Apache-2.0"
    assert toml["provenance"]["obtain"] == "ndt-bench generate town --scale small --seed 1 --out DIR"


def test_generate_makes_the_same_files_again_and_others_from_another_seed(small_town, tmp_path):
    bench("generate", "town", "--scale", "small", "--seed", 1, "--threads", 3, "--out", tmp_path / "again")
    assert files_of(tmp_path / "again") == files_of(small_town)
    other = tmp_path / "other"
    bench("generate", "town", "--scale", "small", "--seed", 2**63 - 1, "--out", other)
    assert not set(files_of(other).values()) & set(files_of(small_town).values())
    assert tomllib.loads((other / "dataset.toml").read_text())["name"] == f"town_small_seed{2**63 - 1}"


def test_generated_scans_are_found_where_the_truth_says(small_town):
    truth = [matrix_of_tum(line) for line in (small_town / "truth.tum").read_text().splitlines() if line[0] != "#"]
    assert len(truth) == 8
    for i in [1, 4, 6]:
        guess = list(truth[i])
        guess[3] += 0.3
        guess[7] -= 0.3
        done = bench("align", "--map", small_town / "map.pcd", "--scan", small_town / f"scans/{i:06}.pcd",
                     "--scan-voxel-leaf", 1.0, "--guess", ",".join(map(repr, guess)), "--json")
        result = json.loads(done.stdout)
        assert result["stop"] == "converged"
        errors = [result["matrix"][k] - truth[i][k] for k in (3, 7, 11)]
        assert max(map(abs, errors)) < 0.05, (i, errors)


def test_generate_leaves_a_folder_that_holds_something_alone(tmp_path):
    (tmp_path / "town").mkdir()
    (tmp_path / "town" / "notes").write_text("mine")
    (tmp_path / "file").write_text("mine")
    args = ["generate", "town", "--scale", "small", "--out"]
    message = refusal(*args, tmp_path / "town", code=EXIT_BAD_INPUT)
    assert f"{tmp_path / 'town'}: the folder exists and is not empty; nothing was written; give another --out" in message
    assert f"{tmp_path / 'file'}: exists and is not a folder" in refusal(*args, tmp_path / "file", code=EXIT_BAD_INPUT)
    assert "cannot be written" in refusal(*args, tmp_path / "file" / "below", code=EXIT_BAD_INPUT)
    assert set(files_of(tmp_path)) == {"town/notes", "file"}


def test_generate_refuses_what_it_does_not_know(tmp_path):
    out = ["--out", tmp_path / "town"]
    for args, part in [(["generate", "twon", *out], "unknown dataset to generate 'twon': did you mean 'town'?"),
                       (["generate", *out], "dataset is required"),
                       (["generate", "town"], "--out is required"),
                       (["generate", "town", "--scale", "tiny", *out], "choose from small, standard, drive, large, long, tunnel, field, junction, kidnap, park, oldtown, works, woods"),
                       (["generate", "town", "--scale", "small", "--traffic", *out], "--traffic needs a drive with a car; scale small has"),
                       (["generate", "town", "--scale", "large", "--distortion", *out], "--distortion needs a drive with a car; scale large"),
                       (["generate", "town", "--seed", "-1", *out], "option seed = -1: must be in [0, "),
                       (["generate", "town", "--seed", "one", *out], "--seed"),
                       (["generate", "town", "--beams", "3", *out], "--beams 3 neither divides the 64 beams of scale standard"),
                       (["generate", "town", "--threads", "257", *out], "option threads = 257: must be in [0, 256]")]:
        assert part in refusal(*args, code=EXIT_USAGE), args
    assert not list(tmp_path.iterdir())
