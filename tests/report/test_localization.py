"""The page of localisation runs, and the command that makes it; of a list of runs, with methods side by side."""

import needs  # noqa: F401  first: it skips

import json

import pandas as pd
from ndt_report.localization.methods import read_listed
from page_parser import Page
from synthetic_localization import SyntheticDrive

SECTIONS = ["runs", "map", "errors", "chain", "verdicts", "latency", "covariance", "detectors", "method"]


def unwrapped(out):
    return " ".join(out.split())


def page_of(folder):
    page = Page((folder / "report.html").read_text("utf-8"))
    assert page.wrong == [] and page.open == []
    return page


def test_the_page_of_a_followed_drive(tmp_path, ndt_report):
    folder = SyntheticDrive().write(tmp_path / "run")
    code, out, err = ndt_report("report", folder)
    lines = out.splitlines()
    assert code == 0 and err == "" and lines[-1] == str(folder / "report.html") and len(lines) <= 24
    assert lines[0].startswith("persistent_cpu: all 40 frames of circle followed, none lost; closed-loop ATE ")
    assert "100 % of frames within 100 ms, 60 % within 10 ms" in unwrapped(out) and max(map(len, lines[:-1])) <= 120
    page = page_of(folder)
    assert {a["id"] for a in page.of("section")} - {"cautions"} == {"verdict", "sentences", *SECTIONS}
    for text in ("closed loop", "open loop", "Made-up CPU", "should lie in", "pyramid", "Truth of circle: exact."):
        assert text in page.text
    assert "The pose was known all the time: there is nothing to recover from." in page.text
    assert "0 of 40 alignments end farther than 0.2 m or 1 deg from the truth" in page.text
    assert len(page.of("figure")) == 6 and (folder / "summary.csv").read_text().startswith("run,folder,implementation")
    assert {p.name for p in (folder / "figures").iterdir()} >= {"localization_errors.csv", "localization_errors.svg"}


def test_the_page_of_a_drive_that_was_lost_and_found(tmp_path, ndt_report):
    drive = SyntheticDrive(frames=80).lose(30, 45)
    drive.rows[70] |= {"x_m": drive.rows[70]["x_m"] + 5}  # wrong, and called ok
    code, out, _ = ndt_report("report", drive.write(tmp_path / "run"))
    text = unwrapped(out)
    assert code == 0 and "65 of 80 frames of circle followed, 15 only predicted, 11 of these lost" in text
    assert "found again 1 time, after 1.5 s at most" in text and "1 wrong pose is called ok" in text
    page = page_of(tmp_path / "run")
    assert len(page.of("figure")) == 7  # with the ROC
    assert "NVTL tells wrong alignments best" in page.text and "15 (100 %)" in page.text and "e+" not in page.text


def test_several_runs_stand_side_by_side(tmp_path, ndt_report):
    names = ["cpu_pclomp_ref", "persistent_cpu", "persistent_cuda"]
    folders = [SyntheticDrive(implementation=name).write(tmp_path / name) for name in names]
    folders.append(SyntheticDrive(implementation="other", seed=5).lose(20, 40, recovered=False).write(tmp_path / "other"))
    code, out, err = ndt_report("report", *folders, "--out", tmp_path / "new" / "both")
    assert code == 0 and err == "" and out.startswith("3 of 4 runs followed every frame, with a closed-loop ATE of ")
    assert "Bitwise equal trajectories: cpu_pclomp_ref, persistent_cpu and persistent_cuda." in unwrapped(out)
    assert "lost since frame 24, to the end" in unwrapped(out)
    page = page_of(tmp_path / "new" / "both")
    assert "bitwise equal to cpu_pclomp_ref" in page.text
    assert not (folders[0] / "report.html").exists()


def test_equal_names_are_told_apart_by_their_folders(tmp_path, ndt_report):
    folders = [SyntheticDrive(scans=s).write(tmp_path / f) for s, f in (("a", "one"), ("b", "two"), ("b", "three"))]
    code, _, _ = ndt_report("report", *folders, "--out", tmp_path / "both")
    text = page_of(tmp_path / "both").text
    assert code == 0 and all(s in text for s in ("persistent_cpu, a", "persistent_cpu, b (two)", "persistent_cpu, b (three)"))


def test_the_same_folder_gives_the_same_bytes(tmp_path, ndt_report):
    folder, pages = SyntheticDrive().lose(10, 20).write(tmp_path / "run"), []
    for _ in range(2):
        assert ndt_report("report", folder)[0] == 0
        pages.append({p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()})
    assert pages[0] == pages[1]


def test_folders_that_do_not_fit_are_refused(tmp_path, ndt_report):
    one, two = (SyntheticDrive().write(tmp_path / name) for name in ("one", "two"))
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "results.jsonl").write_text("")
    code, out, err = ndt_report("report", one, two)
    assert (code, out) == (2, "") and "give --out" in err
    code, out, err = ndt_report("report", one, tmp_path / "run", "--out", tmp_path / "new")
    assert (code, out) == (2, "") and "run: not of ndt-bench localize" in err and not (tmp_path / "new").exists()


def test_foreign_text_is_escaped(tmp_path, ndt_report):
    drive = SyntheticDrive(frames=40, implementation="<script>x</script>\x1b[2J", scans="$\\frac{&amp;'\u202e")
    drive.lose(10, 20)
    for row in drive.rows:
        row |= {"reason": "<b>=1+1</b>", "verdict": row["verdict"]}
    folder = drive.write(tmp_path / "run")
    assert ndt_report("report", folder)[0] == 0 and page_of(folder)
    html = (folder / "report.html").read_text("utf-8")
    assert "<script>x" not in html and "\x1b" not in html and "\u202e" not in html and "<b>=1" not in html
    for path in folder.rglob("*.csv"):
        if path.name != "frames.csv":
            assert "\x1b" not in path.read_text("utf-8")


# --- a list of runs: methods side by side, with the wrong poses that each calls ok ---

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
