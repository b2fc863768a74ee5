"""Accuracy by density, scatter over voxel grids, and the best setting of a peer."""

import needs  # noqa: F401  first: it skips

import json

import numpy as np
import pandas as pd
import pytest
from ndt_report.judge.density import density_sentence, density_table, grid_scatter
from ndt_report.judge.summary import summary_table
from ndt_report.page.write import write_report
from ndt_report.read.load import load_run
from ndt_report.sections.accuracy import by_base
from ndt_report.sections.report import make_report
from page_parser import Page
from synthetic_run import SyntheticRun
from toy import OWN, PEER, REFERENCE, datasets, implementations, judged, measurement



def answers(name, positions, frame="f0", **columns):
    """Alignments from one guess, one with every grid: the first with the grid as it is."""
    shifts = [np.nan, 0.2, 0.4, 0.6, 0.8]
    return pd.DataFrame(
        [measurement(name, x, grid_shift=shift, frame=frame, error=None, search=None, **columns) for x, shift in zip(positions, shifts)]
    )  # fmt: skip


def scatter_of(*frames):
    rows = pd.concat(frames, ignore_index=True)
    return grid_scatter(rows[rows.grid_shift.isna()], rows[rows.grid_shift.notna()])


def test_scatter_is_the_rms_of_a_scans_answers_and_the_median_of_scans():
    (row,) = scatter_of(
        answers(OWN, [0.001, -0.001]), answers(OWN, [5.002, 4.998], frame="f1"), answers(OWN, [0, 18], frame="f2")
    ).itertuples()
    assert row.scatter_mm_p50 == pytest.approx(2) and row.scatter_scans == 3 and row.grids == 2
    (row,) = scatter_of(answers(OWN, [0, 0, 0, 0, 0.01])).itertuples()
    assert row.scatter_mm_p50 == pytest.approx(1000 * np.sqrt((4 * 0.002**2 + 0.008**2) / 5)) and row.grids == 5


def test_what_failed_or_has_no_other_grid_does_not_scatter():
    lost = answers(OWN, [0, 0.5])
    lost.loc[1, "error"] = "crashed"
    assert scatter_of(lost).empty, "one answer is left"
    assert scatter_of(answers(OWN, [0])).empty
    (row,) = scatter_of(lost, answers(OWN, [0, 0.002], frame="f1"), answers(PEER, [0])).itertuples()
    assert row.implementation == OWN and row.scatter_scans == 1 and row.scatter_mm_p50 == pytest.approx(1)


GICP = "exec:gicp"


def table_of(*rows):
    frame = judged([row | {"search": None} for row in rows])
    known = implementations(*dict.fromkeys(frame.implementation))
    known["peer"] = [name.startswith("exec:") for name in known.index]
    summary = summary_table(frame.assign(median_us=1000.0), known, datasets(*dict.fromkeys(frame.dataset)))
    nothing = frame[:0].assign(grid_shift=0.0)
    return density_table(summary, frame, nothing.drop(columns="grid_shift"), nothing)


def at(density, name, x, dataset="toy", **columns):
    return measurement(name, x, true_x=0, dataset=dataset, density=density, **columns)


def test_densities_of_a_dataset_stand_together_with_their_errors():
    table = table_of(
        at("1 m", REFERENCE, 0.01), at("raw", REFERENCE, 0.001, "other"), at("0.5 m", REFERENCE, 0.004, "toy@0.5m", points=4000.0)
    )
    assert list(table.base) == ["toy", "toy", "other"] and list(table.density) == ["1 m", "0.5 m", "raw"]
    assert table.translation_error_mm_p50.tolist() == pytest.approx([10, 4, 1]) and table.points_p50[1] == 4000
    assert density_sentence(table) == "" and density_sentence(table[:1]) == "The density of all scans: 1 m."
    assert table_of(measurement(REFERENCE, 0.01, true_x=0, density=None)).empty, "a run made before there were densities"


def test_of_a_peers_settings_the_best_is_shown():
    table = table_of(
        at("1 m", REFERENCE, 0.01), at("1 m", GICP, 0.008), at("1 m", f"{GICP}:0.1:10", 0.006), at("1 m", f"{GICP}:0.5:20", 0.007),
        at("1 m", "exec:other", 0.02), at("1 m", GICP, 0.003, "toy@raw"),
    )  # fmt: skip
    shown = [(base, [(row["implementation"], row["settings"]) for row in rows]) for base, rows in by_base(table)]
    assert shown == [("toy", [(REFERENCE, 1), (f"{GICP}:0.1:10", 3), ("exec:other", 1), (GICP, 1)])]
    lost = table_of(at("1 m", GICP, 0.008), at("1 m", f"{GICP}:0.1:10", 0.001), at("1 m", f"{GICP}:0.1:10", 5.0, frame="f1"),
                    at("1 m", GICP, 0.009, frame="f1"))  # fmt: skip
    assert [row["implementation"] for row in by_base(lost)[0][1]] == [GICP], "fewer successes are worse"


@pytest.fixture
def folder(tmp_path):
    """The town's scans at two densities, each with one more grid."""
    run = SyntheticRun(cuda=False).tracking("town", frames=6, block=2).tracking("town@0.5m", frames=6, block=2)
    for m in list(run.measurements):
        m |= {"density": "0.5 m" if "@" in m["dataset"] else "1 m", "grid_shift": None}
        moved = list(m["pose"])
        moved[3] += 0.008
        run.measurements.append(m | {"grid_shift": 0.2, "pose": moved, "timing": "single", "job": m["job"] + 1000})
        m["grid_shift"] = None
    return run.write(tmp_path / "run")


def test_the_page_has_a_table_of_densities_and_no_other_part_counts_other_grids(folder, tmp_path):
    run = load_run(folder)
    assert run.finished and len(run.shifted) == len(run.measurements) > 0
    report = make_report(run)
    assert report.table.measurements.sum() == len(run.measurements)
    page = Page(write_report(report, folder).read_text())
    assert "Density of the scans: 0.5 m." in page.text and "Scatter: the same guess" in page.text
    written = pd.read_csv(folder / "accuracy.csv")
    assert set(written.base) == {"town"} and set(written.density) == {"1 m", "0.5 m"} and set(written.grids) == {2}
    assert written.scatter_mm_p50.to_numpy() == pytest.approx(4, abs=1e-6)
    plain = SyntheticRun(cuda=False).tracking("town", frames=4, block=2).write(tmp_path / "plain")
    text = Page(write_report(make_report(load_run(plain)), plain).read_text()).text
    assert "ndt-bench run --preset accuracy gives it" in text and "Density of the scans" not in text
    assert not (plain / "accuracy.csv").exists()


def test_one_measurement_with_one_grid_twice_is_refused(folder):
    from ndt_report.read.refusal import InputError

    lines = (folder / "results.jsonl").read_text().splitlines(True)
    assert json.loads(lines[-1])["grid_shift"] == 0.2
    (folder / "results.jsonl").write_text("".join(lines + lines[-1:]))
    with pytest.raises(InputError, match=f"line {len(lines) + 1}: the measurement of line"):
        load_run(folder)
