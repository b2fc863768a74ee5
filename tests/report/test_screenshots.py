"""The page as Chromium shows it: on a desk, on a phone, and in the dark."""

import needs  # noqa: F401  first: it skips

import io

import matplotlib.image
import numpy as np
import pytest
from browser import CHROMIUM, MISSING, Browser
from ndt_report.read.load import load_run
from ndt_report.localization.load import load_localizations
from ndt_report.localization.page import write_localization
from ndt_report.localization.report import make_localization_report
from ndt_report.sections.report import make_report
from ndt_report.figures.style import FONT_PT
from ndt_report.page.write import write_report
from synthetic_localization import SyntheticDrive
from synthetic_run import SyntheticRun

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=MISSING)

DESK, PHONE = 1440, 390
LEAST_TEXT_PX = 10
LEAST_INK = 0.005  # of a chart's pixels: axes alone have more
SMALLEST_PT = FONT_PT - 0.5
CHARTS = """[...document.querySelectorAll("figure svg")].filter(s => s.getBoundingClientRect().width > 0).map(s => {
  const r = s.getBoundingClientRect();
  return [r.left + scrollX, r.top + scrollY, r.width, r.height, s.viewBox.baseVal.width, s.matches(".bar")]; })"""
SMALLEST_TEXT = """Math.min(...[...document.body.querySelectorAll("*:not(svg *)")]
  .filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())).map(e => parseFloat(getComputedStyle(e).fontSize)))"""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    run = SyntheticRun(cuda=False).tracking("town", frames=8).tracking("handheld", frames=6, has_truth=False)
    run.basin().iterations(sizes=(1000, 4000))
    folder = run.write(tmp_path_factory.mktemp("shots") / "run")
    return write_report(make_report(load_run(folder)), folder)


@pytest.fixture(scope="module")
def localisations(tmp_path_factory):
    place = tmp_path_factory.mktemp("localised")
    folders = [SyntheticDrive(frames=150).lose(60, 75).write(place / "one")]
    folders.append(SyntheticDrive(frames=150, seed=2, implementation="cpu_pclomp_ref").write(place / "two"))
    return write_localization(make_localization_report(load_localizations(folders)), place)


@pytest.fixture(scope="module")
def browser():
    with Browser() as opened:
        yield opened


def pixels(browser):
    return np.concatenate([matplotlib.image.imread(io.BytesIO(png))[..., :3] for png in browser.pictures()])


def ink(chart) -> float:
    """Share of pixels that are not the ground's colour."""
    colours = np.round(chart.reshape(-1, 3) * 255).astype(np.int32)
    ground = np.bincount(colours @ [1 << 16, 1 << 8, 1]).argmax()
    ground = [ground >> 16, ground >> 8 & 255, ground & 255]
    return float((np.abs(colours - ground).max(axis=1) > 40).mean())


@pytest.mark.parametrize("width, dark", [(DESK, False), (PHONE, False), (DESK, True), (PHONE, True)])
@pytest.mark.parametrize("which", ["page", "localisations"])
def test_nothing_overflows_no_chart_is_blank_and_all_text_can_be_read(request, browser, which, width, dark):
    browser.open(request.getfixturevalue(which), width, dark=dark)
    assert browser.value("document.documentElement.scrollWidth") == width
    assert browser.value(SMALLEST_TEXT) >= LEAST_TEXT_PX
    shown, charts = pixels(browser), browser.value(CHARTS)
    assert len(charts) >= 8
    for left, top, wide, high, units, bar in charts:
        assert left >= 0 and left + wide <= width + 0.5
        assert wide / units * SMALLEST_PT >= LEAST_TEXT_PX, (wide, units)
        chart = shown[round(top) : round(top + high), round(left) : round(left + wide)]
        assert bar or ink(chart) >= LEAST_INK
    ground = shown[-1, -1]
    assert ground.max() < 0.2 if dark else ground.min() > 0.9


def test_the_first_screen_is_the_verdict_and_one_chart(page, browser):
    browser.open(page, DESK)
    bottoms = "[...document.querySelectorAll('{}')].map(e => e.getBoundingClientRect().bottom)"
    (headline,) = browser.value(bottoms.format(".verdict > p:first-of-type"))
    (chart,) = browser.value(bottoms.format(".verdict .whole svg"))
    assert headline < 200 and 300 < chart < 900


def test_a_phone_has_one_panel_a_row_and_its_contents_folded(page, browser):
    browser.open(page, PHONE)
    charts = sorted(browser.value(CHARTS), key=lambda chart: chart[1])
    assert all(upper[1] + upper[3] <= lower[1] for upper, lower in zip(charts, charts[1:]))
    links = "document.querySelector('nav a').getBoundingClientRect().height"
    assert browser.value(links) == 0
    browser.value("document.querySelector('nav label').click()")
    assert browser.value(links) > 20


def test_a_table_is_sorted_by_the_column_whose_head_is_clicked(page, browser):
    browser.open(page, DESK)
    cells = "[...document.querySelectorAll('.results tbody')][0].rows"
    texts = f"[...{cells}].map(row => row.cells[3].textContent.trim())"
    before = browser.value(texts)
    click = "document.querySelectorAll('.results thead')[0].rows[0].cells[3].click()"
    numbers = []
    for _ in range(2):
        browser.value(click)
        numbers.append([float(text) for text in browser.value(texts)])
    assert numbers[0] == sorted(map(float, before)) and numbers[1] == numbers[0][::-1]
    assert [f"{n:g}" for n in numbers[0]] != before


def test_points_have_tooltips_and_paper_has_no_contents(page, browser):
    browser.open(page, DESK)
    tip = browser.value("document.querySelector('.verdict figure use > title').textContent")
    name, time, error = tip.split("\n")
    assert name == "persistent_cpu" or name in ("cpu_pclomp_ref", "pcl_ndt")
    assert time.startswith("median time of an alignment, ms: ") and error.startswith("error against the truth, mm: ")
    browser.ask("Emulation.setEmulatedMedia", media="print")
    assert browser.value("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert browser.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    browser.ask("Emulation.setEmulatedMedia", media="")
