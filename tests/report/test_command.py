"""The command line: what it prints, its exit codes, and pages of odd runs."""

import needs  # noqa: F401  first: it skips

import re

import numpy as np
import pytest
from ndt_report.read.load import load_run
from ndt_report.sections.report import make_report
from ndt_report.page.write import write_report
from page_parser import Page
from synthetic_entries import dataset
from synthetic_run import SyntheticRun


def small(**options):
    return SyntheticRun(cuda=False, **options).tracking("town", frames=6, block=2)


def test_the_same_measurements_give_the_same_bytes(tmp_path):
    folder = small().write(tmp_path / "run")
    contents = []
    for _ in range(2):
        write_report(make_report(load_run(folder)), folder)
        contents.append(
            {p.relative_to(folder): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}
        )
    assert contents[0] == contents[1] and len(contents[0]) > 10


def test_the_command_prints_at_most_24_lines_and_the_path_last(tmp_path, ndt_report):
    folder = small().basin().write(tmp_path / "run", planned=999)
    code, out, err = ndt_report("report", folder)
    lines = out.splitlines()
    assert code == 0 and err == "" and len(lines) <= 24 and lines[-1] == str(folder / "report.html")
    assert lines[0].startswith("Use persistent_cpu") and max(map(len, lines[:-1])) <= 120
    assert any("did not finish: " in line and "of 999" in line for line in lines)
    text = Page((folder / "report.html").read_text()).text
    assert "This run did not finish" in text
    assert "No implementation of this run has a device to count on; ndt-bench run --preset transfers" in text
    assert "persistent_cuda (no CUDA device)." in text
    assert "Made-up" not in text and "cuda.unavailable" in text
    assert (
        "Scaling: ndt-bench run --preset scaling gives it." in text
        and "no: no CUDA device" in text
    )


def test_bad_input_and_usage_have_their_exit_codes(tmp_path, ndt_report):
    code, out, err = ndt_report("report", tmp_path / "nowhere")
    assert (
        code == 2
        and out == ""
        and err.startswith("ndt-bench: ")
        and "give the folder that ndt-bench run --out wrote" in err
    )
    for arguments in (
        ["report"],
        ["explain", "a"],
        [],
        ["compare", "a"],
        ["compare", "a", "b", "--fail-on", "faster"],
    ):
        code, out, err = ndt_report(*arguments)
        assert code == 1 and out == "" and "usage:" in err


def test_several_folders_are_those_of_localisations(tmp_path, ndt_report):
    folder = small().write(tmp_path / "run")
    code, out, err = ndt_report("report", folder, folder)
    assert code == 2 and out == "" and "run: not of ndt-bench localize" in err and "ndt-bench merge" in err


def test_the_page_of_one_run_goes_into_another_folder_where_out_names_it(tmp_path, ndt_report):
    folder, page = small().write(tmp_path / "run"), tmp_path / "a" / "page"
    before = sorted(path.name for path in folder.iterdir())
    code, out, err = ndt_report("report", folder, "--out", page)
    assert (code, err) == (0, "") and out.splitlines()[-1] == str(page / "report.html")
    assert (page / "report.html").is_file() and sorted(path.name for path in folder.iterdir()) == before


def odd(name):
    run = SyntheticRun(cuda=False)
    if name == "only a basin":
        run.basin()
    if name == "only sizes":
        run.names = ["cpu_pclomp_ref", "persistent_cpu"]
        run.scaling((1000, 4000, 16000))
    if name == "only the oracle":
        run.names = ["cpu_pclomp_ref"]
        run.tracking("town", frames=5, block=1)
    if name == "no oracle":
        run.names = ["persistent_cpu", "pcl_ndt"]
        run.tracking("town", frames=5, block=1, has_truth=False)
    if name == "nothing but errors":
        run.datasets.append(dataset("town"))
        run.measurement("persistent_cpu", "town", "", "", np.eye(4), np.eye(4), job_factor=1)
        run.fail("memory")
    if name == "one job, no traces":
        run.tracking("town", frames=2, block=2)
        for entry in run.measurements:
            entry.update(trace=None, calibration_us=None, align_after_idle_us=[])
    return run


@pytest.mark.parametrize(
    "name, headline",
    [
        (
            "only a basin",
            "No single alignment was timed in this run: it shows which ones succeed, not how fast they are.",
        ),
        (
            "only sizes",
            "Use persistent_cpu: our fastest implementation with the oracle's accuracy on 3 of 3 datasets.",
        ),
        (
            "only the oracle",
            "Use cpu_pclomp_ref: our fastest implementation with the oracle's accuracy on your data.",
        ),
        (
            "no oracle",
            "This run does not say which implementation to use: it has no cpu_pclomp_ref to compare with.",
        ),
        (
            "nothing but errors",
            "No single alignment was timed in this run: it shows which ones succeed, not how fast they are.",
        ),
        (
            "one job, no traces",
            (
                "Probably persistent_cpu: our lowest median with the oracle's accuracy on your data; too few"
                " or unsteady jobs to be sure."
            ),
        ),
    ],
)
def test_an_odd_run_makes_a_page_too(tmp_path, ndt_report, name, headline):
    folder = odd(name).write(tmp_path / "run")
    code, out, err = ndt_report("report", folder)
    assert (code, err) == (0, "") and out.splitlines()[0] == headline
    page = Page((folder / "report.html").read_text())
    assert headline in page.text and page.wrong == [] and not re.search(r"\b(nan|NaN|None)\b", page.text)
    assert (
        name != "only a basin"
        or "(1 scan): not timed. Alignments that found the truth: cpu_pclomp_ref 46.7 % of 45" in page.text
    )
    drawings = list((folder / "figures").iterdir())
    shown = {a["href"] for a in page.of("a") if a["href"].startswith("figures/")}
    assert shown == {f"figures/{path.name}" for path in drawings} and len(shown) % 3 == 0
