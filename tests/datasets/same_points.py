"""Whether the library, ndt-bench and the converter say the same of a file: read or refused, the message, the points bit by bit, and the
no-returns of each cause. The files are clouds in every format, the fuzzer's corpus among them, and changed ones.

  python3 same_points.py READ_CLOUDS NDT_BENCH [--count 100000] [--seed 1]    READ_CLOUDS: the program of read_clouds.cpp
"""

import argparse
import json
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from io import BytesIO
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "datasets"))
sys.path.insert(0, str(HERE))

from conftest import write_cloud  # noqa: E402
from ndt_convert.clouds import write_part  # noqa: E402
from ndt_convert.faults import Fault  # noqa: E402
from ndt_convert.library import CAUSES, no_returns, read_points  # noqa: E402

FUZZ = HERE.parent / "fuzz"
OF_CORPUS = {"pcd": ".pcd", "ply": ".ply", "kitti_bin": ".bin"}
LARGEST = 1 << 16  # bytes of a file that is changed
NEAR_M, STEP_M = 1000, 1000  # of the library's origin
UNREAD = "the scan cannot be read: "
BATCH = 500  # scans that ndt-bench follows at once
PLACES = b"\x00\x01\x20\x2d\x2e\x30\x39\x65\x7f\x80\xff\n"  # bytes that mean something in headers and text


def originals(folder):
    """[(contents, ending)]: small clouds in every format, and the fuzzer's corpus; and how many the former are."""
    rng = np.random.default_rng(0)
    points = np.vstack([rng.uniform(-40, 40, (300, 3)), np.zeros((20, 3)), np.full((8, 3), 9999.0)])
    out = []
    for number, (kind, encoding) in enumerate([(".pcd", "binary"), (".pcd", "ascii"), (".pcd", "lzf"), (".ply", "binary"), (".ply", "ascii"),
                                               (".ply", "big"), (".bin", "")]):
        file = write_cloud(folder / f"{number}{kind}", points, encoding)
        out.append((file.read_bytes(), kind))
    for far_m in (0, 5e5):
        write_part(folder / "0.pcd", folder / "double.pcd", points + far_m, np.full(len(points), True))
        write_part(folder / "3.ply", folder / "double.ply", points + far_m, np.full(len(points), True))
        out += [((folder / f"double{kind}").read_bytes(), kind) for kind in (".pcd", ".ply")]
    for shift in (0, 5e5):
        text = "\n".join(" ".join(f"{value:.4f}" for value in point) for point in points + shift)
        out += [(text.encode(), ".xyz"), (("x,y,z\n" + text.replace(" ", ",")).encode(), ".csv")]
        for form in ("<f4", "<f8"):
            array = BytesIO()
            np.save(array, (points + shift).astype(form))
            out.append((array.getvalue(), ".npy"))
    readable = len(out)
    for name, kind in OF_CORPUS.items():
        contents = [file.read_bytes() for file in sorted((FUZZ / "corpus" / name).glob("*"))]
        for archive in (FUZZ / kept / f"{name}.tar.xz" for kept in ("corpus", "found")):
            if archive.exists():
                with tarfile.open(archive) as inside:
                    contents += [inside.extractfile(member).read() for member in inside]
        out += [(data, kind) for data in contents if len(data) <= LARGEST]
    return out, readable


def changed(contents, rng):
    """One to three changes: a byte, a run of bytes, a cut, a repeated part."""
    contents = bytearray(contents)
    for _ in range(rng.integers(1, 4)):
        if not contents:
            break
        # Half of the changes are in the header.
        at = int(rng.integers(min(len(contents), 300) if rng.integers(2) else len(contents)))
        kind = rng.integers(5)
        if kind <= 1:
            contents[at] = PLACES[rng.integers(len(PLACES))] if kind else int(rng.integers(256))
        elif kind == 2:
            del contents[at:at + int(rng.integers(1, 9))]
        elif kind == 3:
            del contents[at:]
        else:
            contents[at:at] = contents[at:at + int(rng.integers(1, 33))]
    return bytes(contents)


def of_library(program, files):
    """[(message, None, None, None) or (None, origin, points, counts)] of the files, as the library has them."""
    names = "".join(f"{file}\n" for file in files).encode()
    stream = BytesIO(subprocess.run([program], input=names, capture_output=True, check=True).stdout)
    return [_outcome(stream) for _ in files]


def _outcome(stream):
    def values(kind, count):
        return np.frombuffer(stream.read(np.dtype(kind).itemsize * count), kind)
    count = int(values("<i8", 1)[0])
    if count < 0:
        return stream.read(int(values("<i8", 1)[0])).decode(errors="replace"), None, None, None
    return None, values("<f8", 3), values("<f4", 3 * count).reshape(-1, 3), values("<i8", 4)


def of_converter(file):
    """The converter's, in the same form. The origin is found here by the rule that io/points.hpp states."""
    try:
        points = read_points(file)
    except Fault as fault:
        return str(fault), None, None, None
    counts = np.bincount(no_returns(points), minlength=len(CAUSES) + 1)[1:]
    origin = np.zeros(3)
    if points.dtype == np.float64:
        finite = points[np.isfinite(points).all(axis=1)]
        if (np.abs(finite) > NEAR_M).any():
            origin = np.floor(np.sort(finite, axis=0)[len(finite) // 2] / STEP_M) * STEP_M + 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            points = (points - origin).astype(np.float32)
    return None, origin, points, counts


def of_bench(bench, map_file, folder, count):
    """[message or the counts of no-returns] of the scans of a folder, as `ndt-bench localize` has them."""
    with tempfile.TemporaryDirectory() as out:
        done = subprocess.run([bench, "localize", "--map", map_file, "--scans", folder, "--out", f"{out}/run", "--implementation",
                               "persistent_cpu", "--max-iterations", "1", "--init", "0,0,0,0,0,0"], capture_output=True, text=True)
        file = Path(out) / "run" / "diagnostics.jsonl"
        if not file.is_file():
            sys.exit(f"ndt-bench: {done.returncode} {done.stderr}")
        rows = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(rows) == count, (len(rows), count)
    unread = [[text.removeprefix(UNREAD) for text in row["messages"] if text.startswith(UNREAD)] for row in rows]
    return [message[0] if message else [row["no_returns"][cause] for cause in CAUSES] for message, row in zip(unread, rows)]


def same(library, converter):
    if library[0] is not None or converter[0] is not None:
        return library[0] == converter[0]
    return all(np.array_equal(a.view(np.uint8), b.view(np.uint8)) for a, b in
               ((library[1], converter[1]), (np.ascontiguousarray(library[2]), np.ascontiguousarray(converter[2])))) and \
        np.array_equal(library[3], converter[3])


def compare(read_clouds, bench, contents, good, seen):
    """Compares one batch of [(contents, ending)] and counts what was seen; the differences are returned. good: a readable file of each
    ending, since ndt-bench refuses a recording whose first scan cannot be read."""
    differences = []
    with tempfile.TemporaryDirectory() as place:
        place = Path(place)
        for kind in sorted({kind for _, kind in contents}):
            folder = place / kind[1:]
            folder.mkdir()
            files = []
            for number, data in enumerate([good[kind], *(data for data, ending in contents if ending == kind)]):
                files.append(folder / f"{number:06d}{kind}")
                files[-1].write_bytes(data)
            library = of_library(read_clouds, files)
            scans = of_bench(bench, seen["map"], folder, len(files))
            for file, theirs, scan in zip(files, library, scans):
                ours = of_converter(file)
                seen["files", kind] += 1
                seen["refused", kind] += theirs[0] is not None
                if not same(theirs, ours):
                    differences.append((file.read_bytes(), kind, "converter", theirs[0], ours[0]))
                if scan != (list(theirs[3]) if theirs[0] is None else theirs[0]):
                    differences.append((file.read_bytes(), kind, "ndt-bench", theirs[0], scan))
    return differences


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("read_clouds")
    p.add_argument("bench")
    p.add_argument("--count", type=int, default=100000, help="changed files (100000)")
    p.add_argument("--seed", type=int, default=1)
    options = p.parse_args()
    rng, seen, differences = np.random.default_rng(options.seed), Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        given, readable = originals(Path(folder))
        write_cloud(Path(folder) / "map.pcd", np.random.default_rng(1).uniform(-10, 10, (30000, 3)))
        seen["map"] = str(Path(folder) / "map.pcd")
        good = {kind: data for data, kind in reversed(given)}
        differences += compare(options.read_clouds, options.bench, given, good, seen)
        for done in range(0, options.count, BATCH):
            chosen = [given[rng.integers(readable if rng.integers(2) else len(given))] for _ in range(min(BATCH, options.count - done))]
            batch = [(changed(data, rng), kind) for data, kind in chosen]
            differences += compare(options.read_clouds, options.bench, batch, good, seen)
    del seen["map"]
    for (what, kind), count in sorted(seen.items()):
        print(f"{what} {kind}: {count}")
    for data, kind, who, theirs, ours in differences[:20]:
        print(f"differs: {who} {kind} {data[:200]!r}: library {theirs}, {who} {ours}")
    print(f"differences: {len(differences)}")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
