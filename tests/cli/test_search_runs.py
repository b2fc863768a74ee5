"""Searches for the initial pose in a run, by the program that searches one scan too."""

import json
import math

import pytest
from conftest import bench


def test_searches_anywhere_of_a_run_find_what_initial_pose_finds(tmp_path, courtyard):
    """From priors of two widths and in the whole map; the page has them as a ladder."""
    study = """
[[study]]
datasets = ["courtyard"]
threads = [2]
timed = false
variants = [{{ name = "pyramid", profile = "pyramid" }}]
seeds = 1
{prior}
searches = [{{ name = "anywhere {name}", method = "anywhere", particles = 5, implementations = ["persistent_cpu"] }}]
"""
    priors = {"1 m": "sigma = [1, 1, 0.1, 0, 0]", "3 m": "sigma = [3, 3, 0.1, 0, 0]"}
    priors["map"] = "prior = 'map'\nsigma = [0, 0, 0, 0, 0]"
    text = "".join(study.format(name=name, prior=prior) for name, prior in priors.items())
    (tmp_path / "ladder.toml").write_text('description = "a ladder"' + text)
    bench("run", "--preset", tmp_path / "ladder.toml", "--out", tmp_path / "run")
    rows = {row["search"]["name"]: row for row in map(json.loads, (tmp_path / "run/results.jsonl").read_text().splitlines())}
    assert set(rows) == {f"anywhere {name}" for name in priors} and not any(row["error"] for row in rows.values())
    row = rows["anywhere map"]
    assert row["search"]["prior"] == "map" and rows["anywhere 1 m"]["search"]["prior"] is None
    yaw = math.atan2(row["guess"][4], row["guess"][0])
    words = ["--prior", "map", "--guess", f"0,0,0,0,0,{yaw!r}", "--particles", 5, "--json"]
    alone = json.loads(bench("initial-pose", *courtyard.args, *words).stdout)
    search, anywhere = row["search"], alone["anywhere"]
    assert search["places"] == len(anywhere["places"]) and search["coverage"] == anywhere["coverage"] == 1
    assert (search["place_cell_m"], search["pyramid_bytes"]) == (anywhere["cell_m"], anywhere["pyramid_bytes"])
    assert search["verdict"] == alone["verdict"] and 0 < search["coarse_us"] < row["align_us"][0] and search["pyramid_us"] > 0
    assert row["nvtl"] == pytest.approx(alone["best"]["nvtl"], rel=1e-6)
    bench("report", tmp_path / "run")
    page = (tmp_path / "run/report.html").read_text()
    said = "Initial pose on courtyard, prior of the whole map: persistent_cpu, anywhere, 1 of 1 searches succeed"
    assert "The less one knows" in page and said in page
