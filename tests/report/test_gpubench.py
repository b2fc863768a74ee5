"""The medians of what ndt-gpubench printed, and their picture."""

import needs  # noqa: F401  first: it skips

import json

import pandas as pd
from ndt_report.gpubench import main

COUNTS = {"calls": 28, "allocations": 7, "waits": 4, "peak_bytes": 181136}


def line(name, points, samples_us):
    return json.dumps({"name": name, "points": points, "poses": 0, "voxels": 180, "samples_us": samples_us, **COUNTS})


def test_medians_and_a_picture_are_written(tmp_path):
    rows = [line("map_build_host_clock", 10000, [3, 1, 200]), line("map_build_host_clock", 100000, [10, 20]), line("tile_add_host_clock", 7163, [5])]
    (tmp_path / "gpubench.jsonl").write_text("\n".join(rows) + "\n")
    (tmp_path / "more.jsonl").write_text(line("tile_add_host_clock", 7163, [7, 8, 9]) + "\n")
    assert main([str(tmp_path)]) == 0
    table = pd.read_csv(tmp_path / "summary.csv")
    assert list(zip(table["run"], table["name"], table.median_us)) == [
        ("gpubench", "map_build_host_clock", 3), ("gpubench", "map_build_host_clock", 15),
        ("gpubench", "tile_add_host_clock", 5), ("more", "tile_add_host_clock", 8)]
    assert (table.peak_bytes == 181136).all()
    picture = tmp_path / "figures/map_build.svg"
    before = picture.read_text()
    assert before.startswith("<?xml") and main([str(tmp_path)]) == 0 and picture.read_text() == before
    (tmp_path / "gpubench.jsonl").write_text("\n".join([*rows[1:], line("map_build_host_clock", 10000, [4])]) + "\n")
    assert main([str(tmp_path)]) == 0 and picture.read_text() != before


def test_runs_of_one_size_are_one_point(tmp_path):
    for run, us in (("a", 10), ("b", 30), ("c", 20)):
        (tmp_path / f"{run}.jsonl").write_text(line("map_build_host_clock", 10000, [us]) + "\n")
    assert main([str(tmp_path)]) == 0
    several = (tmp_path / "figures/map_build.svg").read_text()
    for run in "ab":
        (tmp_path / f"{run}.jsonl").unlink()
    assert main([str(tmp_path)]) == 0 and (tmp_path / "figures/map_build.svg").read_text() == several


def test_a_folder_without_maps_is_refused(tmp_path, capsys):
    assert main([str(tmp_path)]) == 2 and "keep what ndt-gpubench prints" in capsys.readouterr().err
    assert main([]) == 1 and main(["--help"]) == 1
