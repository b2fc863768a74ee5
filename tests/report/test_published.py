"""What is published shows what it says: a figure on every run's page, and two in the README."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted(ROOT.glob("reports/20*/index.md"))


def figures(page: Path) -> list:
    return [page.parent / name for name in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text("utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.parent.name)
def test_every_published_run_shows_a_figure(page):
    assert figures(page) and all(figure.is_file() for figure in figures(page))


def test_the_readme_shows_two():
    assert len(figures(ROOT / "README.md")) >= 2 and len(PAGES) >= 1
