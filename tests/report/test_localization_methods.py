"""The page of a list of localisations: methods side by side, with the wrong poses that each calls ok."""

import json

import needs  # noqa: F401  first: it skips

import pandas as pd
from ndt_report.localization.methods import read_listed
from page_parser import Page
from synthetic_localization import SyntheticDrive

RUNS = [("site", "", "pyramid"), ("site", "", "gicp"), ("site", "map_1", "pyramid"), ("site", "map_1", "gicp"), ("site", "", "odometry")]


def listed(tmp_path, number, drive):
    """Writes run `number` of RUNS, from 1."""
    run, variant, method = RUNS[number - 1]
    folder = drive.write(tmp_path / "-".join(filter(None, (run, variant, method))))
    (folder / "preset.json").write_text(json.dumps({"number": number, "run": run, "variant": variant, "method": method}))
    return folder


def move(drive, frames, metres, **cells):
    for k in frames:
        drive.rows[k] |= {"y_m": float(drive.truth[k][1, 3]) + metres, "x_m": float(drive.truth[k][0, 3]), "aligned_error_m": metres} | cells
    return drive


def drives():
    peer = move(SyntheticDrive(implementation="exec:gicp"), range(30, 40), 0.5)  # wrong, and called converged to the end
    doubted = move(SyntheticDrive(seed=2), range(10, 15), 0.4, verdict="doubtful")
    rejecting = move(SyntheticDrive(seed=3, implementation="exec:gicp"), range(5, 8), 0.05, verdict="doubtful", source="predicted", stop="converged")
    drives = [SyntheticDrive(), peer, doubted, rejecting, SyntheticDrive(seed=4, implementation="exec:odometry")]
    for drive in drives:
        for row in drive.rows:
            row["stop"] = "converged"
    return drives


def test_methods_stand_side_by_side_in_the_order_of_the_list(tmp_path, ndt_report):
    folders = [listed(tmp_path, number, drive) for number, drive in enumerate(drives(), 1)]
    code, out, err = ndt_report("report", *reversed(folders), "--out", tmp_path / "page")
    assert code == 0 and err == ""
    table = pd.read_csv(tmp_path / "page" / "methods.csv")
    assert list(zip(table.condition, table.method)) == [
        ("site", "pyramid"), ("site", "gicp"), ("site", "odometry"), ("site, map_1", "pyramid"), ("site, map_1", "gicp")]
    assert table.ok.tolist() == [40, 40, 40, 35, 37] and table.used.tolist() == [40, 40, 40, 40, 37]
    assert table.wrong_ok.tolist() == [0, 10, 0, 0, 0] and table.wrong_used.tolist() == [0, 10, 0, 5, 0]
    assert table.ends_wrong.tolist() == [0, 1, 0, 0, 0] and table.right.tolist() == [40, 30, 40, 35, 40]
    assert table.right_ok.tolist() == [40, 30, 40, 35, 37]
    assert abs(table.error_max_m[1] - 0.5) < 1e-6 and abs(table.error_last_m[1] - 0.5) < 1e-6 and 0 < table.error_p50_m[1] < 0.1
    assert table.execution_ms_p50.tolist() == [9.5] * 5
    assert "gicp: 77 of 80 scans ok, 10 of them wrong; 1 of 2 runs end wrong." in " ".join(out.split())
    page = Page((tmp_path / "page" / "report.html").read_text("utf-8"))
    assert page.wrong == [] and page.open == [] and "methods" in {a["id"] for a in page.of("section")}
    assert "wrong and used" in page.text and "more than 0.3 m or 3 degrees" in page.text and "site, map_1" in page.text


def test_a_published_folder_has_the_table_and_gives_it_again(tmp_path, ndt_report):
    folders = [listed(tmp_path, number, drive) for number, drive in enumerate(drives(), 1)]
    assert ndt_report("publish", *folders, "--out", tmp_path / "new")[0] == 0
    page = (tmp_path / "new" / "index.md").read_text()
    assert "|  | pyramid | gicp | odometry |\n| --- | --- | --- | --- |\n| site | 40 / 0 / 0; " in page
    assert "40 / 0 / 0, **10 wrong**; 0.0" in page and "| site, map_1 | 35 / 5 / 0; " in page and page.count(" | |") + page.count("|  |\n") == 1
    assert ndt_report("report", tmp_path / "new", "--out", tmp_path / "again")[0] == 0
    assert (tmp_path / "again" / "methods.csv").read_bytes() == (tmp_path / "new" / "methods.csv").read_bytes()


def test_without_several_methods_there_is_no_such_table(tmp_path, ndt_report):
    folders = [listed(tmp_path, 1, SyntheticDrive()), SyntheticDrive(implementation="other").write(tmp_path / "other")]
    odd = ['{"number": "x", "run": 3}', "[]", "no JSON", '{"number": 2, "run": "<b>|", "variant": "", "method": "gicp"}']
    for text in odd:
        (folders[1] / "preset.json").write_text(text)
        assert read_listed(folders[1]) is None, text
    assert ndt_report("report", *folders, "--out", tmp_path / "page")[0] == 0
    page = Page((tmp_path / "page" / "report.html").read_text("utf-8"))
    assert not (tmp_path / "page" / "methods.csv").exists() and "methods" not in {a["id"] for a in page.of("section")}
