"""Input as people have it: no-returns, other units of time, names with numbers, bad files, GNSS beside the map, a scan in its map."""

import math
import shutil
import struct

import pytest
from conftest import EXIT_JOBS_FAILED, EXIT_USAGE, bench, refusal
from localizations import localize, start_in


def points_of(file):
    """Rows of bytes, and the header, of a binary PCD with x y z alone."""
    header, _, body = file.read_bytes().partition(b"DATA binary\n")
    return header + b"DATA binary\n", [body[k:k + 12] for k in range(0, len(body), 12)]


def with_zeros(source, target, share):
    """A copy of which so many of a hundred points are 0 0 0."""
    header, rows = points_of(source)
    rows = [bytes(12) if k * 37 % 100 < share else row for k, row in enumerate(rows)]
    target.write_bytes(header + b"".join(rows))


@pytest.fixture
def folder(town, tmp_path):
    """Copies of the town's scans, and the arguments that follow them."""
    scans = tmp_path / "scans"
    shutil.copytree(town / "scans", scans)
    stamps = tmp_path / "times.txt"
    stamps.write_text("".join(f"{0.5 * k}\n" for k in range(8)))
    return scans, [*start_in(town), "--odometry", town / "odometry.tum"]


def test_no_returns_are_left_out_and_counted(town, folder, tmp_path):
    scans, args = folder
    clean, _ = localize(scans, tmp_path / "clean", *args, "--rate", 2)
    for scan in scans.iterdir():
        with_zeros(town / "scans" / scan.name, scan, 41)
    got, done = localize(scans, tmp_path / "out", *args, "--rate", 2)
    assert {f["verdict"] for f in got.frames} == {"ok"}
    line = next(line for line in done.stdout.splitlines() if line.startswith("no returns"))
    assert "(41 %) in 8 scans left out" in line and line.endswith(" zero")
    assert all(d["no_returns"]["zero"] > 1000 and d["no_returns"]["identical"] == 0 for d in got.diagnostics)
    assert not any(sum(d["no_returns"].values()) for d in clean.diagnostics)
    kept, done = localize(scans, tmp_path / "kept", *args, "--rate", 2, "--keep-no-returns")
    assert "no returns" not in done.stdout and kept.tum != got.tum


def test_align_names_no_returns_and_the_remedy(courtyard, tmp_path):
    with_zeros(courtyard.scan, tmp_path / "scan.pcd", 41)
    words = ["align", "--map", courtyard.map, "--guess", "0.3,-0.2,0.1,0,0,0.05", "--scan"]
    said = bench(*words, tmp_path / "scan.pcd")
    assert "are no returns" in said.stderr and "--drop-no-returns leaves them out" in said.stderr
    done = bench(*words, tmp_path / "scan.pcd", "--drop-no-returns")
    assert "were left out" in done.stderr and "verdict          ok" in done.stdout
    assert "no returns" not in bench(*words, courtyard.scan).stderr
    search = bench("initial-pose", *words[1:], tmp_path / "scan.pcd", "--sigma", "1,1,0.1,0.02,0.02", "--particles", 40)
    assert "were left out; --keep-no-returns keeps them" in search.stderr and "reliable" in search.stdout


@pytest.mark.parametrize("unit,factor", [("ms", 1e3), ("us", 1e6), ("ns", 1e9)])
def test_stamps_in_other_units_become_seconds(folder, tmp_path, unit, factor):
    scans, args = folder
    (tmp_path / "stamps.txt").write_text("".join(f"{int(0.5 * k * factor)}\n" for k in range(8)))
    seconds, _ = localize(scans, tmp_path / "s", *args, "--rate", 2)
    got, done = localize(scans, tmp_path / "out", *args, "--stamps", tmp_path / "stamps.txt")
    assert f"its times are in {unit} and were multiplied by" in done.stderr
    assert [[round(float(x), 6) for x in row] for row in got.tum] == [[round(float(x), 6) for x in row] for row in seconds.tum]


def test_the_unit_of_stamps_can_be_given(folder, tmp_path):
    scans, args = folder
    assert "--stamp-unit requires --stamps" in refusal("localize", "--scans", scans, "--out", tmp_path / "o", *args, "--stamp-unit", "ms",
                                                       code=EXIT_USAGE)
    first = (scans / "000000.pcd").read_bytes()
    for scan in scans.iterdir():
        scan.write_bytes(first)
    (tmp_path / "stamps.txt").write_text("".join(f"{50 * k}\n" for k in range(8)))
    args = [*args[:args.index("--odometry")], "--frozen-after", 0]
    got, _ = localize(scans, tmp_path / "out", *args, "--stamps", tmp_path / "stamps.txt", "--stamp-unit", "ms")
    assert [float(row[0]) for row in got.tum] == pytest.approx([0.05 * k for k in range(8)])


def test_scans_are_followed_in_the_order_of_their_numbers(town, tmp_path):
    scans = tmp_path / "scans"
    scans.mkdir()
    for k in range(8):
        shutil.copy(town / "scans" / f"{k:06}.pcd", scans / f"cloud_{k + 5}.pcd")
    (tmp_path / "times.txt").write_text("".join(f"{0.5 * k}\n" for k in range(8)))
    args = [*start_in(town), "--odometry", town / "odometry.tum", "--stamps", tmp_path / "times.txt"]
    got, done = localize(scans, tmp_path / "out", *args)
    assert [f["scan"] for f in got.frames] == [f"cloud_{k + 5}" for k in range(8)]
    assert {f["verdict"] for f in got.frames} == {"ok"}
    assert "in numerical order: 'cloud_5' before 'cloud_10', unlike alphabetical order" in done.stderr


def test_a_scan_that_cannot_be_read_is_a_doubt_and_the_others_go_on(folder, tmp_path):
    scans, args = folder
    cut = scans / "000003.pcd"
    cut.write_bytes(cut.read_bytes()[:2000])
    got, done = localize(scans, tmp_path / "out", *args, "--rate", 2, code=EXIT_JOBS_FAILED)
    assert [f["verdict"] for f in got.frames] == ["ok"] * 3 + ["doubtful"] + ["ok"] * 4
    assert "unreadable       1 of the scans" in done.stdout and "000003.pcd" in done.stdout
    assert any("the scan cannot be read" in message for message in got.diagnostics[3]["messages"])
    for scan in scans.iterdir():
        scan.write_text("junk\n")
    assert "000000.pcd" in refusal("localize", "--scans", scans, "--out", tmp_path / "none", *args, "--rate", 2, code=2)


def test_a_scan_whose_points_are_no_measurements_is_a_doubt(folder, tmp_path):
    scans, args = folder
    far = scans / "000003.pcd"
    header, rows = points_of(far)
    far.write_bytes(header + b"".join(struct.pack("<3f", *(1e10 * x for x in struct.unpack("<3f", row))) for row in rows))
    got, done = localize(scans, tmp_path / "out", *args, "--rate", 2)
    assert got.frames[3]["reason"] == "scan_empty" and "sentinel" in done.stdout
    assert "doubtful         1: 1 scan_empty" in done.stdout


def test_a_frozen_sensor_is_a_doubt(town, tmp_path):
    scans = tmp_path / "scans"
    scans.mkdir()
    for k in range(5):
        shutil.copy(town / "scans" / "000000.pcd", scans / f"{k}.pcd")
    got, done = localize(scans, tmp_path / "out", *start_in(town))
    assert [f["reason"] for f in got.frames] == ["none"] * 2 + ["scan_frozen"] * 3
    assert "frozen           3 scans" in done.stdout


@pytest.mark.parametrize("beside_m", [12, 1000])
def test_gnss_beside_the_map_is_not_used_and_said(town, tmp_path, beside_m):
    rows = [line.split() for line in (town / "gnss.tum").read_text().splitlines() if not line.startswith("#")]
    gnss = tmp_path / "gnss.tum"
    gnss.write_text("".join(" ".join([row[0], str(float(row[1]) + beside_m), *row[2:]]) + "\n" for row in rows))
    got, done = localize(town, tmp_path / "out", "--gnss", gnss)
    without, _ = localize(town, tmp_path / "without", "--gnss", "none")
    assert got.tum == without.tum
    assert f"m beside the map in 8 of 8 scans" in done.stdout and "GNSS             used for 0 of 8 scans (contradicts 8)" in done.stdout
    assert all(d["gnss_miss"] == "contradicts" and abs(d["gnss_beside_m"] - beside_m) < 2 for d in got.diagnostics)


def test_the_covariance_of_a_fix_counts(town, tmp_path):
    rows = [line.split() for line in (town / "gnss.tum").read_text().splitlines() if not line.startswith("#")]
    gnss = tmp_path / "gnss.tum"
    for variance, used in ((1, False), (400, True)):
        moved = [[row[0], str(float(row[1]) + 6), *row[2:], str(variance), "0", str(variance)] for row in rows]
        gnss.write_text("".join(" ".join(row) + "\n" for row in moved))
        got, _ = localize(town, tmp_path / f"out{variance}", "--gnss", gnss)
        assert all((d["regularisation_xy_m"] is not None) == used for d in got.diagnostics)
    assert all(d["gnss_miss"] == "none" for d in localize(town, tmp_path / "wide", "--gnss-sigma", 50)[0].diagnostics)


def test_a_scan_in_the_folder_of_its_map_is_left_out(courtyard, tmp_path):
    tiles = tmp_path / "map"
    tiles.mkdir()
    shutil.copy(courtyard.map, tiles / "map.pcd")
    shutil.copy(courtyard.scan, tiles / "scan.pcd")
    words = ["align", "--guess", "0.3,-0.2,0.1,0,0,0.05", "--map"]
    done = bench(*words, tiles, "--scan", tiles / "scan.pcd")
    assert "scan.pcd lies in the folder of the map and is left out of the map" in done.stderr
    alone = bench(*words, courtyard.map, "--scan", courtyard.scan)
    assert [line for line in done.stdout.splitlines() if line.startswith(("position", "verdict"))] == \
        [line for line in alone.stdout.splitlines() if line.startswith(("position", "verdict"))]


def test_a_map_that_holds_the_scan_is_a_doubt(courtyard):
    done = bench("align", "--map", courtyard.map, "--scan", courtyard.map, "--guess", "0,0,0,0,0,0")
    assert "doubtful: 100 % of the scan's points are points of the map at the guess, bit by bit" in done.stdout


def test_a_dataset_without_a_map_is_followed_through_another(town, tmp_path):
    dataset = tmp_path / "recording"
    shutil.copytree(town / "scans", dataset / "scans")
    (dataset / "times.txt").write_text("".join(f"{0.5 * k}\n" for k in range(8)))
    (dataset / "dataset.toml").write_text('format = 1\nname = "recording"\ndescription = "d"\nkind = "sequence"\nscans = ["scans/*.pcd"]\n'
                                          '[times]\nfile = "times.txt"\n')
    start = start_in(town)
    got, done = localize(dataset, tmp_path / "out", *start, "--odometry", town / "odometry.tum")
    assert [float(row[0]) for row in got.tum] == [0.5 * k for k in range(8)] and "no times" not in done.stderr
    assert {f["verdict"] for f in got.frames} == {"ok"}
    assert "give a map with --map" in refusal("localize", "--scans", dataset, "--out", tmp_path / "o", "--init", "0,0,0,0,0,0", code=2)
    assert not math.isnan(float(got.frames[0]["x_m"]))
