"""A new section of the page is a module, a template, and a line: this one shows what all of them may do."""

import needs  # noqa: F401  first: it skips

import jinja2
from ndt_report.page import html
from ndt_report.page.terminal import summary_lines
from ndt_report.page.write import write_report
from ndt_report.read.load import load_run
from ndt_report.sections import SECTIONS
from ndt_report.sections.report import make_report
from ndt_report.sections.section import Section
from page_parser import Page
from synthetic_run import SyntheticRun

MODULE = Section(
    "stops",
    "How alignments stop",
    tables=lambda report: {"stops": report.measurements.groupby("stop").size().rename("n").reset_index()},
    template="stops.html.jinja",
    values=lambda report, tables: {"most": tables["stops"].n.max()},
    csv=("stops",),
    lines=lambda tables: [f"stops: {len(tables['stops'])}"],
    says=lambda report, tables: {"cautions": ["Alignments stop."]},
)
TEMPLATE = "{% for row in stops %}{{ row.stop }}: {{ row.n }} of at most {{ most }}{% endfor %}"


def test_a_section_is_a_module_a_template_and_a_line(tmp_path, monkeypatch):
    folder = SyntheticRun(cuda=False).tracking("town", frames=4, block=2).write(tmp_path / "run")
    (tmp_path / "stops.html.jinja").write_text(TEMPLATE)
    monkeypatch.setattr(html, "FOLDERS", (*html.FOLDERS, tmp_path))
    SECTIONS.append(MODULE)
    html.template.cache_clear()
    try:
        report = make_report(load_run(folder))
        page = Page(write_report(report, folder).read_text())
    finally:
        SECTIONS.pop()
    assert "converged: 20 of at most 20" in page.text and "Alignments stop." in page.text
    assert "stops" in {a["id"] for a in page.of("section")} and "How alignments stop" in page.text
    assert (folder / "stops.csv").read_text() == "stop,n\nconverged,20\n"
    assert "stops: 1" in summary_lines(report, "report.html")


def test_sections_have_names_of_their_own_and_a_template():
    names = [section.name for section in SECTIONS]
    assert len(set(names)) == len(names) > 15
    for section in SECTIONS:
        assert isinstance(html.template(section.template), jinja2.Template)
