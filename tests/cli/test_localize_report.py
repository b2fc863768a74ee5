"""Tests the files that localize leaves for a report, and the page that report makes of one or several such folders."""

import json
import os
import tarfile

import pytest
from conftest import EXIT_BAD_INPUT, bench, refusal

for module in ("numpy", "pandas", "matplotlib", "jinja2"):
    pytest.importorskip(module, reason=f"skipped for want of {module}")

RECORD = {"localization.json", "localization_truth.tum", "localization_map.pcd"}


@pytest.fixture(scope="module")
def folders(town, tmp_path_factory):
    """One of each implementation, on the same scans."""
    place = tmp_path_factory.mktemp("localised")
    for name in ("persistent_cpu", "cpu_pclomp_ref"):
        bench("localize", "--scans", town, "--out", place / name, "--implementation", name, "--jump", 2.5)
    return place


def test_a_run_says_what_made_it_and_keeps_the_truth(town, folders):
    record = json.loads((folders / "persistent_cpu" / "localization.json").read_text())
    assert (record["implementation"], record["scans"], record["scan_count"]) == ("persistent_cpu", "town_small", 8)
    assert record["localizer"]["jump"] == 2.5 and record["localizer"]["prediction"] == "odometry"
    assert record["align"]["profile"] == "pyramid" and record["align"]["resolution"] == 2
    assert record["truth"]["exact"] is True and "--jump 2.5" in record["environment"]["command_line"]
    kept, given = (path.read_text() for path in (folders / "persistent_cpu/localization_truth.tum", town / "truth.tum"))
    assert [line.split()[:4] for line in kept.splitlines()[1:]] == [line.split()[:4] for line in given.splitlines()[1:]]


def test_truth_of_an_earlier_localisation_does_not_stay(town, tmp_path):
    start = "0,0,0,0,0,0"
    first = (town / "truth.tum").read_text().splitlines()[1].split()
    args = ["--map", town / "map.pcd", f"--init={first[1]},{first[2]},{first[3]},0,0,0", "--rate", 2]
    bench("localize", "--scans", town, "--out", tmp_path / "out", "--implementation", "persistent_cpu")
    assert RECORD <= set(os.listdir(tmp_path / "out"))
    bench("localize", "--scans", town / "scans", *args, "--out", tmp_path / "out", "--implementation", "persistent_cpu",
          "--recovery-particles", 0, "--lost-after", 1000)
    assert set(os.listdir(tmp_path / "out")) & RECORD == {"localization.json", "localization_map.pcd"}
    assert json.loads((tmp_path / "out/localization.json").read_text())["truth"] is None
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/localization_map.pcd").write_text("not of a localisation")
    message = refusal("localize", "--scans", town, "--out", tmp_path / "mine", "--init", start, code=EXIT_BAD_INPUT)
    assert "localization_map.pcd: it exists" in message


def test_one_folder_has_its_page_in_it(folders):
    folder = folders / "persistent_cpu"
    out = bench("report", folder).stdout.splitlines()
    assert out[0].startswith("persistent_cpu: all 8 frames of town_small followed, none lost; closed-loop ATE ")
    assert out[-1] == str(folder / "report.html") and "closed loop" in (folder / "report.html").read_text()


def test_several_folders_have_one_page(folders, tmp_path):
    both = [folders / "cpu_pclomp_ref", folders / "persistent_cpu"]
    out = bench("report", *both, cwd=tmp_path).stdout.splitlines()
    assert out[0].startswith("2 of 2 runs followed every frame") and out[-1].endswith("-localised/report.html")
    page = bench("report", *both, "--out", tmp_path / "page").stdout.splitlines()[-1]
    assert page == str(tmp_path / "page" / "report.html")
    assert "cpu_pclomp_ref" in (tmp_path / "page" / "report.html").read_text()
    bench("report", both[0], "--out", tmp_path / "one")
    assert (tmp_path / "one" / "report.html").is_file()


def test_a_published_folder_of_localisations_has_one_page(folders, tmp_path):
    with tarfile.open(tmp_path / "rows.tar.xz", "w:xz", format=tarfile.USTAR_FORMAT) as rows:
        for name in ("cpu_pclomp_ref", "persistent_cpu"):
            rows.add(folders / name / "frames.csv", f"runs/{name}/frames.csv")
    out = bench("report", tmp_path, "--out", tmp_path / "page").stdout
    assert out.startswith("2 of 2 runs followed every frame")


def test_a_localisation_and_a_run_are_not_one_report(folders, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "results.jsonl").write_text("")
    message = refusal("report", folders / "persistent_cpu", tmp_path / "run", code=EXIT_BAD_INPUT)
    assert "persistent_cpu: is a localisation, which cannot be mixed with benchmark runs" in message
