"""Every number with a unit in README.md, docs/, the pages of modules and of published runs is in what is published, or has a reason why not."""

import tomllib

import published_numbers
import pytest
from markdown import ROOT
from published_numbers import Number, numbers, place_of, printed_rows, rounds_to, wrong_cells

PAGES = [str(path.relative_to(ROOT)) for path in (*sorted(ROOT.glob("docs/*.md")), *sorted(ROOT.glob("modules/*/README.md")), *sorted(ROOT.glob("reports/20*/index.md")))]
PAGES = ["README.md", *PAGES, "reports/README.md"]
FILES = ("tests/docs/published_numbers.toml", "tests/docs/published_pages.toml")
EXCEPTIONS = [entry for file in FILES for entry in tomllib.loads((ROOT / file).read_text("utf-8"))["exception"]]


def text_of(page):
    return (ROOT / page).read_text("utf-8")


def own_folder(page):
    return page.split("/")[1] if page.startswith("reports/20") else ""


def excepted(page):
    return {text for entry in EXCEPTIONS if entry["page"] == page for text in entry["texts"]}


@pytest.mark.parametrize("page", PAGES)
def test_numbers_are_published(page):
    missing = {f"{n.text} {n.unit}": n for n in numbers(text_of(page), own_folder(page)) if place_of(n, but=page) == ""}
    wrong = [f"{page}:{n.line}: {text} is not published in {', '.join(n.folders) or 'a folder that the page links to'}"
             for text, n in missing.items() if text not in excepted(page)]
    assert not wrong, "\n".join(wrong) + f"\ncorrect it, link to its page, or say why in {FILES[page.startswith('reports/20')]}"
    over = excepted(page) - set(missing)
    assert not over, f"{page}: {', '.join(sorted(over))}: found, or gone: take it out of {FILES[page.startswith('reports/20')]}"


@pytest.mark.parametrize("page", PAGES)
def test_tables_that_a_run_printed_are_those_of_its_summary(page):
    wrong = [f"{page}:{line}: {said}" for line, folders, row in printed_rows(text_of(page), own_folder(page)) for said in wrong_cells(folders, row)]
    assert not wrong, "\n".join(wrong)


def test_exceptions_have_a_page_and_a_reason():
    assert all(entry["page"] in PAGES and entry["texts"] and len(entry["why"]) > 5 for entry in EXCEPTIONS)


# --- on a folder made by hand ---

SUMMARY = """dataset,variant,threads,implementation,align_ms_p50,align_ms_p99,success_share,translation_error_mm_p50,translation_vs_ref_mm_max
town,autoware,2,fast,0.0598,0.07537,1,9.11,0.53
town,autoware,2,slow,12.66,,0.975,9.1,
"""


@pytest.fixture
def published(tmp_path, monkeypatch):
    folder = tmp_path / "reports/2026-01-02-cpu-a"
    folder.mkdir(parents=True)
    (folder / "summary.csv").write_text(SUMMARY)
    (folder / "index.md").write_text("# A\n\n3.4 to 4.8 times as fast\n")
    monkeypatch.setattr(published_numbers, "ROOT", tmp_path)
    yield
    published_numbers.tables.cache_clear()
    published_numbers.texts.cache_clear()


def test_numbers_of_a_page_have_their_section_s_folders_and_their_row_s_names():
    text = ("# T\n1,2 and 5 Hz, v1.2 m\n## A\n| `fast` | 59.8 / 75.4 µs, [12.7](../reports/2026-01-02-cpu-a/index.md) ms |\n"
            "```\n7 ms\n```\n## B\n3 to 4 times, 90 %\n")
    found = [(n.line, n.text, n.unit, n.names) for n in numbers(text)]
    assert found == [(4, "59.8", "µs", ("fast",)), (4, "75.4", "µs", ("fast",)), (4, "12.7", "ms", ("fast",)),
                     (9, "3", "times", ()), (9, "4", "times", ()), (9, "90", "%", ())]
    assert {n.folders for n in numbers(text)} == {("2026-01-02-cpu-a",)}, "a section without a link has the page's"


@pytest.mark.parametrize(
    "text, unit, names, place",
    [("59.8", "µs", ("fast",), "summary.csv: align_ms_p50"), ("59.8", "µs", ("slow",), ""), ("59.8", "ms", (), ""), ("59.9", "µs", (), ""),
     ("12.7", "ms", ("slow",), "summary.csv: align_ms_p50"), ("97.5", "%", (), "summary.csv: success_share"),
     ("0.53", "mm", ("other",), "summary.csv: translation_vs_ref_mm_max"), ("4.8", "times", (), "index.md"), ("4", "times", (), "")],
)  # fmt: skip
def test_a_number_is_found_with_its_unit_rounding_and_row(published, text, unit, names, place):
    found = place_of(Number(1, text, unit, names, ("2026-01-02-cpu-a",)))
    assert found.endswith(place) and bool(found) == bool(place)


def test_rounding():
    assert rounds_to("1.25", 1, "1.3") and rounds_to("1.25", 1, "1.2") and not rounds_to("1.26", 1, "1.2")
    assert rounds_to("5.7259", 1e3, "5,726") and not rounds_to("", 1, "0") and not rounds_to("inf", 1, "0")


def test_a_printed_table_is_compared_cell_by_cell(published):
    heading = "dataset  implementation  thr  n  p50 ms  p99 ms  speed against the oracle  ok %  err mm  vs oracle mm\n"
    rows = ["town     fast              2  6  0.0598  0.0754  FASTER 2x [1, 3]           100     9.1          0.53\n",
            "town     slow              2  6    12.7       -  -                         97.5     9.1             -\n",
            "town     slow              2  6    12.8       -  -                         97.5     9.1          0.53\n",
            "town     slow              1  6    12.7       -  -                         97.5     9.1             -\n"]
    text = "see [it](../reports/2026-01-02-cpu-a/index.md)\n```\n" + heading + "".join(rows) + "```\n"
    said = [wrong_cells(folders, row) for _, folders, row in printed_rows(text)]
    assert said == [[], [], ["p50 ms is 12.8", "vs oracle mm is 0.53"], ["there is no such row in the summary.csv of 2026-01-02-cpu-a"]]
