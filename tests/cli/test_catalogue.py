"""Every file of the bad-input catalogue through the command line: never a crash, and exactly its documented answer."""

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, EXIT_OK


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """(file, exit code, text) of each file written."""
    folder = tmp_path_factory.mktemp("catalogue")
    subprocess.run([os.environ["NDT_WRITE_CATALOGUE"], folder], check=True)
    rows = [line.split("\t") for line in (folder / "answers.tsv").read_text().splitlines()]
    assert len(rows) > 100
    return [(folder / name, int(code), text) for name, code, text in rows]


def complaint(file, code, text, readable):
    """Returns what is wrong with the answer to `file`, empty if nothing. A folder may be a map in tiles, but is no scan."""
    command = [BENCH, "align", "--map", readable if file.is_dir() else file, "--scan", file, "--implementation", "persistent_cpu", "--threads", "1", "--guess", "0,0,0,0,0,0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50)
    report = f"{file.name}: exit {done.returncode}\n{done.stdout}{done.stderr}expected {code}: {text}\n"
    # The line about points without a return is a note, which a file may get besides its answer.
    said = [line for line in done.stderr.splitlines() if " scan points are no returns " not in line]
    if done.returncode != code:
        return report
    if code == EXIT_OK:
        return "" if text in done.stdout and not said else report
    return "" if len(said) == 1 and text in said[0] and done.stdout == "" else report


def test_every_file_of_the_catalogue_gets_its_answer(answers):
    assert {code for _, code, _ in answers} == {EXIT_OK, EXIT_BAD_INPUT}
    readable = next(file for file, code, _ in answers if code == EXIT_OK)
    with ThreadPoolExecutor(max_workers=2) as pool:
        complaints = list(filter(None, pool.map(lambda answer: complaint(*answer, readable), answers)))
    assert not complaints, "\n".join(complaints)
