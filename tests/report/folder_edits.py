"""Changes a run folder for the tests of what reads it, and asks why it is refused."""

import json
import os
import shutil

import pytest
from ndt_report.read.columns import REQUIRED
from ndt_report.read.load import load_run
from ndt_report.read.refusal import InputError


def refused(folder) -> str:
    with pytest.raises(InputError) as error:
        load_run(folder)
    return str(error.value)


def sentence(answer) -> str:
    """The one line of a refusal by the command line."""
    code, out, err = answer
    assert code == 2 and out == "" and err.startswith("ndt-bench: ")
    assert err.count("\n") == 1 and err.endswith("\n")
    assert err[:-1].isprintable() and "please report it" not in err and "Traceback" not in err
    return err


def refused_everywhere(ndt_report, folder) -> str:
    said = sentence(ndt_report("report", folder))
    assert sentence(ndt_report("compare", folder, folder)) == said
    return said


def change_line(folder, number, change):
    lines = (folder / "results.jsonl").read_text().splitlines()
    entry = json.loads(lines[number - 1])
    change(entry)
    lines[number - 1] = json.dumps(entry)
    (folder / "results.jsonl").write_text("\n".join(lines) + "\n")


def edit_json(path, change):
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def edit_text(path, change):
    path.write_text(change(path.read_text()))


def rename_everywhere(folder, before, after):
    """A text that is exactly `before`, in every file of the folder."""
    for path in [*folder.glob("*.json"), folder / "results.jsonl"]:
        path.write_text(path.read_text().replace(json.dumps(before), json.dumps(after)))


def with_columns(folder, change=lambda entries: None, more=()):
    """Gives the run a columns.json: the required columns and more, after change(list of objects)."""
    entries = [column._asdict() for column in (*REQUIRED, *more)]
    change(entries)
    (folder / "columns.json").write_text(json.dumps(entries))


def raw(text, key, value):
    """A JSON object's text with the raw text as the key's value."""
    return json.dumps(json.loads(text) | {key: "@@"}).replace('"@@"', value)


def replace(path, what):
    """Puts something in a file's place."""
    path.unlink()
    {
        "FIFO": lambda: os.mkfifo(path),
        "device": lambda: path.symlink_to("/dev/zero"),
        "folder": path.mkdir,
        "not UTF-8": lambda: path.write_bytes(b'{"a": "\xff"}\n'),
        "empty": lambda: path.write_text(""),
        "a broken link": lambda: path.symlink_to("nowhere"),
        "missing": lambda: None,
    }[what]()


def copied(valid, place):
    return shutil.copytree(valid, place / "run")
