"""Files that no reader may trip over or wait for."""

import errno
import os
import subprocess
import sys

import pytest
from conftest import EXIT_BAD_INPUT, ROOT, convert, description, write_cloud
from test_folder import SHIFT, corner, scans_in

from ndt_convert.cli import reported


@pytest.mark.parametrize("name, find, put", [
    ("0.pcd", b"POINTS 1728", b"POINTS " + b"9" * 5000), ("0.pcd", b"COUNT 1 3", b"COUNT 1 " + b"9" * 5000), ("0.pcd", b"COUNT 1 3", b"COUNT 1 3000000000"),
    ("0.pcd", b"COUNT 1 3", b"COUNT 1 1000000000000"), ("0.pcd", b"COUNT 1 3", b"COUNT 1 1" + b"0" * 30), ("0.pcd", b"SIZE 1", b"SIZE " + b"8" * 5000),
    ("0.ply", b"vertex 1728", b"vertex " + b"9" * 5000), ("0.ply", b"vertex 1728", b"vertex 1" + b"0" * 17),
])
def test_headers_with_absurd_numbers_are_faults(tmp_path, name, find, put):
    (tmp_path / "in").mkdir()
    for each in (name, "1" + name[1:]):
        file = write_cloud(tmp_path / "in" / each, corner())
    good = file.read_bytes()
    assert find in good
    (tmp_path / "in" / name).write_bytes(good.replace(find, put))
    for args in ([tmp_path / "in"], [tmp_path / "in", "--map", tmp_path / "in" / name]):
        message = convert(*args, "--out", tmp_path / "out", code=EXIT_BAD_INPUT)
        assert f"{tmp_path / 'in' / name}: " in message and len(message) < 500


def test_a_folder_whose_name_is_not_utf8_is_converted(tmp_path):
    folder = os.fsencode(tmp_path) + b"/n\xff8"
    os.mkdir(folder)
    for i in range(3):
        write_cloud(tmp_path / "a.pcd", corner() - SHIFT[i]).rename(os.fsdecode(folder + b"/\xfe%d.pcd" % i))
    said = convert(os.fsdecode(folder), "--out", tmp_path / "out", python=sys.executable)
    assert "3 scans" in said and description(tmp_path / "out")["provenance"]["source"].endswith("n\ufffd8")
    (tmp_path / "out2").mkdir()
    out = os.fsdecode(os.fsencode(tmp_path) + b"/o\xff")
    assert "o\\udcff: 3 scans" in convert(os.fsdecode(folder), "--out", out, "--name", "o", python=sys.executable)


@pytest.mark.parametrize("option", ["--map", "--poses", "--stamps", "--odometry", "--calib", "--body-from-scan"])
def test_a_pipe_is_refused_and_not_waited_for(tmp_path, option):
    scans, pipe = scans_in(tmp_path / "in"), tmp_path / "pipe.pcd"
    os.mkfifo(pipe)
    poses = tmp_path / "poses"
    poses.write_text("1 0 0 0 0 1 0 0 0 0 1 0\n" * 5)
    more = ["--poses", poses] if option in ("--calib", "--body-from-scan") else []
    done = subprocess.run([sys.executable, "-m", "ndt_convert", scans, option, pipe, *more, "--out", tmp_path / "out"], timeout=60, text=True,
                          capture_output=True, env=os.environ | {"PYTHONPATH": str(ROOT / "datasets"), "PYTHONDONTWRITEBYTECODE": "1"})
    assert done.returncode == EXIT_BAD_INPUT and f"{pipe}: is " in done.stderr and "a regular file" in done.stderr


def test_a_map_that_is_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "site.las")
    assert "is not a regular file" in convert("map", tmp_path / "site.las", "--out", tmp_path / "o.pcd", code=EXIT_BAD_INPUT)


@pytest.mark.parametrize("number, remedy", [(errno.ENOSPC, "make room, or choose another --out"), (errno.EROFS, "choose another --out"),
                                            (errno.EACCES, "check the path and its permissions")])
def test_an_error_of_the_system_has_the_remedy_of_its_cause(capsys, number, remedy):
    def work():
        raise OSError(number, os.strerror(number), "a.pcd")

    assert reported("ndt_convert", work, "") == EXIT_BAD_INPUT
    assert capsys.readouterr().err == f"ndt_convert: a.pcd: {os.strerror(number)}; {remedy}\n"


@pytest.mark.parametrize("row", ["{i} 1e308 0 0 0 0 0 1", "{i} 0 0 -1.1e9 0 0 0 1", "1 0 0 1e308 0 1 0 0 0 0 1 0", "1e200 0 0 0 0 1 0 0 0 0 1 0"])
def test_poses_beyond_the_reach_of_maps_are_refused(tmp_path, row):
    (tmp_path / "poses").write_text("".join(row.format(i=i) + "\n" for i in range(5)))
    message = convert(scans_in(tmp_path / "in"), "--poses", tmp_path / "poses", "--build-map", "even", "--out", tmp_path / "out", code=EXIT_BAD_INPUT)
    assert "poses: line 1: " in message and ("is beyond 1e+09 m" in message or "not a rigid motion" in message)
    assert not (tmp_path / "out").exists()
