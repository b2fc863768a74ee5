"""Published folders show what they say, can be read, and stay small. Every run's page has a figure, the README two, and every
folder rows. No picture is there twice, nothing that the rows give again, and no place of a machine. All take 25 MB at most."""

import needs  # noqa: F401  first: it skips

import hashlib
import json
import re
from pathlib import Path

import pytest
from ndt_report.page.pack import OPEN
from ndt_report.read.files import ROWS, packed_files

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(ROOT.glob("reports/20*/index.md"))
FOLDERS = [page.parent for page in PAGES]
RUNS = [page for page in PAGES if not page.parent.name.endswith(("-gpu-tests", "-utilisation"))]  # a page of tests or of counters has no figure
MOST_BYTES = 25_000_000  # of all published folders
MADE_AGAIN = {"report.html"}
ROWS_FILE = re.compile(r"\.jsonl$|frames\.csv$")
PLACE = re.compile(r"(?<![\w./~-])/(?:home|root|tmp|work|mnt|opt|srv|workspace|Users)\b")


def figures(page: Path) -> list:
    return [page.parent / name for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text("utf-8"))]


def published() -> list:
    return [path for path in ROOT.glob("reports/20*/**/*") if path.is_file()]


@pytest.mark.parametrize("page", RUNS, ids=lambda page: page.parent.name)
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
    files, packed = [name_in(folder, path) for path in folder.rglob("*") if path.is_file()], packed_files(folder)
    assert packed if folder / "index.md" not in RUNS else any(ROWS_FILE.search(name) for name in packed), "no rows: publish with python3 -m ndt_report publish"
    again = [name for name in [*files, *packed] if name.split("/")[-1] in MADE_AGAIN or name.endswith((".gz", ".part", ".xz")) and name != ROWS]
    assert not again, f"{', '.join(again)}: python3 -m ndt_report publish leaves these out"
    beside = [name for name in files if name != ROWS and not OPEN.fullmatch(name)]
    assert not beside, f"{', '.join(beside)}: python3 -m ndt_report.page.pack {folder.relative_to(ROOT)} packs these"


def name_in(folder, path):
    return path.relative_to(folder).as_posix()


def test_no_picture_is_there_twice():
    seen = {}
    for path in published():
        if path.suffix in (".svg", ".png"):
            seen.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), []).append(str(path.relative_to(ROOT)))
    assert seen and not [paths for paths in seen.values() if len(paths) > 1]


def test_no_folder_names_a_place_of_a_machine():
    files = {str(path.relative_to(ROOT)): path.read_bytes() for path in published()}
    files |= {f"{folder.name}: {name}": data for folder in FOLDERS for name, data in packed_files(folder).items()}
    texts = {name: str(data, "utf-8") for name, data in files.items() if name.endswith((".json", ".md", ".txt", ".log"))}
    found = [f"{name}: {match[0]}" for name, text in texts.items() for match in PLACE.finditer(text)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_a_page_names_the_commit_that_it_is_of(folder):
    page = (folder / "index.md").read_text("utf-8")
    files = {path.name: path.read_bytes() for path in folder.glob("environment.json")} | packed_files(folder)
    for name in (name for name in files if name.endswith("environment.json")):
        commit = json.loads(str(files[name], "utf-8"))["commit"]
        assert commit[:7] in page, f"index.md does not name {commit[:7]}, the commit of {name}"
        assert not commit.endswith("-dirty") or "local changes" in page, "index.md must say that the tree was changed"
