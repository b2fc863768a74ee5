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
from ndt_report.page.vega import MISSING as MISSING_LIBRARY, vega_script
from ndt_report.page.write import write_report
from synthetic_localization import SyntheticDrive
from synthetic_run import SyntheticRun

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason=MISSING)

DESK, PHONE = 1440, 390
LEAST_TEXT_PX = 10
MOST_OPEN_WORDS = 1500
LEAST_INK = 0.005  # of a chart's pixels: axes alone have more
SMALLEST_PT = FONT_PT - 0.5
CHARTS = """[...document.querySelectorAll("figure svg")].filter(s => s.getBoundingClientRect().width > 0).map(s => {
  const r = s.getBoundingClientRect();
  return [r.left + scrollX, r.top + scrollY, r.width, r.height, s.viewBox.baseVal.width, s.matches(".bar")]; })"""
UNFOLD = "document.querySelectorAll('details').forEach(fold => { fold.open = true; })"
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
    browser.value(UNFOLD)
    assert browser.value("document.documentElement.scrollWidth") == width
    assert browser.value(SMALLEST_TEXT) >= LEAST_TEXT_PX
    shown, charts = pixels(browser), browser.value(CHARTS)
    assert len(charts) >= 7
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
    (headline,), (table,) = (browser.value(bottoms.format(what)) for what in (".verdict h1", ".methods"))
    chart = max(browser.value(bottoms.format("#still .whole svg, #chart svg")))  # what is hidden has none
    assert headline < 200 and 200 < table < 900 and 300 < chart < 900


@pytest.mark.parametrize("which", ["page", "localisations"])
@pytest.mark.parametrize("width", [DESK, PHONE])
def test_little_is_open_and_the_table_fits(request, browser, which, width):
    browser.open(request.getfixturevalue(which), width)
    assert browser.value("document.body.innerText.split(/\\s+/).length") <= MOST_OPEN_WORDS
    assert browser.value("document.querySelectorAll('section > details[open]').length") == 0
    left, right = browser.value("(r => [r.left, r.right])(document.querySelector('.methods').getBoundingClientRect())")
    assert 0 <= left < right <= width


def test_a_phone_has_one_panel_a_row(page, browser):
    browser.open(page, PHONE)
    browser.value(UNFOLD)
    charts = sorted(browser.value(CHARTS), key=lambda chart: chart[1])
    assert all(upper[1] + upper[3] <= lower[1] for upper, lower in zip(charts, charts[1:]))


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


NAMES = """[...document.querySelectorAll("#chart .role-mark.mark-text text")].filter(t => t.getAttribute("opacity") !== "0")
  .map(t => t.textContent).sort()"""
DRAWN = """new Promise((done, late) => { const began = Date.now(), look = () => document.getElementById("still").hidden ? done()
  : Date.now() - began > 30000 ? late("not drawn") : setTimeout(look, 50); look(); })"""
AFTER_A_FRAME = "new Promise(done => setTimeout(done, 200))"


def click(browser, selector):
    middle = "(r => [r.left + r.width / 2, r.top + r.height / 2])"
    x, y = browser.value(f"{middle}(document.querySelector('{selector}').getBoundingClientRect())")
    for what in ("mousePressed", "mouseReleased"):
        browser.ask("Input.dispatchMouseEvent", type=what, x=x, y=y, button="left", clickCount=1)
    browser.value(AFTER_A_FRAME)


@pytest.mark.skipif(not vega_script(), reason=MISSING_LIBRARY)
def test_the_chart_names_every_method_toggles_them_and_filters_by_dataset(page, browser):
    browser.open(page, DESK)
    browser.value(DRAWN)
    assert browser.value(NAMES) == ["cpu_pclomp_ref", "pcl_ndt", "persistent_cpu"] and browser.complaints() == []
    first = browser.value("document.querySelector('#chart .role-legend-label text').textContent")
    click(browser, "#chart .role-legend-symbol path")
    assert browser.value(NAMES) == sorted({"cpu_pclomp_ref", "pcl_ndt", "persistent_cpu"} - {first})
    click(browser, "#chart .role-legend-symbol path")
    assert len(browser.value(NAMES)) == 3
    places = "[...document.querySelectorAll('#chart .role-mark.mark-text text')].map(t => t.getAttribute('transform')).join()"
    before = browser.value(places)
    choose = "s.value = s.options[1].value; s.dispatchEvent(new Event('change'))"
    browser.value(f"(s => {{ {choose}; }})(document.querySelector('#chart select'))")
    browser.value(AFTER_A_FRAME)
    assert browser.value(places) != before and len(browser.value(NAMES)) == 3
