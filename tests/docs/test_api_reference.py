"""docs/Doxyfile finds a description for every public symbol, and describes what the library's page says is public."""

import re
import shutil
import subprocess

import pytest

from markdown import ROOT


def doxygen(output, *more):
    """Runs Doxygen with docs/Doxyfile; returns whether it succeeded and what it printed."""
    if not shutil.which("doxygen"):
        pytest.skip("skipped for want of doxygen (Debian: doxygen)")
    settings = (ROOT / "docs/Doxyfile").read_text(encoding="utf-8")
    settings += "\n".join((f"OUTPUT_DIRECTORY = {output}", "GENERATE_HTML = NO", "GENERATE_TAGFILE = " + str(output / "tags"), *more))
    done = subprocess.run(["doxygen", "-"], input=settings, cwd=ROOT, capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def test_every_public_symbol_is_documented(tmp_path):
    content, said = doxygen(tmp_path)
    assert content and said.strip() == "", said
    names = re.findall(r"<name>(.*?)</name>", (tmp_path / "tags").read_text(encoding="utf-8"))
    assert {"ndt::Aligner", "make_aligner", "ndt_aligner_align", "ndt::localization::Localizer", "read_cloud"} <= set(names)


def test_a_symbol_without_a_description_is_named(tmp_path):
    (tmp_path / "bare.hpp").write_text("""\
namespace ndt {
/// A struct.
struct Halves {
  int low = 0, high = 1;  ///< both
  int bare = 0, nude = 0;
};
int plain(double x);
}
""")
    content, said = doxygen(tmp_path, f"INPUT = docs/api.dox {tmp_path}/bare.hpp")
    assert not content
    assert set(re.findall(r"Member (\w+)", said)) == {"bare", "nude", "plain"}, said


def test_the_public_headers_are_its_input():
    page = (ROOT / "docs/library.md").read_text(encoding="utf-8")
    settings = (ROOT / "docs/Doxyfile").read_text(encoding="utf-8")
    inputs = [ROOT / path for path in re.search(r"^INPUT +=((?:[^\n]*\\\n)*[^\n]*)", settings, re.MULTILINE)[1].replace("\\", " ").split()]
    for spelling in re.findall(r"`(ndt/[\w/*]+\.hp*)`", page):
        found = list((ROOT / "modules/include").glob(spelling))
        assert found, f"docs/library.md names {spelling}, which is no header"
        for file in found:
            assert any(file.is_relative_to(place) for place in inputs), f"docs/Doxyfile lacks {file.relative_to(ROOT)}"
