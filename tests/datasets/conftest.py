"""The converter as its users run it, and small clouds in every format."""

import contextlib
import io
import os
import struct
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

np = pytest.importorskip("numpy", reason="skipped for want of numpy (Debian: python3-numpy)")

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "datasets"))

from ndt_convert.cli import main  # noqa: E402
from schema import check_description  # noqa: E402

EXIT_OK, EXIT_USAGE, EXIT_BAD_INPUT = 0, 1, 2


def convert(*args, code=EXIT_OK, python=None):
    """Runs ndt_convert, in a process of its own if given an interpreter, and checks how it ends; the message, on stdout if it
    is ok and on stderr if not."""
    got, out, err = (run_in if python else run_here)(python, [str(arg) for arg in args])
    assert got == code, f"exit {got}\n{out}\n{err}"
    if code == EXIT_OK:
        assert err == ""
        return out
    assert err.startswith("ndt_convert: ") and err.count("\n") == 1, err
    return err


def run_in(python, args):
    environment = os.environ | {"PYTHONPATH": str(ROOT / "datasets"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([python, "-m", "ndt_convert", *args], capture_output=True, text=True, env=environment)
    return done.returncode, done.stdout, done.stderr


def run_here(_, args):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(args)
        except SystemExit as end:  # argparse's
            code = end.code
    return code, out.getvalue(), err.getvalue()


def description(folder):
    table = tomllib.loads((folder / "dataset.toml").read_text(encoding="utf-8"))
    check_description(table)
    return table


def pcd_points(file):
    """(n, 3) of a PCD the converter wrote, every byte accounted for."""
    header, _, data = file.read_bytes().partition(b"DATA binary\n")
    lines = dict(line.split(" ", 1) for line in header.decode().splitlines())
    assert lines["VERSION"] == "0.7" and lines["FIELDS"] == "x y z" and lines["TYPE"] == "F F F" and lines["COUNT"] == "1 1 1"
    points = np.frombuffer(data, dtype={"4 4 4": "<f4", "8 8 8": "<f8"}[lines["SIZE"]]).reshape(-1, 3)
    assert lines["WIDTH"] == lines["POINTS"] == str(len(points)) and lines["HEIGHT"] == "1"
    return points


def with_times(file):
    """(points, their field t) of a PCD that has it."""
    header, _, data = file.read_bytes().partition(b"DATA binary\n")
    assert b"FIELDS x y z t\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\n" in header
    rows = np.frombuffer(data, "<f4").reshape(-1, 4)
    return rows[:, :3].tolist(), rows[:, 3]


def write_cloud(file, points, encoding="binary"):
    """Writes a cloud in the format of the file's extension, .pcd and .ply in the given encoding."""
    points = np.asarray(points, dtype="<f4")
    if file.suffix == ".bin":
        file.write_bytes(np.column_stack([points, np.zeros(len(points))]).astype("<f4").tobytes())
    elif file.suffix == ".ply":
        kind = {"ascii": "ascii", "binary": "binary_little_endian", "big": "binary_big_endian"}[encoding]
        properties = "property uchar ring\n" + "".join(f"property float {axis}\n" for axis in "xyz")
        file.write_bytes(f"ply\nformat {kind} 1.0\ncomment made by a test\nelement vertex {len(points)}\n{properties}end_header\n".encode()
                         + _rows(points, encoding))
    else:
        fields = ("FIELDS ring _ x y z\nSIZE 1 1 4 4 4\nTYPE U U F F F\nCOUNT 1 3 1 1 1\n" if encoding != "ascii" else
                  "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n")
        header = f"# .PCD v0.7\nVERSION 0.7\n{fields}WIDTH {len(points)}\nHEIGHT 1\nPOINTS {len(points)}\n"
        data = {"ascii": "ascii", "binary": "binary", "lzf": "binary_compressed"}[encoding]
        body = {"ascii": lambda: "".join(f"{x} {y} {z}\n" for x, y, z in points.tolist()).encode(),
                "binary": lambda: b"".join(b"\7\0\0\0" + row.tobytes() for row in points),
                "lzf": lambda: lzf_literals(b"\7" * len(points) + bytes(3 * len(points)) + points.T.tobytes())}[encoding]()
        file.write_bytes(f"{header}DATA {data}\n".encode() + body)
    return file


def lzf_literals(plain):
    """Compressed by nothing but literals, and a back reference for runs of 64 equal bytes."""
    packed, i = bytearray(), 0
    while i < len(plain):
        if i and plain[i:i + 64] == plain[i - 1:i] * 64:
            packed += bytes([7 << 5, 64 - 9, 0])  # 64 bytes, each the one before
            i += 64
        else:
            piece = plain[i:i + 20]
            packed += bytes([len(piece) - 1]) + piece
            i += len(piece)
    return struct.pack("<II", len(packed), len(plain)) + bytes(packed)


def _rows(points, encoding):
    if encoding == "ascii":
        return "".join(f"7 {x} {y} {z}\n" for x, y, z in points.tolist()).encode()
    order = ">f4" if encoding == "big" else "<f4"
    return b"".join(b"\7" + row.astype(order).tobytes() for row in points)


def write_tum(file, positions, start=0.0, step=1.0):
    rows = [f"{start + i * step} {x} {y} {z} 0 0 0 1" for i, (x, y, z) in enumerate(positions)]
    file.write_text("# a comment\n" + "\n".join(rows) + "\n")
    return file


@pytest.fixture(scope="session")
def extras_python():
    """An interpreter that has rosbags."""
    python = os.environ.get("NDT_EXTRAS_PYTHON")
    if not python:
        pytest.skip("skipped for want of NDT_EXTRAS_PYTHON, an interpreter with tests/requirements-extras.txt")
    if subprocess.run([python, "-c", "import rosbags"], capture_output=True).returncode:
        pytest.skip(f"skipped for want of rosbags in {python}")
    return python


@pytest.fixture(scope="session")
def datasets():
    if not os.environ.get("NDT_DATASETS"):
        pytest.skip("skipped for want of NDT_DATASETS")
    return Path(os.environ["NDT_DATASETS"])
