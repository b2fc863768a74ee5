"""Folders of localisations with rubbish in them: a page with sentences, never a traceback."""

import needs  # noqa: F401  first: it skips

import os
import random

import pytest
from fuzz_folders import change_bytes, no_image
from ndt_report.figures import NOT_DRAWN
from page_parser import Page
from synthetic_localization import SyntheticDrive

COLUMNS_OF_OLD = ["frame", "scan", "stamp_s", "verdict", "reason", "source", "x_m", "y_m", "z_m", "roll_rad", "pitch_rad", "yaw_rad"]
FILES = ["frames.csv", "localization.json", "localization_truth.tum", "localization_map.pcd", "poses.tum"]


@pytest.fixture(autouse=True)
def no_images(monkeypatch):
    """Most of a page's time goes into its pictures."""
    monkeypatch.setattr("ndt_report.figures.picture_of", no_image)


def said(ndt_report, folder):
    code, out, err = ndt_report("report", folder)
    assert code == 0 and err == "", err
    page = Page((folder / "report.html").read_text("utf-8"))
    assert page.wrong == [] and page.open == [] and NOT_DRAWN not in page.text
    return page.text


def with_frames(tmp_path, text, frames=8):
    folder = SyntheticDrive(frames=frames).write(tmp_path / "run")
    (folder / "frames.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    return folder


def test_empty_files_are_said(tmp_path, ndt_report):
    for name in FILES:
        folder = SyntheticDrive().write(tmp_path / name)
        (folder / name).write_bytes(b"")
        assert len(said(ndt_report, folder)) > 500
    assert "frames.csv has no heading" in (tmp_path / "frames.csv" / "report.html").read_text()
    assert "contains no poses" in (tmp_path / "localization_truth.tum" / "report.html").read_text()


@pytest.mark.parametrize("name", ["localization.json", "localization_truth.tum", "localization_map.pcd", "poses.tum"])
def test_a_missing_file_costs_a_sentence_at_most(tmp_path, ndt_report, name):
    folder = SyntheticDrive().write(tmp_path / "run", left_out=[name])
    text = said(ndt_report, folder)
    assert {
        "localization.json": "which implementation and options made this run is not known",
        "localization_truth.tum": "there is no truth, so nothing can be said of its errors",
        "localization_map.pcd": "trajectories are drawn without the map",
        "poses.tum": "all 40 frames",
    }[name] in text


def test_without_a_truth_no_pose_counts_as_right(tmp_path, ndt_report):
    for left_out, cell in (([], "0"), (["localization_truth.tum"], "–")):
        folder = SyntheticDrive().write(tmp_path / cell, left_out=left_out)
        said(ndt_report, folder)
        assert f"/40</td><td>{cell}</td>" in (folder / "report.html").read_text()


def test_a_killed_run_loses_the_line_that_it_wrote(tmp_path, ndt_report):
    folder = SyntheticDrive().write(tmp_path / "run")
    text = (folder / "frames.csv").read_text()
    (folder / "frames.csv").write_text(text[: text.rindex("3.0")])
    shown = said(ndt_report, folder)
    assert "was stopped while it wrote line 41 of frames.csv" in shown and "its last frame is 38, of 40 scans" in shown


def test_one_frame_and_none(tmp_path, ndt_report):
    assert "all 1 frames" in said(ndt_report, SyntheticDrive(frames=1).write(tmp_path / "one"))
    heading = (tmp_path / "one" / "frames.csv").read_text().splitlines()[0] + "\n"
    assert "not one frame can be read" in said(ndt_report, with_frames(tmp_path, heading))


@pytest.mark.parametrize("cell", ["nan", "", "inf", "-inf", "1e400", "1e31", "text", "1e29", "-1e29", "0"])
def test_odd_numbers_make_a_page(tmp_path, ndt_report, cell):
    drive = SyntheticDrive(frames=12)
    columns = ["x_m", "yaw_rad", "stamp_s", "execution_ms", "nvtl", "variance_x_m2", "frame", "rejected", "aligned_error_m"]
    for row, column in zip(drive.rows[1:], columns):
        row[column] = cell
    said(ndt_report, drive.write(tmp_path / "run"))


@pytest.mark.parametrize("column", ["x_m", "stamp_s", "execution_ms", "error_m"])
def test_a_column_without_any_number_makes_a_page(tmp_path, ndt_report, column):
    drive = SyntheticDrive(frames=8)
    for row in drive.rows:
        row[column] = "nan"
    assert "8 cells of column" in said(ndt_report, drive.write(tmp_path / "run"))


def test_rows_of_other_lengths_and_no_csv_are_left_out_and_counted(tmp_path, ndt_report):
    folder = SyntheticDrive().write(tmp_path / "run")
    lines = (folder / "frames.csv").read_bytes().split(b"\n")
    lines[3:3] = [b"1,2,3", b'"open quote', b"\xff\xfe\x00"]
    (folder / "frames.csv").write_bytes(b"\n".join(lines))
    assert "3 lines of frames.csv cannot be read and are left out; the first is line 4." in said(ndt_report, folder)


def test_a_folder_of_an_older_program_lacks_columns_only(tmp_path, ndt_report):
    folder = SyntheticDrive().write(tmp_path / "run", columns=COLUMNS_OF_OLD)
    text = said(ndt_report, folder)
    assert "frames.csv has no column execution_ms." in text and "No frame has a time." in text
    assert "closed-loop ATE" in text


def test_dropped_scans_and_unordered_times_are_said(tmp_path, ndt_report):
    drive = SyntheticDrive()
    del drive.rows[10:13]
    assert "3 scans have no row between other scans" in said(ndt_report, drive.write(tmp_path / "gaps"))
    drive.rows[5]["stamp_s"] = 0.0
    assert "The times of the frames do not increase" in said(ndt_report, drive.write(tmp_path / "times"))


def test_links_and_pipes_are_not_followed_or_waited_for(tmp_path, ndt_report):
    folder = SyntheticDrive().write(tmp_path / "run", left_out=["localization_truth.tum", "frames.csv"])
    os.mkfifo(folder / "localization_truth.tum")
    os.mkfifo(folder / "frames.csv")
    code, _, err = ndt_report("report", folder)
    assert code == 2 and "frames.csv: not a regular file" in err and "run ndt-bench localize again" in err
    again = SyntheticDrive().write(tmp_path / "again", left_out=["localization_truth.tum"])
    os.mkfifo(again / "localization_truth.tum")
    assert "not a regular file" in said(ndt_report, again)
    (tmp_path / "elsewhere").mkdir()
    (again / "figures").rename(again / "figures_before")
    (again / "figures").symlink_to(tmp_path / "elsewhere")
    code, _, err = ndt_report("report", again)
    assert code == 2 and "a link or a file" in err and list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("seed", range(8))
def test_changed_bytes_make_a_page(tmp_path, ndt_report, seed):
    rng = random.Random(seed)
    folder = SyntheticDrive(frames=30).lose(10, 18).write(tmp_path / "run")
    for _ in range(rng.randrange(1, 4)):
        change_bytes(folder / rng.choice(FILES), rng)
    said(ndt_report, folder)
