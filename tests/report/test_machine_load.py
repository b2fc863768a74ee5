"""The load of alignments: medians of the measurements that have one, in a table and in summary.csv."""

import needs  # noqa: F401  first: it skips

import numpy as np
import pandas as pd
import pytest
from folder_edits import with_columns
from ndt_report.judge.machine_load import LOAD, load_table
from ndt_report.page.write import write_report
from ndt_report.read.columns import LATER, Column
from ndt_report.read.load import load_run
from ndt_report.sections.report import make_report
from page_parser import Page
from synthetic_run import SyntheticRun
from toy import CUDA, OWN, judged, measurement

NOTHING = dict.fromkeys(LOAD, np.nan)
COLUMNS = [Column(name, "", "number", LATER, "of the load") for name in LOAD]


def loaded(name, cpu, frame="f0", **columns):
    return measurement(name, frame=frame, true_x=0, **(NOTHING | {"cpu_percent": cpu} | columns))


def test_the_table_has_medians_of_the_measurements_with_a_load():
    rows = [loaded(OWN, 100.0), loaded(OWN, 180.0, "f1"), loaded(OWN, 190.0, "f2"), loaded(OWN, np.nan, "f3"),
            loaded(CUDA, 99.0, gpu_percent=80.0, gpu_energy_mj=120.0)]
    rows += [measurement(OWN, threads=2, true_x=0), loaded(OWN, 1.0, "f4", x=9.0)]
    table = load_table(judged(rows)).set_index("implementation")
    assert list(table.index) == [OWN, CUDA] and table.load_measurements.tolist() == [3, 1], "the last one failed"
    assert table.cpu_percent.tolist() == [180, 99]
    assert np.isnan(table.gpu_percent[OWN]) and table.gpu_energy_mj[CUDA] == 120
    assert load_table(judged([measurement(OWN, true_x=0)])).empty


@pytest.fixture
def run():
    return SyntheticRun().tracking("town", frames=4, block=2)


def test_a_page_and_its_summary_show_the_load(run, tmp_path):
    for m in run.measurements:
        gpu = m["implementation"].endswith("_cuda")
        on_gpu = {"gpu_percent": 81.5, "gpu_energy_mj": 123.0, "gpu_idle_w": 71.0} if gpu else dict.fromkeys(LOAD[2:])
        m |= {"cpu_percent": 142.0, "cpu_energy_mj": None} | on_gpu
    folder = run.write(tmp_path / "run")
    with_columns(folder, more=COLUMNS)
    page = Page(write_report(make_report(load_run(folder)), folder).read_text())
    for words in ("CPU, GPU and energy", "CPU %", "GPU %", "GPU mJ", "142", "81.5", "123"):
        assert words in page.text, words
    summary = pd.read_csv(folder / "summary.csv")
    assert set(summary.cpu_percent) == {142} and summary.cpu_energy_mj.isna().all()
    on_gpu = summary.implementation.str.endswith("_cuda")
    assert on_gpu.any() and set(summary.gpu_energy_mj[on_gpu]) == {123} and summary.gpu_energy_mj[~on_gpu].isna().all()


def test_a_run_without_a_load_has_no_such_columns(run, tmp_path):
    folder = run.write(tmp_path / "run")
    page = Page(write_report(make_report(load_run(folder)), folder).read_text())
    assert "ndt-bench run --preset load gives it" in page.text and "GPU mJ" not in page.text
    assert not set(LOAD) & set(pd.read_csv(folder / "summary.csv"))
