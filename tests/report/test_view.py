"""view DIR: one offline page of a drive or of an alignment, by the interpreter that NDT_EXTRAS_PYTHON names."""

import needs  # noqa: F401  first: it skips

import base64
import io
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
from browser import CHROMIUM, MISSING, Browser
from ndt_report.read.refusal import InputError
from ndt_report.view.clouds import MOST_POINTS, near, read_ply, thinned
from synthetic_entries import write_pcd
from synthetic_localization import SyntheticDrive

REPORTS = Path(__file__).resolve().parents[2] / "reports"
FAR = np.array([544_000.25, 4_180_000.5, 12.0])
DRAWN = "document.querySelectorAll('.gl-container canvas').length"
GOOD, ORANGE = (0x00, 0x72, 0xB2), (0xE6, 0x9F, 0x00)  # of poses that are ok, and of a scan at the guess
BELOW_LEGEND_PX, LEAST_PX = 270, 100


@pytest.fixture(scope="module")
def view():
    python = os.environ.get("NDT_EXTRAS_PYTHON")
    if not python:
        pytest.skip("skipped for want of NDT_EXTRAS_PYTHON, an interpreter with tests/requirements-extras.txt")
    if subprocess.run([python, "-c", "import plotly"], capture_output=True).returncode:
        pytest.skip(f"skipped for want of plotly in {python}")

    def run(*arguments, code=0):
        environment = os.environ | {"PYTHONPATH": str(REPORTS)}
        words = [python, "-m", "ndt_report.view", *map(str, arguments)]
        done = subprocess.run(words, capture_output=True, text=True, env=environment)
        assert done.returncode == code, done.stderr
        return done

    return run


@pytest.fixture(scope="module")
def drive(tmp_path_factory):
    made = SyntheticDrive(frames=60).lose(20, 35)
    made.rows[50]["reason"] = "<script>alert(1)</script>"
    made.folder = made.write(tmp_path_factory.mktemp("drive") / "followed")
    cloud = np.random.default_rng(1).uniform([-60, -60, -1], [60, 60, 8], (200_000, 3))
    write_pcd(made.folder / "localization_map.pcd", cloud)
    return made


@pytest.fixture(scope="module")
def drive_page(view, drive):
    said = view(drive.folder).stdout
    assert said.startswith(f"page             {drive.folder}/view.html, ")
    return drive.folder / "view.html"


@pytest.fixture(scope="module")
def flat_page(view, tmp_path_factory):
    """A drive and a map without any height."""
    folder = SyntheticDrive(frames=60).lose(20, 35).write(tmp_path_factory.mktemp("flat") / "followed")
    view(folder)
    return folder / "view.html"


def write_ply(path, points, **columns):
    fields = [(axis, "<f8") for axis in "xyz"] + [(name, values.dtype) for name, values in columns.items()]
    vertices = np.zeros(len(points), fields)
    for name, values in zip(vertices.dtype.names, [*np.transpose(points), *columns.values()]):
        vertices[name] = values
    kinds = {"<f8": "double", "<f4": "float", "|u1": "uchar"}
    head = "".join(f"property {kinds[vertices.dtype[name].str]} {name}\n" for name in vertices.dtype.names)
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n{head}end_header\n"
    path.write_bytes(head.encode() + vertices.tobytes())


@pytest.fixture(scope="module")
def alignment(tmp_path_factory):
    """A scan that moved by 3 and 4 m, up to 0.2 m above a level map. A quarter of its points lies on no voxel, 20 m above."""
    folder, random = tmp_path_factory.mktemp("alignment") / "pictures", np.random.default_rng(2)
    folder.mkdir()
    scan, score = random.uniform(-10, 10, (400, 3)), np.linspace(0, 4, 400, dtype="<f4")
    scan[:, 2] = np.where(np.arange(400) < 100, 20, np.linspace(0, 0.2, 400)) + 0.3
    scan += FAR
    score[:100] = 0
    level = random.uniform(-60, 60, (200_000, 3)) * [1, 1, 0] + [0, 0, 0.3]
    write_ply(folder / "map.ply", FAR + np.concatenate([level, random.uniform(-300, 300, (5000, 3))]), red=np.full(205_000, 9, "u1"))
    write_ply(folder / "scan_before.ply", scan - [3, 4, 0])
    write_ply(folder / "scan_after.ply", scan, score=score)
    result = {"implementation": "mine", "verdict": "doubtful", "doubt": "it ended as degenerate", "nvtl": 2.5}
    (folder / "align.json").write_text(json.dumps(result))
    return folder, scan, score


@pytest.fixture(scope="module")
def alignment_page(view, alignment):
    folder, *_ = alignment
    view(folder, "--out", folder.parent / "one.html")
    return folder.parent / "one.html"


def figure_of(page):
    """(traces by name, layout) as the page's script has them."""
    text, decoder = page.read_text(), json.JSONDecoder()
    begin = re.search(r'Plotly\.newPlot\(\s*"[0-9a-f-]+",\s*', text).end()
    traces, end = decoder.raw_decode(text, begin)
    layout, _ = decoder.raw_decode(text, re.compile(r",\s*").match(text, end).end())
    return {trace["name"]: trace for trace in traces}, layout


def numbers(packed):
    assert packed["dtype"] == "f4"
    return np.frombuffer(base64.b64decode(packed["bdata"]), "<f4")


def places(trace):
    return np.column_stack([numbers(trace[axis]) for axis in "xyz"])


@pytest.mark.parametrize("which", ["drive_page", "alignment_page"])
def test_the_page_fetches_nothing(request, which):
    page = request.getfixturevalue(which)
    html = page.read_text()
    assert "default-src 'none'" in html and "plotly.js v" in html
    assert not re.search(r"<script[^>]*\bsrc=", html) and not re.search(r"<link[^>]*href=[\"'](?!data:)", html)
    assert page.stat().st_size < 7 << 20


def test_every_pose_is_there_in_the_colour_of_its_verdict(drive, drive_page):
    traces, _ = figure_of(drive_page)
    assert set(traces) == {"map", "truth", "path", "ok (45)", "doubtful (4)", "lost (11)"}
    for name in ("ok (45)", "doubtful (4)", "lost (11)"):
        rows = [row for row in drive.rows if row["verdict"] == name.split()[0]]
        wanted = [[row["x_m"], row["y_m"], row["z_m"]] for row in rows]
        np.testing.assert_allclose(places(traces[name]), wanted, atol=1e-4)
        assert [f"frame {row['frame']}," in text for row, text in zip(rows, traces[name]["text"], strict=True)] == [True] * len(rows)
    assert len({traces[name]["marker"]["color"] for name in traces if "(" in name}) == 3
    np.testing.assert_allclose(places(traces["truth"]), drive.truth[:, :3, 3], atol=1e-4)
    assert "60 poses: 45 ok, 11 lost and 4 doubtful; at most" in drive_page.read_text()


def test_texts_have_verdict_reason_and_error_and_no_markup_of_the_file(drive_page):
    traces, _ = figure_of(drive_page)
    first = traces["lost (11)"]["text"][0].split("<br>")
    assert first[:2] == ["frame 24, scan 000024, 2.40 s", "lost: score"] and first[-1].startswith("error ")
    assert "<script>alert" not in drive_page.read_text()
    assert any("&lt;script&gt;alert(1)" in text for text in traces["ok (45)"]["text"])


def test_the_map_is_thinned(drive_page):
    traces, _ = figure_of(drive_page)
    assert MOST_POINTS / 3 < len(places(traces["map"])) <= MOST_POINTS


def test_a_drive_without_map_or_truth_is_drawn(view, tmp_path):
    left_out = ("localization_map.pcd", "localization_truth.tum")
    folder = SyntheticDrive(frames=5).write(tmp_path / "a", left_out=left_out)
    view(folder, "--out", tmp_path / "a.html")
    traces, _ = figure_of(tmp_path / "a.html")
    assert set(traces) == {"path", "ok (5)"}
    assert "There is no localization_map.pcd" in (tmp_path / "a.html").read_text()


@pytest.mark.parametrize("which", ["drive_page", "alignment_page", "flat_page"])
def test_the_scene_is_to_scale_and_holds_all_points(request, which):
    traces, layout = figure_of(request.getfixturevalue(which))
    scene, points = layout["scene"], np.concatenate([places(trace) for trace in traces.values()])
    ranges = np.array([scene[f"{axis}axis"]["range"] for axis in "xyz"])
    assert (points.min(axis=0) >= ranges[:, 0] - 1e-6).all() and (points.max(axis=0) <= ranges[:, 1] + 1e-6).all()
    sides = np.array([scene["aspectratio"][axis] for axis in "xyz"])
    assert scene["aspectmode"] == "manual" and sides.max() == pytest.approx(1)
    np.testing.assert_allclose(sides, np.ptp(ranges, axis=1) / np.ptp(ranges, axis=1).max(), rtol=1e-6)


def test_an_alignment_has_scan_before_and_after_by_distance_from_the_map(alignment, alignment_page):
    _, scan, score = alignment
    traces, layout = figure_of(alignment_page)
    lonely = "scan at the result, no map within 1 m"
    assert set(traces) == {"map", "scan at the guess", "scan at the result", lonely}
    origin = np.array([544_000, 4_180_000, 0])
    near_map = traces["scan at the result"]
    np.testing.assert_allclose(places(near_map), scan[100:] - origin, atol=1e-4)
    np.testing.assert_allclose(places(traces[lonely]), scan[:100] - origin, atol=1e-4)
    np.testing.assert_allclose(places(traces["scan at the guess"]), scan - [3, 4, 0] - origin, atol=1e-4)
    np.testing.assert_allclose(numbers(near_map["marker"]["color"]), np.linspace(0, 0.2, 400)[100:], atol=0.01)
    assert near_map["marker"]["colorbar"]["title"]["text"] == "distance<br>from the map, m"
    assert near_map["hovertemplate"].startswith("%{marker.color:.3f} m from the map<br>score %{customdata:.2f}")
    np.testing.assert_array_equal(numbers(near_map["customdata"]), score[100:])
    assert np.abs(places(traces["map"])[:, :2]).max() < 10 + 20 + 5, "the map is cut around the scan"
    assert layout["scene"]["xaxis"]["title"]["text"] == "x − 544,000, m"
    said = "mine: 400 points; doubtful (it ended as degenerate); NVTL 2.5; moved by 5 m on average; 75 % of them in or beside a voxel"
    assert said in alignment_page.read_text() and "median distance from the map 125 mm" in alignment_page.read_text()


def test_a_grid_keeps_shape_and_number():
    points = np.random.default_rng(3).uniform(0, 100, (30_000, 3))
    kept = thinned(points, 5000)
    assert 2000 < len(kept) <= 5000 and (np.diff(kept) > 0).all()
    assert np.ptp(points[kept], axis=0).min() > 95
    assert list(thinned(points[:7], 7)) == list(range(7))
    assert len(thinned(np.zeros((100, 3)), 10)) == 1


def test_the_map_near_a_place_is_kept():
    points = np.array([[0.0, 0, 500], [9, -9, 0], [11, 0, 0], [0, -11, 0], [np.nan, 0, 0]])
    np.testing.assert_array_equal(near(points, np.zeros((1, 3)), 10.0), points[:2])


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda data: data[:-1], "bytes of points"),
        (lambda data: data.replace(b"binary_little_endian", b"ascii"), "header: is not that of"),
        (lambda data: data.replace(b"double y", b"double q"), "not x, y and z once each"),
        (lambda data: data.replace(b"double y", b"list y"), "other elements or properties"),
        (lambda data: b"", "header: is not that of"),
    ],
)
def test_a_broken_cloud_is_named(tmp_path, change, message):
    path = tmp_path / "a.ply"
    write_ply(path, np.zeros((3, 3)))
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(InputError, match=message):
        read_ply(path)


def test_wrong_arguments_are_named(view, drive, alignment, tmp_path):
    page, odd = tmp_path / "a.html", tmp_path / "odd"
    shutil.copytree(alignment[0], odd)
    (odd / "align.json").write_text("{}")
    for words, message in [
        ((tmp_path, "--out", page), f"{tmp_path}: has neither frames.csv nor scan_after.ply"),
        ((drive.folder, "--out", tmp_path / "no" / "a.html"), "is not a folder"),
        ((odd, "--out", page), "align.json: has no verdict"),
    ]:
        assert message in view(*words, code=2).stderr
    assert "see ./run view --help" in view(drive.folder, "--colour", code=1).stderr
    assert not page.exists()


@pytest.mark.skipif(CHROMIUM is None, reason=MISSING)
@pytest.mark.parametrize("width, dark", [(1440, False), (390, True)])
@pytest.mark.parametrize("which, colour", [("drive_page", GOOD), ("alignment_page", ORANGE), ("flat_page", GOOD)])
def test_a_browser_draws_it_and_says_nothing(request, which, colour, width, dark):
    page = request.getfixturevalue(which)
    with Browser() as browser:
        browser.open(page, width, dark=dark)
        browser.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert browser.value(DRAWN) >= 1, "no WebGL"
        (picture,) = browser.pictures()
        assert browser.value("document.documentElement.scrollWidth") == width
        assert browser.value("performance.getEntriesByType('resource').length") == 0
        assert browser.complaints() == []
    shown = 255 * matplotlib.image.imread(io.BytesIO(picture))[BELOW_LEGEND_PX:, :, :3]
    assert (np.abs(shown - colour).max(axis=2) < 30).sum() > LEAST_PX


def test_run_align_draws_what_it_aligned(view, tmp_path):
    """A program in the place of ndt-bench, which keeps its words and its exit code."""
    python = os.environ["NDT_EXTRAS_PYTHON"]
    points = np.random.default_rng(3).uniform(-9, 9, (50, 3))
    for name in ("map", "scan_before", "scan_after"):
        write_ply(tmp_path / f"{name}.ply", points)
    bench = tmp_path / "bench"
    bench.write_text(f'#!/bin/sh\necho "$1 $2 $3 $4"\nmkdir "$5" && cp {tmp_path}/*.ply "$5"\nexit 4\n')
    bench.chmod(0o755)

    def align(*words):
        words = [python, "-m", "ndt_report.view.of_align", "--bench", bench, *words]
        return subprocess.run(words, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(REPORTS)})

    done = align("--map", "m", "--view", tmp_path / "a.html")
    assert done.returncode == 4 and done.stdout == "align --map m --ply\n", done.stderr
    assert done.stderr.startswith(f"page             {tmp_path}/a.html, ") and "50 points" in (tmp_path / "a.html").read_text()
    again = align("--view", tmp_path / "a.html")
    assert again.returncode == 2 and again.stderr == f"view: {tmp_path}/a.html: exists; give another --view\n"
    assert align("--open").returncode == 1
