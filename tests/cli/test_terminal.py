"""The screen that a person sees: the bar that ends before the answer, colour, a narrow terminal, and Ctrl-C that says what is kept."""

import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import BENCH, EXIT_OK, bench
from terminal import Terminal, drawn, seen

CTRL_C = b"\x03"
SHARE = os.environ["NDT_SHARE"]
DRIVE = ["localize", "--scans", "town_small", "--implementation", "persistent_cpu", "--threads", "1"]


def module(name):
    """A Python module of the project as ./run starts it."""
    return [sys.executable, "-m", name], {"PYTHONPATH": f"{SHARE}/datasets"}


def interrupted(terminal, when):
    assert terminal.until(when), terminal.said
    terminal.press(CTRL_C)
    assert terminal.end() == -signal.SIGINT, terminal.said
    return [line for line in seen(terminal.said) if "interrupted: " in line]


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_the_bar_ends_before_the_answer_and_fits_the_terminal(tmp_path, columns):
    bench("export", "--dataset", "town_small", "--out", tmp_path / "first")  # so that the dataset is there
    terminal = Terminal([BENCH, *DRIVE, "--out", tmp_path / "out"], columns)
    assert terminal.end() == EXIT_OK
    bars = drawn(terminal.said)
    assert len(bars) >= 5 and max(map(len, bars)) < columns and bars[0].startswith("[##")
    if columns == 200:
        assert bars[0].endswith("000000")
    screen = seen(terminal.said)
    assert screen[0] == "implementation   persistent_cpu (CPU threads)" and screen[-1] == ""
    assert not any("[#" in line for line in screen)


def test_a_pipe_gets_plain_lines_and_no_colour(tmp_path):
    done = bench(*DRIVE, "--out", tmp_path / "out")
    assert "\x1b" not in done.stdout + done.stderr and "\r" not in done.stderr


@pytest.mark.parametrize("env, coloured", [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)])
def test_the_verdict_is_in_colour_where_a_terminal_wants_it(courtyard, tmp_path, env, coloured):
    words = [BENCH, "align", *courtyard.args, "--guess=0.3,-0.2,0,0,0,0.03", "--implementation", "persistent_cpu"]
    terminal = Terminal(words, env=env)
    assert terminal.end() == EXIT_OK
    assert "verdict          " + ("\x1b[32mok\x1b[0m" if coloured else "ok") + "\r\n" in terminal.said
    wrong = Terminal([*words, "--resolution=-1"], env=env)
    assert wrong.end() == 1
    assert wrong.said.startswith("\x1b[31mndt-bench:\x1b[0m " if coloured else "ndt-bench: ")


def test_a_lost_drive_and_a_doubtful_pose_have_other_colours(courtyard, tmp_path):
    far = Terminal([BENCH, *DRIVE, "--init=900,900,0,0,0,0", "--recovery-particles", "0", "--out", tmp_path / "out"], 200)
    far.end()
    assert re.search("scans .*: 0 ok, .* \x1b\\[31mlost\x1b\\[0m\r\n", far.said), far.said
    doubtful = Terminal([BENCH, "align", *courtyard.args, "--guess=0.3,-0.2,0,0,0,0.03", "--max-iterations", "1"])
    assert doubtful.end() == EXIT_OK and "verdict          \x1b[33mdoubtful\x1b[0m: " in doubtful.said


def test_an_interrupted_localisation_says_what_is_kept(tmp_path):
    out = tmp_path / "out"
    said = interrupted(Terminal([BENCH, *DRIVE, "--laps", "500", "--out", out], 400), r"\d/4000")
    done = len([line for line in (out / "poses.tum").read_text().splitlines() if line[0] != "#"])
    assert said == [f"ndt-bench: interrupted: {done} of 4000 scans are in {out}: poses.tum, poses_kitti.txt, frames.csv, diagnostics.jsonl; "
                    f"see them: ndt-bench report {out}"]
    assert 1 <= done < 4000
    bench("report", out)


def test_a_dataset_that_is_being_made_is_not_kept(tmp_path):
    terminal = Terminal([BENCH, "generate", "town", "--out", tmp_path / "town"])
    assert interrupted(terminal, "driving") == ["ndt-bench: interrupted: no part of the dataset is kept"]
    assert list(tmp_path.iterdir()) == []


def test_no_tile_of_an_interrupted_cut_is_kept(town, tmp_path):
    terminal = Terminal([BENCH, "map", "cut", next(town.rglob("map.pcd")), "--size", "0.3", "--out", tmp_path / "tiles"])
    deadline = time.monotonic() + 60
    while not list(tmp_path.rglob("*.pcd")):
        assert time.monotonic() < deadline and terminal.process.poll() is None
    assert interrupted(terminal, "") == ["ndt-bench: interrupted: no tile is kept"]
    assert list(tmp_path.iterdir()) == []


def large_part(tmp_path):
    """The parts of a run, of which the first has 30,000 measurements."""
    words = ["run", "--dataset", "courtyard", "--implementation", "persistent_cpu", "--implementation", "cpu_pclomp_ref", "--samples", "1"]
    bench(*words, "--out", tmp_path / "whole")
    parts = [tmp_path / f"part{number}" for number in (1, 2)]
    for number, part in enumerate(parts, 1):
        bench("run", "--plan", tmp_path / "whole/plan.json", "--shard", f"{number}/2", "--out", part)
    results = parts[0] / "results.jsonl"
    row = json.loads(results.read_text().splitlines()[0])
    results.write_text("".join(json.dumps({**row, "frame": f"{number:06d}"}) + "\n" for number in range(30_000)))
    return parts


@pytest.mark.parametrize("command", ["merge", "report"])
def test_an_interrupted_merge_leaves_the_parts(tmp_path, command):
    parts = large_part(tmp_path)
    there = sorted(tmp_path.rglob("*"))
    terminal = Terminal([BENCH, command, *parts, "--out", tmp_path / "all"])
    deadline = time.monotonic() + 60
    while len(list(tmp_path.rglob("results.jsonl*"))) < 4:
        assert time.monotonic() < deadline and terminal.process.poll() is None
    assert interrupted(terminal, "") == ["ndt-bench: interrupted: nothing is merged; the parts are as they were"]
    assert sorted(tmp_path.rglob("*")) == there


@pytest.mark.parametrize("command, kept", [("trajectory", "there is no answer, and it writes no file"),
                                           ("compare", "there is no answer, and the runs are as they were")])
def test_an_interrupted_judgement_says_that_there_is_none(tmp_path, command, kept):
    """Interrupted while Python loads numpy, which may take it for a missing module."""
    given = tmp_path / "given"
    if command == "trajectory":
        given.write_text("".join(f"{k} {k} 0 0 0 0 0 1\n" for k in range(300_000)))
    else:
        bench("run", "--dataset", "courtyard", "--implementation", "persistent_cpu", "--samples", "1", "--out", given)
    terminal = Terminal([BENCH, command, given, given])
    deadline = time.monotonic() + 60
    while "multiarray" not in open(f"/proc/{terminal.process.pid}/maps").read():
        assert time.monotonic() < deadline and terminal.process.poll() is None
    terminal.press(CTRL_C)
    assert terminal.end() == 130, terminal.said
    assert seen(terminal.said) == [f"ndt-bench: interrupted: {kept}", ""], terminal.said


def test_a_search_that_takes_long_shows_its_particles(courtyard):
    words = [BENCH, "initial-pose", *courtyard.args, "--guess=0.5,-0.4,0,0,0,0", "--sigma=2,2,0.1,0.01,0.01", "--threads", "1", "--particles", "3000"]
    terminal = Terminal([*words, "--implementation", "persistent_cpu"])
    assert terminal.end() == EXIT_OK
    assert any(re.search(r"/3000 .*particles", line) for line in drawn(terminal.said)), terminal.said
    assert seen(terminal.said)[0].startswith("clouds  ")


def copies(town, tmp_path, count):
    folder = tmp_path / "scans"
    folder.mkdir()
    scan = sorted(town.rglob("*000000*.pcd"))[0]
    for number in range(count):
        os.link(scan, folder / f"{number:06d}.pcd")
    return folder


def test_a_conversion_shows_how_far_it_is_and_keeps_no_part(town, tmp_path):
    words, env = module("ndt_convert")
    folder = copies(town, tmp_path, 1500)
    terminal = Terminal([*words, folder, "--out", tmp_path / "out"], env=env)
    assert interrupted(terminal, r"checking scans: \d+ of 1500") == [
        "ndt_convert: interrupted: what was there before is unchanged, and nothing is added"]
    assert [path.name for path in tmp_path.iterdir()] == ["scans"]
    whole = Terminal([*words, folder, "--out", tmp_path / "out", "--max-scans", "300"], 60, env=env)
    assert whole.end() == EXIT_OK
    assert drawn(whole.said) and all(line.startswith("ndt_convert: ") for line in seen(whole.said)[:-1])


def test_a_report_shows_its_sections(tmp_path):
    bench(*DRIVE, "--out", tmp_path / "out")
    terminal = Terminal([BENCH, "report", tmp_path / "out"])
    assert terminal.end() == EXIT_OK
    assert any(line.startswith("drawing the sections: ") for line in drawn(terminal.said))
    assert not any("drawing" in line for line in seen(terminal.said))
    assert "\x1b" not in bench("report", tmp_path / "out").stderr


def test_a_list_of_localisations_says_that_the_same_command_goes_on(tmp_path):
    words, env = module("ndt_localize")
    (tmp_path / "list.toml").write_text("[[run]]\nname = 'a'\nscans = 'town_small'\noptions = { laps = 500 }\n")
    terminal = Terminal([*words, "--bench", BENCH, "--preset", tmp_path / "list.toml", "--out", tmp_path / "out"], 400, env=env)
    said = interrupted(terminal, r"\d/4000")
    assert said[-1] == "ndt_localize: interrupted: the runs that have a folder are kept; the same command makes the others"
    assert subprocess.run(["ls", tmp_path / "out"], capture_output=True, text=True).stdout == ""
