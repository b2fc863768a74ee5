"""Random changes of a valid run folder: values, keys, types, lines cut, bytes flipped. A seed is a folder.

Started by hand: PYTHONPATH=reports python3 tests/report/fuzz_folders.py FIRST LAST
It prints the seeds that break a rule.
"""

import contextlib
import io
import json
import random
import shutil
import sys
import tempfile
import unittest.mock
from pathlib import Path

from folder_edits import with_columns
from markupsafe import Markup
from ndt_report.read.columns import NEVER, REQUIRED
from ndt_report.figures import NOT_DRAWN
from ndt_report.read.kinds import FITS
from ndt_report.figures.style import plt
from ndt_report.figures.svg import Panel, Picture
from synthetic_run import SyntheticRun
from synthetic_searches import add_searches

FILES = ["plan.json", "environment.json", "implementations.json", "datasets.json", "columns.json"]
ODD_VALUES = [
    None, True, False, 0, -1, 1, 2, 0.0, -0.5, 1e-300, 1e29, 1e30, 1e31, 1e308, 2**53, 2**63, 2**64 - 1, 2**64,
    10**400, "", "x", "²", "$", "$\\frac{", "<b>", "\ud800", "\x00", "\x1b[2J", "../x", "/x", "=1+1", "nan",
    "town", "persistent_cpu", "autoware", "single", "settled", "crash", "converged", "x" * 5000, "9" * 5000,
    [], [None], [1], [0.0] * 16, [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1], {}, {"name": "x"}, [[]], [{}],
]  # fmt: skip


def places(value, found=None):
    """Every (container, key) within a parsed JSON value."""
    found = [] if found is None else found
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            found.append((value, key))
            places(value[key], found)
    return found


def change_value(value, rng, column=None):
    """One change somewhere in a parsed JSON value; column: within that key of a row."""
    there = places(value if column is None else {column: value[column]})
    container, key = (value, column) if column and rng.random() < 0.6 else rng.choice(there)
    action = rng.random()
    if action < 0.6:
        container[key] = rng.choice(ODD_VALUES)
    elif action < 0.7 and isinstance(container, list):
        container.append(rng.choice(ODD_VALUES))
    elif action < 0.8:
        del container[key]
    elif action < 0.9 and isinstance(container[key], (int, float)):
        container[key] = container[key] * rng.choice([-1, 0, 1e-9, 1e9, 1e20, 1000])
    else:
        other = rng.choice(there)
        container[key] = other[0].get(other[1]) if isinstance(other[0], dict) else rng.choice(other[0] or [0])


def change_rows(path, rng):
    """One column of one row, of all rows or of some: one odd value for all, or for each an own one. Mostly it
    is one that the loader takes, so that all behind the loader meets it."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    column = rng.choice(REQUIRED)
    chosen = rng.choice([rows[:1], rows, rows, rows[::2], rng.sample(rows, 3)])
    taken = [v for v in [*ODD_VALUES, *(row.get(column.name) for row in rows)] if may_be(column, v)]
    values = taken if taken and rng.random() < 0.8 else ODD_VALUES
    same = rng.choice(values) if rng.random() < 0.5 else None
    for row in chosen:
        if isinstance(row.get(column.name), (dict, list)) and rng.random() < 0.4:
            change_value(row, rng, column.name)
        else:
            row[column.name] = rng.choice(values) if same is None else same
    if rng.random() < 0.1:
        rows = rng.sample(rows, rng.randrange(len(rows)))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def may_be(column, value) -> bool:
    return column.null != NEVER if value is None else FITS[column.kind](value)


def change_bytes(path, rng):
    data = bytearray(path.read_bytes())
    at = rng.randrange(len(data) + 1)
    action = rng.randrange(4)
    if action == 0:
        data = data[:at]
    elif action == 1 and at < len(data):
        data[at] ^= 1 << rng.randrange(8)
    elif action == 2:
        data[at:at] = rng.randbytes(rng.randrange(1, 9))
    else:
        del data[at : at + rng.randrange(1, 200)]
    path.write_bytes(bytes(data))


def change(folder, rng):
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        action = rng.random()
        if action < 0.55:
            with contextlib.suppress(ValueError, UnicodeDecodeError, IndexError):  # of a file changed before
                change_rows(folder / "results.jsonl", rng)
        elif action < 0.85:
            path = folder / rng.choice(FILES)
            with contextlib.suppress(ValueError, UnicodeDecodeError):
                value = [json.loads(path.read_text())]
                change_value(value, rng)
                path.write_text(json.dumps(value[0] if value else None))
        else:
            files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
            change_bytes(rng.choice(files), rng)


def answer_of(arguments):
    """(exit code, stdout, stderr) of the command line in this process."""
    from ndt_report.__main__ import main

    out, err = io.StringIO(), io.StringIO()
    before, sys.argv = sys.argv, ["ndt_report", *map(str, arguments)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main()
    finally:
        sys.argv = before
    return code, out.getvalue(), err.getvalue()


def broken_rule(valid: Path, seed: int) -> str:
    """Returns what is wrong with the answers to the seed's folder; empty if nothing is. valid: a run's folder."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "in" / "run"
        shutil.copytree(valid, folder)
        change(folder, random.Random(seed))
        before = set(Path(place).rglob("*"))
        with contextlib.ExitStack() as without:  # most of a page's time goes into its figures
            if seed % 3:
                without.enter_context(unittest.mock.patch("ndt_report.figures._made", lambda _: None))
            elif seed % 20:
                without.enter_context(unittest.mock.patch("ndt_report.figures.picture_of", no_image))
            report = answer_of(["report", folder])
        new = set(Path(place).rglob("*")) - before
        outside = [path for path in new if folder not in (path.parent, path.parent.parent)]
        page = (folder / "report.html").read_text() if report[0] == 0 else ""
        wrong = [_wrong_answer(report), _wrong_answer(answer_of(["compare", folder, valid]))]
        wrong.append(f"written outside: {outside}" if outside else "")
        wrong.append("a figure failed in a way that its module does not know" if NOT_DRAWN in page else "")
        return "; ".join(filter(None, wrong))


def no_image(figure, name) -> Picture:
    plt.close(figure)
    return Picture("<svg/>", b"%PDF-1.4", Markup("<svg/>"), 1, [Panel("0 0 1 1", "panel", 1, False)], [])


def _wrong_answer(answer) -> str:
    code, out, err = answer
    if code == 0:
        odd = [line for line in out.split("\n") if not line.isprintable()]
        return f"not printable: {odd}" if odd else f"stderr: {err}" if err else ""
    if code != 2 or out or err.count("\n") != 1 or not err[:-1].isprintable() or "please report it" in err:
        return f"exit {code}, {out[:200]!r}, {err[-300:]!r}"
    return ""


def valid_folders(place: Path) -> list:
    """Small ones, with all kinds of measurements between them."""
    runs = [SyntheticRun() for _ in range(4)]
    for run in runs:
        run.names = ["cpu_pclomp_ref", "persistent_cpu", "persistent_cuda"]
    runs[0].tracking("town", frames=5, block=2).picture("town")
    runs[1].names = runs[1].names[:2]
    runs[1].scaling((1000, 4000, 16000)).batches(poses=(1, 10))
    runs[2].basin(side=3).tracking("lane", frames=5, block=5, kind="sequence", has_truth=False)
    add_searches(runs[3].tracking("town", frames=2, block=1), seeds=3, particles=8, startup=4)
    folders = [run.write(place / f"valid{number}") for number, run in enumerate(runs)]
    for folder in folders:
        with_columns(folder)
    return folders


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folders = valid_folders(Path(name))
        for seed in range(int(sys.argv[1]), int(sys.argv[2])):
            if said := broken_rule(folders[seed % len(folders)], seed):
                print(seed, said, flush=True)
