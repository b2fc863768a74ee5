"""The site that ./run site builds: its links, its search, what its first pages say, and how Chromium shows every page from a disk."""

import needs  # noqa: F401  first: it skips

import os
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from browser import CHROMIUM, MISSING, Browser
from ndt_report import index

ROOT = index.ROOT
SOURCE = ROOT / "docs/site"
PYTHON = os.environ.get("NDT_SITE_PYTHON")
NOT_PAGES = {".pytest_cache", "build", "bench-results", "node_modules", "out", ".git"}
DESK, PHONE = 1440, 390
WHAT_IS_FOUND = """new Promise(done => { const wait = () =>
  /finished|did not match/.test(document.querySelector("#search-results")?.textContent) ?
  done([...document.querySelectorAll("#search-results ul a")].map(a => a.getAttribute("href"))) : setTimeout(wait, 50); wait(); })"""

pytestmark = pytest.mark.skipif(not PYTHON, reason="skipped for want of Sphinx: NDT_SITE_PYTHON names no interpreter that has it")


def build(source: Path, site: Path):
    return subprocess.run([PYTHON, str(source / "make_site.py"), str(site)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "site"
    made = build(SOURCE, folder)
    assert made.returncode == 0, made.stderr
    return folder


class Page(HTMLParser):
    """The ids of a page, and what it leads to or loads."""

    def __init__(self, path: Path):
        super().__init__()
        self.path, self.ids, self.links, self.loaded, self.words = path, set(), [], [], []
        self.feed(path.read_text("utf-8"))

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.ids |= {found["id"]} if "id" in found else set()
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif address := found.get("src") or (tag == "link" and found.get("rel") != "canonical" and found.get("href")):
            self.loaded.append(address)

    def handle_data(self, data):
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())


@pytest.fixture(scope="module")
def pages(site):
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


def dead(page: Page, pages: dict, address: str) -> bool:
    parts = urlsplit(address)
    target = Path(os.path.normpath(page.path.parent / unquote(parts.path))) if parts.path else page.path
    return not target.is_file() or bool(parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids)


def test_every_link_and_anchor_leads_somewhere(site, pages):
    inner = [(page, address) for page in pages.values() for address in page.links if not address.startswith(("http", "mailto:"))]
    assert len(inner) > 5000
    assert [f"{page.path.relative_to(site)}: {address}" for page, address in inner if dead(page, pages, address)] == []


def test_nothing_is_loaded_but_by_a_relative_path(site, pages):
    loaded = [(page, address) for page in pages.values() for address in page.loaded]
    outer = [(page, address) for page, address in loaded
             if urlsplit(address).scheme or address.startswith("/") or dead(page, pages, address)]  # fmt: skip
    assert len(loaded) > 500 and [f"{page.path.relative_to(site)}: {address}" for page, address in outer] == []


def test_every_markdown_file_is_a_page_and_none_is_linked(site, pages):
    files = [path.relative_to(ROOT) for path in ROOT.rglob("*.md") if not NOT_PAGES & set(path.relative_to(ROOT).parts)]
    places = [path.with_name(path.name.replace("README.md", "index.md")).with_suffix(".html") for path in files]
    assert [str(place) for place in places if site / place not in pages] == []
    assert [address for page in pages.values() for address in page.links if ".md" in address and not address.startswith("http")] == []


def test_the_search_index_is_a_script(site, pages):
    assert (site / "searchindex.js").read_text("utf-8").startswith("Search.setIndex({")
    assert any(urlsplit(address).path == "searchindex.js" for address in pages[site / "search.html"].loaded)
    assert "SHOW_SEARCH_SUMMARY: false" in (site / "_static/documentation_options.js").read_text("utf-8"), "a summary fetches its page"


def test_no_file_has_a_path_of_this_machine(site):
    words = [str(place).encode() for place in (ROOT, site.parent)]
    assert [str(path) for path in site.rglob("*") if path.is_file() and any(word in path.read_bytes() for word in words)] == []


def test_the_first_pages_say_which_on_my_machine_and_the_index_names_every_run(site, pages):
    runs = [path.parent.name for path in ROOT.glob("reports/20*/index.md")]
    published = pages[site / "reports/index.html"]
    assert len(runs) > 20 and [name for name in runs if f"{name}/index.html" not in published.links] == []
    answers = index.read_list(ROOT)["answer"]
    for page, place in ((published, ""), (pages[site / "index.html"], "reports/")):
        for answer in answers:
            assert answer["takes"].replace("`", "") in page.text and f"{place}{answer['page']}/index.html" in page.links, answer["takes"]


def test_a_published_page_has_its_figure_and_its_tables(site, pages):
    page = pages[site / "reports/2026-11-29-cpu-comparison/index.html"]
    assert any(address.endswith(".svg") for address in page.loaded)
    assert {Path(address).name for address in page.links} >= {"summary.csv", "environment.json"}


# --- what fails ---


def test_a_link_to_no_heading_fails_the_build(tmp_path):
    shutil.copytree(SOURCE, tmp_path / "docs/site", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "reports").mkdir()
    (tmp_path / "README.md").write_text("# A\n\n[b](docs/README.md#here)\n\n![c](c.svg)\n")
    (tmp_path / "c.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"/>')
    (tmp_path / "docs/README.md").write_text("# B\n\n## Here\n")
    (tmp_path / "reports/README.md").write_text("# C\n\n## Which, on my machine, against what?\n\nA picture for each question\n")
    made = build(tmp_path / "docs/site", tmp_path / "site")
    assert made.returncode == 0 and "3 pages" in made.stdout, made.stderr
    (tmp_path / "docs/README.md").write_text("# B\n\n## There\n")
    made = build(tmp_path / "docs/site", tmp_path / "site")
    assert made.returncode != 0 and "here" in made.stderr


# --- in a browser ---


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip(MISSING)
    with Browser() as opened:
        yield opened


@pytest.mark.parametrize("width, dark", [(DESK, False), (PHONE, True)])
def test_every_page_fits_its_width_and_says_nothing_to_the_console(site, pages, browser, width, dark):
    wrong = []
    for path in pages:
        browser.open(path, width, dark=dark)
        overflow = browser.value("document.documentElement.scrollWidth - innerWidth")
        if overflow > 0 or browser.complaints():
            wrong.append(f"{path.relative_to(site)}: {overflow} px too wide, console: {browser.complaints()}")
        assert browser.value("getComputedStyle(document.body).backgroundColor") == ("rgb(19, 20, 22)" if dark else "rgb(255, 255, 255)")
    assert wrong == []


@pytest.mark.parametrize("width", [1920, 1360, 1100, 800])
def test_widths_between_fit(site, browser, width):
    for name in ("index.html", "reports/2026-11-29-cpu-drives/index.html"):
        browser.open(site / name, width)
        assert browser.value("document.documentElement.scrollWidth") <= width, name


def test_the_answers_are_on_the_first_screen(site, browser):
    for name in ("index.html", "reports/index.html"):
        browser.open(site / name, DESK, height=900)
        assert browser.value("document.querySelectorAll('table')[1].getBoundingClientRect().bottom") <= 900, name


def test_the_search_works_from_a_disk(site, browser):
    browser.open(site / "search.html", DESK, query="?q=batches+poses")
    assert [address for address in browser.value(WHAT_IS_FOUND) if address.startswith("reports/2026-11-29-h200-batch/index.html")]
    browser.open(site / "search.html", DESK, query="?q=xyzzyxyzzy")
    assert browser.value(WHAT_IS_FOUND) == [] and browser.complaints() == []
