"""The index of published runs: it is what the command makes, and says which sources have changed since a page."""

import needs  # noqa: F401  first: it skips

import json
import re
import subprocess
from pathlib import Path

import pytest
from ndt_report import index
from ndt_report.provenance import GitError, git

ROOT = index.ROOT
LISTED = index.read_list(ROOT)
FOLDERS = sorted(path.parent.name for path in ROOT.glob("reports/20*/index.md"))


def in_a_checkout():
    try:
        return bool(git(ROOT, "ls-files", "reports/index.toml"))
    except (GitError, OSError):
        return False


@pytest.mark.skipif(not in_a_checkout(), reason="skipped for want of a git checkout")
def test_the_committed_files_are_what_the_command_makes():
    old = index.stale(ROOT)
    assert not old, f"{', '.join(old)}: a source that a page measures has changed, or a page has; run {index.COMMAND} and commit"


def test_every_published_page_is_listed_with_its_sources_and_in_the_results():
    assert sorted(LISTED["measures"]) == FOLDERS
    results = (ROOT / "docs/results.md").read_text("utf-8")
    assert [name for name in FOLDERS if f"({name}/index.md)" not in results.replace("../reports/", "")] == []
    assert all((ROOT / path).exists() for paths in LISTED["measures"].values() for path in paths)


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


# --- a repository of its own ---


@pytest.fixture
def root(tmp_path):
    """One page that measures src/, made at the first commit."""
    def run(*words):
        subprocess.run(["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b", *words], check=True, capture_output=True)

    run("init", "-q")
    write(tmp_path / "src/a.cpp", "1")
    write(tmp_path / "src/README.md", "words")
    run("add", "-A")
    run("commit", "-qm", "first")
    commit = git(tmp_path, "rev-parse", "HEAD").strip()
    page = tmp_path / "reports/2026-01-02-cpu-thing"
    write(page / "index.md", "# A `thing`\n")
    write(page / "environment.json", json.dumps({"commit": commit, "cpu_model": "Some <CPU>", "cores": 2}))
    question = f'question = "How?"\npage = "{page.name}"\nfigure = "figures/a.svg"\nalt = "A"\nwords = "One."'
    write(tmp_path / "reports/index.toml", f'[[question]]\n{question}\n[measures]\n{page.name} = ["src"]\n[commits]\n')
    run("add", "-A")
    run("commit", "-qm", "page")
    return tmp_path


def write(path: Path, text: str):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def make(root):
    for name, text in index.written(root).items():
        write(root / "reports" / name, text)
    return (root / "reports/README.md").read_text()


def forget_history(root):
    """As a shallow clone: the files as they are, and one commit."""
    for path in sorted((root / ".git").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "all"]):
        subprocess.run(["git", "-C", str(root), *words], check=True, capture_output=True)


def test_a_page_of_today_says_so_and_html_is_escaped(root):
    text = make(root)
    assert "nothing that it measures has changed since" in text and "| nothing |" in text
    html = (root / "reports/index.html").read_text()
    assert "Some &lt;CPU&gt;, 2 CPU cores" in html and "A <code>thing</code>" in html and index.stale(root) == []


def test_a_changed_source_makes_the_index_old_once(root):
    make(root)
    write(root / "src/README.md", "other words")
    assert index.stale(root) == [], "Markdown measures nothing"
    write(root / "src/a.cpp", "2")
    assert index.stale(root) == ["README.md", "index.html"]
    assert "changed since: `src`" in make(root)
    write(root / "src/a.cpp", "3")
    assert index.stale(root) == []
    write(root / "src/a.cpp", "1")
    assert index.stale(root) == ["README.md", "index.html"]


def test_a_clone_without_history_says_the_same(root):
    before = make(root)
    forget_history(root)
    assert make(root) == before and index.stale(root) == []
    write(root / "src/a.cpp", "2")
    assert "changed since: `src`" in make(root)
    (root / "reports/measured.json").unlink()
    assert "which is not in the history, so what changed since is not known" in make(root)


def test_a_changed_tree_is_not_called_unchanged(root):
    file = root / "reports/2026-01-02-cpu-thing/environment.json"
    value = json.loads(file.read_text())
    file.write_text(json.dumps(value | {"commit": value["commit"] + "-dirty"}))
    assert "from a changed tree, so what changed since is not known" in make(root)
    assert json.loads((root / "reports/measured.json").read_text()) == {}


def test_a_source_that_is_not_there_is_refused(root):
    file = root / "reports/index.toml"
    file.write_text(file.read_text().replace('["src"]', '["source"]'))
    with pytest.raises(GitError, match="source: no file of it is tracked; correct its name in reports/index.toml"):
        index.written(root)
