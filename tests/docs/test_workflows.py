"""Workflows run documented commands, and the files that strangers look for agree on version and licence."""

import re

from markdown import ROOT

VERSION = re.search(r"project\(ndt VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
TO_PREPARE = ("sudo apt-get ", "pip install auditwheel")


def commands():
    files = sorted((ROOT / ".github/workflows").glob("*.yml"))
    return [line for file in files for line in re.findall(r"^ *(?:- )?run: (.+)$", file.read_text(), re.MULTILINE)]


def test_workflows_run_documented_commands_alone():
    usage = re.search(r"usage: .*?\nTEXT", (ROOT / "run").read_text(), re.DOTALL)[0]
    page = (ROOT / "python/README.md").read_text()
    found = [command for command in commands() if not command.startswith(TO_PREPARE)]
    assert {"test", "bench"} <= {command.split()[1] for command in found if command.startswith("./run ")}
    for command in found:
        of_run = re.match(r"\./run (\w+)", command)
        assert f"./run {of_run[1]} " in usage if of_run else command in page, command


def test_no_workflow_has_commands_of_several_lines():
    for file in (ROOT / ".github/workflows").glob("*.yml"):
        assert not re.search(r"run: *[|>]", file.read_text()), file


def test_the_version_and_the_licence_are_the_same_everywhere():
    for name, line in (("CITATION.cff", f"version: {VERSION}\nlicense: Apache-2.0\n"), ("CHANGELOG.md", f"\n\n## {VERSION}"),
                       ("python/pyproject.toml", f'version = "{VERSION}"\n'), ("python/pyproject.toml", 'license = "Apache-2.0"\n'),
                       ("package.xml", f"<version>{VERSION}</version>"), ("package.xml", "<license>Apache-2.0</license>")):
        assert line in (ROOT / name).read_text(), name
    assert (ROOT / "python/LICENSE").read_text() == (ROOT / "LICENSE").read_text()
