"""Changes a run folder for the tests of the loader, and asks it why it refuses."""

import json

import pytest
from ndt_report.load import load_run
from ndt_report.refusal import InputError


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
