"""Changes a run folder for the tests of the loader, and asks it why it refuses."""

import json

import pytest
from ndt_report.read.load import load_run
from ndt_report.read.refusal import InputError


def refused(folder) -> str:
    with pytest.raises(InputError) as error:
        load_run(folder)
    return str(error.value)


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


def rename_everywhere(folder, before, after):
    """A text that is exactly `before`, in every file of the folder."""
    for path in [*folder.glob("*.json"), folder / "results.jsonl"]:
        path.write_text(path.read_text().replace(json.dumps(before), json.dumps(after)))
