"""The index of published runs is what the command makes. Its numbers are on their pages, and each page has its commit."""

import needs  # noqa: F401  first: it skips

import json
import re
from pathlib import Path

import pytest
from ndt_report import index

ROOT = index.ROOT
LISTED = index.read_list(ROOT)
FOLDERS = sorted(path.parent.name for path in ROOT.glob("reports/20*/index.md"))


def test_the_committed_file_is_what_the_command_makes():
    assert (ROOT / "reports/README.md").read_text("utf-8") == index.written(ROOT), f"a page or index.toml has changed; run {index.COMMAND} and commit"


def test_every_published_page_is_in_the_results():
    results = (ROOT / "docs/results.md").read_text("utf-8")
    assert [name for name in FOLDERS if f"({name}/index.md)" not in results.replace("../reports/", "")] == []


def test_a_question_has_a_picture_and_two_sentences_with_numbers_of_its_page():
    assert len(LISTED["question"]) == 10
    for entry in LISTED["question"]:
        folder = ROOT / "reports" / entry["page"]
        assert (folder / entry["figure"]).is_file() and entry["question"].endswith("?")
        words = re.sub(r"\]\([^)]*\)|`[^`]*`", "", entry["words"]).strip()
        assert len(re.findall(r"[.](?: |$)", words)) == 2, entry["question"]
        assert not_on_page(words, entry["page"]) == [], entry["question"]


def not_on_page(words: str, page: str) -> list:
    """The numbers of the words that a published page does not show."""
    text = (ROOT / "reports" / page / "index.md").read_text("utf-8")
    numbers = re.findall(r"(?<![\w.])\d(?:[\d,]*\d)?(?:\.\d+)?", words)
    shown = {number: rf"(?<![\w.])(?:{re.escape(number)}|{re.escape(number.replace(',', ''))})(?!\d)" for number in numbers}
    return [number for number, pattern in shown.items() if not re.search(pattern, text)]


def test_an_answer_for_each_machine_and_task_has_numbers_of_its_page():
    answers = LISTED["answer"]
    assert len({(a["machine"], a["task"]) for a in answers}) == len(answers) == 8
    assert {a["machine"] for a in answers} == {"CPU only", "NVIDIA GPU"}
    for a in answers:
        assert re.search(r"\d", a["takes"]) and re.search(r"\d", a["against"]), a["task"]
        assert not_on_page(f"{a['takes']} {a['against']}", a["page"]) == [], f"{a['machine']}: {a['task']}"
        text = (ROOT / "reports" / a["page"] / "index.md").read_text("utf-8")
        assert all(name in text for name in re.findall(r"`(\w+)", a["take"])), a["take"]


# --- a folder of its own ---


@pytest.fixture
def page(tmp_path):
    """The folder of the one page of a project."""
    page = tmp_path / "reports/2026-01-02-cpu-thing"
    write(page / "index.md", "# A `thing`\n")
    write(page / "environment.json", json.dumps({"commit": "0123456789", "cpu_model": "Some <CPU>", "cores": 2}))
    question = f'question = "How?"\npage = "{page.name}"\nfigure = "figures/a.svg"\nalt = "A"\nwords = "One."'
    answer = f'machine = "M"\ntask = "Fly"\npage = "{page.name}"\ntake = "`a`"\ntakes = "1 ms"\nagainst = "`b` 2 ms"'
    write(tmp_path / "reports/index.toml", f"[[answer]]\n{answer}\n[[question]]\n{question}\n")
    return page


def write(path: Path, text: str):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_a_page_tells_the_release_of_its_programs(page):
    assert "release" not in index.written(page.parents[1])
    write(page / "environment.json", json.dumps({"commit": "0123456789", "cpu_model": "C", "cores": 2, "versions": {"ndt": "3.2.1"}}))
    text = index.written(page.parents[1])
    assert "These pages belong to release 3.2.1." in text and ", release 3.2.1, commit 0123456:" in text


def test_a_page_is_of_a_commit_and_a_machine(page):
    text = index.written(page.parents[1])
    assert f"[A `thing`]({page.name}/index.md), Some <CPU>, 2 CPU cores.\n" in text
    assert f"\n2026-01-02, Some <CPU>, 2 CPU cores, commit 0123456:\n\n- [A `thing`]({page.name}/index.md)\n" in text
    assert f"| [Fly]({page.name}/index.md) | `a` | 1 ms | `b` 2 ms |" in text and "Machines: Some <CPU>, 2 CPU cores." in text


def test_a_page_of_a_changed_tree_says_so(page):
    file = page / "environment.json"
    file.write_text(file.read_text().replace("0123456789", "0123456789-dirty"))
    assert ", commit 0123456 with local changes:" in index.written(page.parents[1])


def test_a_page_without_an_environment_needs_an_entry(page):
    (page / "environment.json").unlink()
    with pytest.raises(KeyError, match=page.name):
        index.written(page.parents[1])
    listed = page.parent / "index.toml"
    listed.write_text(f'{listed.read_text()}[commits]\n{page.name} = {{ commit = "abc", machine = "M" }}\n')
    assert ", M, commit abc:" in index.written(page.parents[1])
