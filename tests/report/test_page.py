"""The report of a run with every kind of measurement: one page that fetches nothing, with all its files."""

import needs  # noqa: F401  first: it skips

import csv
import re
from xml.etree import ElementTree

import pytest
from ndt_report.read.load import load_run
from ndt_report.page.html import script_hash
from ndt_report.sections.report import make_report
from ndt_report.figures.style import OWN, PEER_GREYS, Looks
from ndt_report.judge.verdict import dataset_sentence
from ndt_report.page.write import write_report
from page_parser import Page
from synthetic_run import SyntheticRun, every_kind
from synthetic_searches import add_searches
from toy import implementations

MOST_BYTES = 3_000_000
ANSWERS = (
    "best_particle",
    "reliable",
    "ambiguous",
    "runner_up_ratio",
    "runner_up_pose",
    "improvements",
    "paths",
)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    run = add_searches(every_kind(), seeds=3, particles=40, startup=20)
    run.fail("timeout")
    run.measurements[-1]["search"] = run.measurements[-2]["search"] | dict.fromkeys(ANSWERS) | {"seed": 2}
    run.left_out.append({"what": "dataset moon", "why": "NDT_DATASETS is not set"})
    folder = run.write(tmp_path_factory.mktemp("page") / "run")
    report = make_report(load_run(folder))
    return folder, write_report(report, folder).read_text(), report


@pytest.fixture(scope="module")
def page(made):
    return Page(made[1])


def test_the_page_is_well_formed_and_small(made, page):
    assert page.wrong == [] and page.open == [] and made[1].startswith("<!doctype html>")
    assert len(made[1].encode()) < MOST_BYTES
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for a in page.of("a") if a["href"].startswith("#")} <= set(ids)


def test_the_page_fetches_nothing_and_runs_only_its_own_script(made, page):
    (script,) = re.findall(r"<script>(.*?)</script>", made[1], re.S)
    (policy,) = [a["content"] for a in page.of("meta") if a.get("http-equiv") == "Content-Security-Policy"]
    assert policy.endswith(f"script-src '{script_hash(script)}'")
    source = made[1].replace(script, "")
    assert (
        page.of("iframe") == []
        and not any(k.startswith("on") for _, a in page.tags for k in a)
    )
    for tag, attributes in page.tags:
        for key in ("src", "href", "srcset", "data", "poster"):
            assert not re.match(r"(https?:)?//", attributes.get(key) or ""), (tag, attributes)
    ids = {a["id"] for _, a in page.tags if "id" in a}
    inner = [a["xlink:href"] for _, a in page.tags if "xlink:href" in a]
    assert all(href.startswith("data:image/png;base64,") or href[1:] in ids for href in inner)
    assert set(re.findall(r"url\(#([^)]*)\)", source)) <= ids
    assert page.of("img") == [] and not re.search(r"url\((?!#)", source) and "@import" not in source
    assert any("default-src 'none'" in (a.get("content") or "") for a in page.of("meta"))


def test_every_figure_has_a_finding_with_a_number_an_alternative_text_and_its_csv(made, page):
    drawings = made[2].drawings
    labels = [a["aria-label"] for a in page.of("div") if a.get("role") == "img"]
    assert len(labels) == len(page.of("figure")) == len(drawings) >= 10
    for drawing in drawings:
        assert (
            re.search(r"\d", drawing.finding)
            and drawing.finding.endswith(".")
            and "nan" not in drawing.finding.lower()
        )
        assert any(drawing.finding in label for label in labels)
        file = (made[0] / "figures" / f"{drawing.name}.svg").read_text()
        assert ElementTree.fromstring(file).tag.endswith("svg") and "var(" not in file
        assert {f"figures/{drawing.name}.{ending}" for ending in ("svg", "pdf")} <= {a["href"] for a in page.of("a")}
        assert (made[0] / "figures" / f"{drawing.name}.pdf").read_bytes().startswith(b"%PDF-")
        with open(made[0] / "figures" / f"{drawing.name}.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        assert len(rows) == len(drawing.data) > 0
        assert f"figures/{drawing.name}.csv" in {a["href"] for a in page.of("a")}
    assert all(re.search(r"\d|CSV|csv", caption) for caption in page.captions)


def test_every_section_has_data_here(made, page):
    missing = {name for name, part in made[2].parts.items() if not part.drawings}
    without_figures = {"table", "density", "answers", "equivalence", "method"}
    assert missing == without_figures | {"idle", "load"}, "test_idle.py and test_machine_load.py have runs with them"
    for words in (
        "Use persistent_cuda",
        "another algorithm",
        "not equal:",
        "stops when the squared step is <= epsilon",
        "agreement",
        "crash 1, timeout 1",
        "no cpu_pclomp_ref to compare with",
        "errors below 20 mm say nothing",
        "ndt-bench run --plan ",
        "GNU 12.2.0",
        "on Some <CPU> (2 cores) with 2 x Made-up <GPU>",
        "cuda.devices.1.compute_capability",
        "# built from commit 3723fa6      # had local changes",
        "dataset moon: NDT_DATASETS is not set",
        "What features cost",
        "Tail of short alignments",
        "skipped: 100 poses are more than 1 s",
        "Several proposals a round",
        "1 error",
    ):
        assert words in page.text, words


def test_tables_have_captions(page):
    assert len(page.of("table")) == len(page.of("caption")) >= 8


def test_what_data_says_is_escaped(made, page):
    assert (
        "a <schedule> & more" in page.text
        and "Some <CPU>" in page.text
        and "https://example.invalid/<b>" in page.text
    )
    assert "<schedule>" not in made[1] and "<CPU>" not in made[1] and "<GPU>" not in made[1]


def test_no_number_of_the_page_is_nan_or_none(page):
    assert not re.search(r"\b(nan|NaN|None|inf)\b", page.text)


def test_summary_and_trajectories_are_written(made):
    folder = made[0]
    with open(folder / "summary.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert (
        len(rows) == len(made[2].table) and rows[2]["verdict"] == "FASTER" and float(rows[2]["speed_low"]) > 3
    )
    names = {path.name for path in (folder / "trajectories").iterdir()}
    assert (
        "persistent_cpu__town.tum" in names and "cpu_pclomp_ref__handheld.tum" in names and len(names) == 12
    )


def test_the_verdict_names_the_implementation_the_ratio_and_the_poses(made):
    sentence = next(s for s in made[2].verdict.datasets if s.startswith("On town (24 scans)"))
    assert re.search(r"persistent_cuda \(1 thread, median 0\.\d+ ms\) is 2\d\.?\d*x \[\d", sentence), sentence
    assert "; the same poses (worst 0.0" in sentence and "24 of 24 alignments found the truth" in sentence
    table = made[2].table
    nobody = table.assign(comparable=False)
    assert "nothing to recommend" in dataset_sentence("town", nobody, 24, "cpu_pclomp_ref")


def test_colours_and_markers_are_distinct_and_follow_the_order_of_the_implementations():
    names = ["cpu_pclomp_ref", *(f"own{i}" for i in range(10)), "pcl_ndt"]
    look = Looks(implementations(*names))
    assert len({look(n)["color"] for n in names}) == len({look(n)["marker"] for n in names}) == len(names)
    assert look("cpu_pclomp_ref")["color"] == "#222222" and look("pcl_ndt")["color"] == PEER_GREYS[0]
    assert (
        look("own0")["color"]
        == Looks(implementations("cpu_pclomp_ref", "other"))("other")["color"]
        == "#009E73"
    )
    assert look("somebody_elses") == Looks(implementations())("somebody_elses")
    assert look.in_order(["new", "pcl_ndt", "own1", "own0"]) == ["own0", "own1", "pcl_ndt", "new"]


def test_several_peers_are_told_apart():
    table = implementations("cpu_pclomp_ref", "pcl_ndt", *(f"exec:{i}" for i in range(5)))
    look = Looks(table.assign(peer=table.name != "cpu_pclomp_ref"))
    looks = [look(name) for name in table.name]
    assert len({x["marker"] for x in looks}) == len(looks) and {x["linestyle"] for x in looks[1:]} == {":"}
    greys = [int(grey[1:3], 16) for grey in PEER_GREYS]
    assert {x["color"] for x in looks[1:]} == set(PEER_GREYS) and min(abs(a - b) for a in greys for b in greys if a != b) >= 40


def test_the_users_own_method_has_full_colour():
    table = implementations("cpu_pclomp_ref", "exec:theirs", "exec:mine")
    look = Looks(table.assign(peer=table.name != "cpu_pclomp_ref", own=[None, False, True]))
    assert look("exec:theirs")["color"] in PEER_GREYS and look("exec:mine")["color"] == OWN[0][0] and look("exec:mine")["linestyle"] == "-"


def test_implementations_on_a_device_show_their_transfers_and_others_why_not(tmp_path, made):
    run = SyntheticRun()
    devices = ["multikernel_cuda", "multikernel_graph_cuda", "persistent_cuda", "persistent_cluster_cuda"]
    run.names = ["cpu_pclomp_ref", "multikernel_cpu", *devices]
    run.tracking("town", frames=8, variants=("autoware", "more_thuente"))
    for entry in run.measurements:
        if entry["implementation"] == "persistent_cluster_cuda":
            entry["launches"] = 7
    folder = run.write(tmp_path / "run")
    report = make_report(load_run(folder))
    page = Page(write_report(report, folder).read_text())
    assert page.wrong == [] and not re.search(r"\b(nan|NaN|None)\b", page.text)
    assert list(report.tables["transfers"].implementation) == 2 * devices
    section = page.text.partition("Counted where the implementation calls CUDA")[2].partition("Without counts")[0]
    assert section.count("kept: bytes in a round: at most 4") == 2
    assert section.count("not kept: launches: 7, at most 1 allowed") == 2
    assert "Without counts: cpu_pclomp_ref (no device); multikernel_cpu (no device)." in page.text
    assert (
        "Without counts: cpu_pclomp_ref (no device); persistent_cpu (no device); pcl_ndt (no device)."
        in Page(made[1]).text
    )
