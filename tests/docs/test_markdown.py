"""Every Markdown file: links lead to files and headings that are there, headings are in order, and pages are listed."""

import os

import markdown
import pytest
from markdown import ROOT


def name_of(path):
    return str(path.relative_to(ROOT))


FILES = markdown.files()


def complaints_of_links(path):
    for line, target in markdown.links(path.read_text(encoding="utf-8")):
        if target.startswith(("https://", "http://", "mailto:")):
            continue
        name, _, fragment = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        where = f"{name_of(path)}:{line}: {target}: "
        if target.startswith("/") or not str(file).startswith(str(ROOT)):
            yield where + "leads out of the repository"
        elif not file.exists():
            yield where + "there is no such file"
        elif fragment and file.suffix == ".md" and fragment not in markdown.anchors(file.read_text(encoding="utf-8")):
            yield where + f"{name_of(file)} has no such heading"


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_links_lead_somewhere(path):
    wrong = list(complaints_of_links(path))
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("path", FILES, ids=name_of)
def test_headings_are_in_order_and_code_blocks_are_closed(path):
    text = path.read_text(encoding="utf-8")
    assert markdown.prose(text)[1] is None, f"{name_of(path)}: the code block of line {markdown.prose(text)[1]} is not closed"
    found = markdown.headings(text)
    assert found and found[0].level == 1 and found[0].line == 1, f"{name_of(path)}: its first line is no title"
    for before, heading in zip(found, found[1:]):
        where = f"{name_of(path)}:{heading.line}: {heading.text}: "
        assert heading.level > 1, where + "a second title"
        assert heading.level <= before.level + 1, where + f"level {heading.level} after level {before.level}"
    # A heading may repeat below two different ones, as in a changelog. Repeated side by side it is ambiguous.
    for k, heading in enumerate(found):
        for other in found[k + 1:]:
            if other.level < heading.level:
                break
            assert other.level != heading.level or other.text != heading.text, f"{name_of(path)}:{other.line}: {other.text} comes twice"


def test_every_page_of_docs_is_in_its_list():
    listed = {target.partition("#")[0] for _, target in markdown.links((ROOT / "docs/README.md").read_text(encoding="utf-8"))}
    missing = {path.name for path in (ROOT / "docs").glob("*.md")} - listed - {"README.md"}
    assert not missing, f"docs/README.md does not name {', '.join(sorted(missing))}"


def test_every_picture_is_small_and_on_a_page():
    shown = {(path.parent / target).resolve() for path in FILES for _, target in markdown.links(path.read_text(encoding="utf-8"))}
    pictures = [path for path in (ROOT / "docs/pictures").iterdir() if path.is_file()]
    assert pictures
    unused = [path.name for path in pictures if path not in shown]
    assert not unused, f"no page shows docs/pictures/{', '.join(sorted(unused))}: show it, or delete it"
    large = [f"{path.name} ({path.stat().st_size:,} bytes)" for path in pictures if path.stat().st_size >= 100_000]
    assert not large, f"docs/pictures: 100,000 bytes or more: {', '.join(large)}; draw fewer points or less finely"


def test_the_readme_fits_in_120_lines():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 120


def test_the_checker_sees_what_is_wrong(tmp_path, monkeypatch):
    monkeypatch.setattr(markdown, "ROOT", tmp_path)
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n## A `b`, c\n## A `b`, c\n[one](other.md) [two](#a-b-c) [three](#a-b-c-1) [four](#nowhere)\n"
                    "`[code](no.md)` [wide\nlink](gone.md)\n```\n[block](no.md)\n```\n[out](/etc) [far](https://x.org/y)\n")
    wrong = [line.partition("page.md:")[2] for line in complaints_of_links(page)]
    assert wrong == ["5: other.md: there is no such file", "5: #nowhere: page.md has no such heading", "6: gone.md: there is no such file",
                     "11: /etc: leads out of the repository"]
    assert os.listdir(tmp_path) == ["page.md"]
