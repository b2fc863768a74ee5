"""The index of published runs: it is what the command makes, and says of which commit a page is."""

import needs  # noqa: F401  first: it skips

import json
import re
from pathlib import Path

import pytest
from ndt_report import index

ROOT = index.ROOT
LISTED = index.read_list(ROOT)
FOLDERS = sorted(path.parent.name for path in ROOT.glob("reports/20*/index.md"))


def test_the_committed_files_are_what_the_command_makes():
    old = [name for name, text in index.written(ROOT).items() if (ROOT / "reports" / name).read_text("utf-8") != text]
    assert not old, f"{', '.join(old)}: a page or index.toml has changed; run {index.COMMAND} and commit"


def test_every_published_page_is_in_the_results():
    results = (ROOT / "docs/results.md").read_text("utf-8")
    assert [name for name in FOLDERS if f"({name}/index.md)" not in results.replace("../reports/", "")] == []


def test_a_question_has_a_picture_and_two_sentences_with_numbers_of_its_page():
    assert len(LISTED["question"]) == 6
    for entry in LISTED["question"]:
        folder = ROOT / "reports" / entry["page"]
        assert (folder / entry["figure"]).is_file() and entry["question"].endswith("?")
        words = re.sub(r"\]\([^)]*\)|`[^`]*`", "", entry["words"]).strip()
        assert len(re.findall(r"[.](?: |$)", words)) == 2, entry["question"]
        page = (folder / "index.md").read_text("utf-8")
        missing = [n for n in re.findall(r"(?<![\w.])\d(?:[\d,]*\d)?(?:\.\d+)?", words) if not re.search(rf"(?<![\w.]){re.escape(n)}(?![\d])", page)]
        assert not missing, f"{entry['question']} {missing} are not on the page"


# --- a folder of its own ---


@pytest.fixture
def page(tmp_path):
    """The folder of the one page of a project."""
    page = tmp_path / "reports/2026-01-02-cpu-thing"
    write(page / "index.md", "# A `thing`\n")
    write(page / "environment.json", json.dumps({"commit": "0123456789", "cpu_model": "Some <CPU>", "cores": 2}))
    question = f'question = "How?"\npage = "{page.name}"\nfigure = "figures/a.svg"\nalt = "A"\nwords = "One."'
    write(tmp_path / "reports/index.toml", f"[[question]]\n{question}\n")
    return page


def write(path: Path, text: str):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_page_is_of_a_commit_and_a_machine(page):
    texts = index.written(page.parents[1])
    assert "Measured on 2026-01-02 at commit 0123456 on Some <CPU>, 2 CPU cores." in texts["README.md"]
    assert f"| [A `thing`]({page.name}/index.md), 2026-01-02 | Some <CPU>, 2 CPU cores | 0123456 |" in texts["README.md"]
    assert "Some &lt;CPU&gt;, 2 CPU cores" in texts["index.html"] and "A <code>thing</code>" in texts["index.html"]


def test_a_page_of_a_changed_tree_says_so(page):
    file = page / "environment.json"
    file.write_text(file.read_text().replace("0123456789", "0123456789-dirty"))
    assert "at commit 0123456 with local changes on" in index.written(page.parents[1])["README.md"]


def test_a_page_without_an_environment_needs_an_entry(page):
    (page / "environment.json").unlink()
    with pytest.raises(KeyError, match=page.name):
        index.written(page.parents[1])
    listed = page.parent / "index.toml"
    listed.write_text(f'{listed.read_text()}[commits]\n{page.name} = {{ commit = "abc", machine = "M" }}\n')
    assert "at commit abc on M." in index.written(page.parents[1])["README.md"]
