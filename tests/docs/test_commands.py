"""The commands of README.md and docs/*.md run as they are written, page by page, and print what the page shows."""

import importlib.util
import os
import re
import subprocess
from typing import NamedTuple

import console
import pytest
import reader
from markdown import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
MARKER = "@@ command"

for module in ("numpy", "pandas", "matplotlib", "jinja2"):
    if not importlib.util.find_spec(module):
        pytest.skip(f"skipped for want of {module}", allow_module_level=True)


class Left(NamedTuple):
    page: str
    what: str  # a pattern of the beginning of commands, or of the first line of a block that is neither command nor output
    why: str


NOT_RUN = [
    Left(r".*", r"\./run (bench|test)\b", "sets the machine up, builds, and takes minutes; CI runs it"),
    Left(r"measuring.md", r"\./run localize --preset localization --out drives$", "takes long; the next command makes a part of it"),
    Left(r"clusters.md", r"\./run sweep\b", "installs and builds; tests/sweeps runs the workflow and compares its numbers"),
    Left(r"library.md", r"cmake ", "builds everything; tests/install does so"),
    Left(r"library.md", r"python3 -m venv|venv/bin/pip install", "builds a wheel; tests/install does so"),
    Left(r"measuring.md", r"cmake |build/clock/", "builds everything; tests/cli/test_profile.py runs it where a build has the clock"),
    Left(r"measuring.md", r"tests/gpu/double_instructions.py", "needs a build with lines and nvdisasm; tests/gpu/test_double_instructions.py runs it where they are"),
    Left(r"peers.md", r"\./run peers|ndt-bench run --preset prior_ladder", "needs a peer from PyPI; tests/cli/test_peer_searches.py tries it"),
    Left(r"peers.md", r"cmake ", "needs the sources of the peers; tests/cli/test_peers.py checks what is said without them"),
    Left(r"peers.md", r"ndt-bench run --preset peers", "needs a peer built by hand; tests/cli/test_peers.py runs presets with small ones"),
]

# Left out where something is missing.
LACKING = [left for left in (
    Left(r".*", r"\./run (convert|localize --scans)\b", reader.lacks_bags()),
    Left(r"measuring.md", r"PYTHONPATH=reports .*publish my_run", reader.lacks_commit()),
) if left.why]

NEITHER = [
    Left(r"map-tiles.md", r"x_resolution: 20", "a file"),
    Left(r"how-to-read-a-report.md", r"dataset +implementation", "lines of a published report"),
    Left(r"results.md", r"dataset +implementation", "a published report"),
]


def applies(left, page, text):
    return re.fullmatch(left.page, page.name) and re.match(left.what, text)


def left_out(command, page):
    return any(applies(left, page, command.text) for left in NOT_RUN + LACKING)


def lacking(page):
    """Returns the lines of the page's commands that something missing leaves out, each reason with its lines."""
    commands = [command for block in console.blocks(page.read_text(encoding="utf-8")) for command in block.commands]
    lines = {left.why: [str(command.line) for command in commands if applies(left, page, command.text)] for left in LACKING}
    return [f"{why}: line {', '.join(at)}" for why, at in lines.items() if at]


def run_blocks(page):
    """The blocks of which something is run, each with the commands that are."""
    for block in console.blocks(page.read_text(encoding="utf-8")):
        commands = [command for command in block.commands if not left_out(command, page)]
        assert not block.output or len(commands) in (0, len(block.commands)), (
            f"{page.name}:{block.line}: an output of commands of which some are not run; give each its own block")
        if commands:
            yield block, commands


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A reader's own: the courtyard, a drive, and a bag of it or None."""
    folder = tmp_path_factory.mktemp("files")
    subprocess.run([reader.BENCH, "export", "--dataset", "courtyard", "--out", folder / "courtyard"], check=True, capture_output=True)
    reader.record(folder / "drive")
    bag = None if reader.lacks_bags() else folder / "bag/drive"
    if bag:
        bag.parent.mkdir()
        reader.record_bag(folder / "drive", bag)
    return folder / "courtyard", folder / "drive", bag


@pytest.fixture
def place(tmp_path, files):
    reader.furnish(tmp_path, *files)
    return tmp_path


def run_in_bash(commands, place):
    # No GPU, whose bits differ and whose name is printed.
    environment = {key: value for key, value in os.environ.items() if key not in ("NDT_DATASETS", "NDT_GOLDEN_DIR")}
    environment |= {"CUDA_VISIBLE_DEVICES": "", "BROWSER": "true", "PATH": f"{place}/build/release/bin:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", console.script(commands, MARKER)], cwd=place, env=environment, capture_output=True, text=True)
    printed = console.printed_by(done.stdout, MARKER)
    last = commands[len(printed) - 1]
    assert done.returncode == 0, f"line {last.line}: {last.text}\nended with {done.returncode}:\n{printed[-1]}{done.stderr}"
    return printed


@pytest.mark.parametrize("page", [page for page in PAGES if list(run_blocks(page))], ids=lambda page: page.name)
def test_commands_print_what_the_page_shows(page, place, files):
    steps = list(run_blocks(page))
    if not any("--out my_site" in command.text for _, commands in steps for command in commands):
        (place / "my_site").symlink_to(files[1])  # the page has not made it
    printed = iter(run_in_bash([command for _, commands in steps for command in commands], place))
    wrong = []
    for block, commands in steps:
        output = "".join(next(printed) for _ in commands)
        line = console.missing(block.output, output)
        if line is not None:
            wrong.append(f"{page.name}, commands of line {block.line}: not printed, or not in this order:\n  page     {line}\n"
                         f"  printed  {console.nearest(line, output)}")
    assert not wrong, "\n".join(wrong)
    if absent := lacking(page):
        pytest.skip("; ".join(absent) + f" of {page.name}; its other commands passed")


def test_every_block_is_commands_or_their_output_or_says_what_else():
    for page in PAGES:
        for block in console.blocks(page.read_text(encoding="utf-8")):
            assert block.commands or any(applies(left, page, block.about) for left in NEITHER), (
                f"{page.name}:{block.line}: '{block.about}': no command of tests/docs/console.py's PROGRAMS, and no output of one: "
                "add the program there, or the block to NEITHER here")


def test_what_is_left_out_is_on_a_page():
    found = [(page, block) for page in PAGES for block in console.blocks(page.read_text(encoding="utf-8"))]
    idle = [left for left in NOT_RUN if not any(applies(left, page, command.text) for page, block in found for command in block.commands)]
    idle += [left for left in NEITHER if not any(applies(left, page, block.about) for page, block in found if not block.commands)]
    assert not idle, "these entries match nothing; remove them: " + ", ".join(f"{left.page}: {left.what}" for left in idle)


def test_most_outputs_are_compared():
    compared = sum(bool(block.output) for page in PAGES for block, _ in run_blocks(page))
    assert compared >= 6, "the pages are not read as they are meant to be"


PAGE = """# Page
```
one --long \\
    option      # a remark
two
```
```
of one   1.25 ms
of two   3
```
## Section
```
a file
```
"""


def test_the_reader_of_pages_sees_commands_and_outputs(monkeypatch):
    monkeypatch.setattr(console, "PROGRAMS", {"one"})
    first, second = console.blocks(PAGE)
    assert first.line == 3 and first.commands == [console.Command(3, "one --long \\\n    option      # a remark"), console.Command(5, "two")]
    assert first.output == ["of one   1.25 ms", "of two   3"]
    assert (second.line, second.commands, second.about) == (13, [], "a file")


def test_a_wrong_number_an_order_and_a_failure_are_seen(tmp_path):
    shown = ["of one   1.25 ms", "...", "of two   3"]
    assert console.missing(shown, "of one 17 ms\nmore\nof  two 3\n") is None
    assert console.missing(shown, "of one 17 s\nof two 3\n") == "of one   1.25 ms"
    assert console.missing(shown, "of one 17 ms\nof two 4\n") == "of two   3" == console.missing(shown, "of two   3\nof one 1 ms\n").strip()
    assert "of two 4" == console.nearest("of two   3", "of two 4\n") and "none" in console.nearest("x 1", "of two 4\n")
    commands = [console.Command(1, "echo a; echo b >&2"), console.Command(2, "alias say=echo"), console.Command(3, "say c")]
    assert run_in_bash(commands, tmp_path) == ["a\nb\n", "", "c\n"]
    with pytest.raises(AssertionError, match=r"line 7: false\n +ended with 1:"):
        run_in_bash([*commands, console.Command(7, "false"), commands[0]], tmp_path)
