"""Published folders show what they say, can be read, and stay small. Every run's page has a figure, the README two, and every
folder rows. No picture is there twice, nothing that the rows give again, and no place of a machine. All take 25 MB at most."""

import hashlib
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(ROOT.glob("reports/20*/index.md"))
FOLDERS = [page.parent for page in PAGES]
MOST_BYTES = 25_000_000  # of all published folders
MADE_AGAIN = {"report.html"}
ROWS = re.compile(r"\.jsonl(\.xz)?$|frames\.csv(\.xz)?$")
PLACE = re.compile(r"(?<![\w./~-])/(?:home|root|tmp|work|mnt|opt|srv|workspace|Users)\b")


def figures(page: Path) -> list:
    return [page.parent / name for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text("utf-8"))]


def published() -> list:
    return [path for path in ROOT.glob("reports/20*/**/*") if path.is_file()]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_every_published_run_shows_a_figure(page):
    assert figures(page) and all(figure.is_file() for figure in figures(page))


def test_the_readme_shows_two():
    assert len(figures(ROOT / "README.md")) >= 2 and len(PAGES) >= 1


def test_the_published_folders_fit_in_25_megabytes():
    sizes = sorted(((path.stat().st_size, str(path.relative_to(ROOT))) for path in published()), reverse=True)
    total = sum(size for size, _ in sizes)
    largest = ", ".join(f"{name} ({size:,})" for size, name in sizes[:5])
    assert total <= MOST_BYTES, (
        f"reports/20* has {total:,} bytes, at most {MOST_BYTES:,}; remove folders that newer ones replace; the largest files: {largest}")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_folder_has_rows_and_nothing_that_they_give_again(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert any(ROWS.search(path.name) for path in files), "no rows: publish with python3 -m ndt_report publish"
    again = [path.name for path in files if path.name in MADE_AGAIN or path.suffix in (".gz", ".part")]
    assert not again, f"{', '.join(again)}: python3 -m ndt_report publish leaves these out, or packs them with xz"


def test_no_picture_is_there_twice():
    seen = {}
    for path in published():
        if path.suffix in (".svg", ".png"):
            seen.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), []).append(str(path.relative_to(ROOT)))
    assert seen and not [paths for paths in seen.values() if len(paths) > 1]


def test_no_folder_names_a_place_of_a_machine():
    files = [path for path in published() if path.suffix in (".json", ".md", ".txt", ".log")]
    found = [f"{path.relative_to(ROOT)}: {match[0]}" for path in files for match in PLACE.finditer(path.read_text("utf-8"))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_page_names_the_commit_that_it_is_of(folder):
    page = (folder / "index.md").read_text("utf-8")
    for file in folder.rglob("environment.json"):
        commit = json.loads(file.read_text("utf-8"))["commit"]
        assert commit[:7] in page, f"index.md does not name {commit[:7]}, the commit of {file.relative_to(folder)}"
        assert not commit.endswith("-dirty") or "local changes" in page, "index.md must say that the tree was changed"
