"""The repository's includes against layers.toml, and the checker against a small repository made to break every rule."""

import os
import re
from pathlib import Path

import pytest

from include_graph import TABLE, IncludeGraph, includes_of

ROOT = Path(__file__).parents[2]
FACE = "modules/include/ndt/"
ENDINGS = (".hpp", ".cpp", ".cu", ".cuh", ".h")


def home(name):
    """ The place of a file without the folder of installed headers. A folder of examples/ is a module that
    somebody may copy to modules/."""
    if name.startswith(FACE):
        inside = name.removeprefix(FACE)
        owner = next((module for module, starts in TABLE["face"].items() if inside.startswith(tuple(starts))), inside.split("/")[0])
        return f"modules/{owner}/include/ndt/{inside}"
    return re.sub("^examples/(?=.*/)", "modules/", name)


@pytest.fixture(scope="module")
def repository():
    found = {path.relative_to(ROOT).as_posix(): path for folder in ("modules", "harness", "examples", "tests")
             for path in (ROOT / folder).rglob("*") if path.name == "CMakeLists.txt" or path.suffix in ENDINGS}
    graph = IncludeGraph({home(name): path.read_text(encoding="utf-8") for name, path in found.items()})
    assert len(found) > 80 and sum(map(len, graph.includes.values())) > 300, f"the repository was not found at {ROOT}"
    return graph


def test_every_include_is_an_arrow_of_the_design(repository):
    assert repository.violations() == []


def test_no_unit_includes_itself_through_others(repository):
    assert repository.cycles() == []


def test_a_header_of_the_harness_is_included_first_by_its_source(repository):
    sources = [(path, path[:-3] + "cpp") for path in repository.includes if re.fullmatch(r"harness/.*\.hpp", path)]
    sources = [(header, source) for header, source in sources if source in repository.includes]
    assert len(sources) > 25
    assert [source for header, source in sources if ["harness/" + what for _, what, _ in repository.includes[source]][:1] != [header]] == []


def test_every_installed_header_is_compiled_by_itself():
    """CMakeLists.txt made the list, compiled each twice in one file without other libraries, and linked all into one program."""
    if "NDT_COMPILED_HEADERS" not in os.environ:
        pytest.skip("skipped for want of NDT_COMPILED_HEADERS, the list that the build writes")
    face = {path for path in (ROOT / FACE).rglob("*") if path.is_file()}
    assert {path for path in face if path.suffix not in (".hpp", ".h")} == set()
    assert 25 < len(face) <= 38, "users need few headers: what only modules share belongs to a module's own include/"
    expected = {path for path in face if os.environ["NDT_WITH_PCL"] == "1" or "pcl" not in path.parts}
    compiled = Path(os.environ["NDT_COMPILED_HEADERS"]).read_text(encoding="utf-8").split()
    assert sorted(compiled) == sorted(path.relative_to(ROOT).as_posix() for path in expected)


def small(files=None, without=()):
    files = {**TABLE["small"], **(files or {})}
    return IncludeGraph({path: "".join(f"#include {what}\n" for what in files[path]) for path in files if path not in without})


def assert_lines(found, expected):
    """Each line found begins with the first of its words and has the others in it."""
    assert len(found) == len(expected), found
    for line, (start, *words) in zip(found, expected):
        assert line.startswith(start) and all(word in line for word in words), line


def test_a_small_repository_may_use_every_arrow():
    assert small().violations() == small().cycles() == []


@pytest.mark.parametrize(("file", "what", "why"), TABLE["refused"]["offences"])
def test_an_include_outside_the_design_is_refused(file, what, why):
    graph = small(dict.fromkeys([*TABLE["refused"]["private"], file], []))
    graph.includes[file] = includes_of(f"// a comment on line 1\n#include {what}\n")
    assert_lines(graph.violations(), [(f"{file}:2: includes ", why)])


def test_a_layer_of_the_harness_knows_only_those_below_it():
    upward, beside = TABLE["refused"]["upward"], TABLE["refused"]["beside_the_last"]
    pairs = [(low, high) for at, low in enumerate(upward) for high in [*upward[at + 1:], beside]] + [(beside, upward[-1])]
    assert len(pairs) == 29
    for low, high in pairs:
        layer, above = low.split("/")[0], high.split("/")[0]
        found = small({f"harness/{beside}": [], f"harness/{layer}/a.cpp": [f'"{high}"']}).violations()
        assert_lines(found, [(f"harness/{layer}/a.cpp:1: ", f"{layer}/ may not know {above}/")])


@pytest.mark.parametrize("case", TABLE["changed"], ids=lambda case: case["name"])
def test_the_checker_finds(case):
    graph = small(case["files"], case.get("without", ()))
    assert_lines(graph.violations(), case.get("violations", []))
    assert graph.cycles() == case.get("cycles", [])


def test_directives_are_read_and_nothing_else():
    text = ('#include <a>\n  #  include "b/c.hpp"  // why\n// #include <no>\n/* #include <no>\n#include <no>\n*/ #include <d>\n'
            'const char* text = "#include <no>";\n#define include_this\n#include\t"e"\r\n')
    assert includes_of(text) == [(1, "a", False), (2, "b/c.hpp", True), (6, "d", False), (9, "e", True)]
