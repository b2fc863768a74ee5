"""The verdict's box of runs whose answer is known: clear, noisy, equal, a better peer, one bad pose in 67; and what
makes a run doubtful."""

import needs  # noqa: F401  first: it skips

import json
import re

import numpy as np
import pytest
from ndt_report.read.load import load_run
from ndt_report.judge.own_scans import without_their_truth
from ndt_report.page_numbers import number
from ndt_report.sections.report import main_datasets, make_report
from ndt_report.judge.summary import judged_measurements, summary_table
from ndt_report.judge.verdict import verdict_of
from synthetic_entries import pose_of
from synthetic_run import SyntheticRun

OWN, REFERENCE, PEER = "persistent_cpu", "cpu_pclomp_ref", "pcl_ndt"


def drive(frames=24, **of_run):
    run = SyntheticRun(cuda=False, **of_run)
    run.names = [REFERENCE, OWN]
    return run.tracking("town", frames=frames)


def box(run, folder, **environment):
    """The Verdict, as make_report() gives it but without its figures."""
    path = run.write(folder) / "environment.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | environment))
    measurements, table, loaded = summary_of(folder)
    return verdict_of(loaded, measurements, table, main_datasets(measurements, set()))


def summary_of(folder):
    loaded = without_their_truth(load_run(folder))
    measurements = judged_measurements(loaded)
    return measurements, summary_table(measurements, loaded.implementations, loaded.datasets), loaded


def test_a_clear_run(tmp_path):
    said = box(drive(), tmp_path, commit="3723fa6")
    assert said.headline == f"Use {OWN}: our fastest implementation with the oracle's accuracy on your data."
    (sentence,) = said.datasets
    assert re.search(r"is 4\.\d+x \[\d\.\d+, \d\.\d+\] faster than cpu_pclomp_ref; the same poses", sentence)
    assert said.better == [] and said.cautions == []
    (replayer,) = said.replayer
    assert replayer.startswith(f"{OWN} on town: no Convergence, since 1") and replayer.endswith("Reliability passes (none below 2.3).")


def test_a_noisy_run_gives_no_ratio_whose_interval_spans_more_than_two(tmp_path):
    run, random = drive(), np.random.default_rng(3)
    factor = {job: random.lognormal(0, 0.5) for job in {row["job"] for row in run.measurements}}
    for row in run.measurements:
        row["align_us"] = [v * factor[row["job"]] * random.lognormal(0, 0.4) for v in row["align_us"]]
    said = box(run, tmp_path)
    assert said.headline.startswith(f"Probably {OWN}: ") and "times were unsteady" in said.headline
    assert re.search(r"(is at least \d\.?\d*x faster|between \d\.?\d*x and \d+\.?\d*x)", said.datasets[0])
    assert "[" not in said.datasets[0].partition("faster")[0]


def test_equal_implementations(tmp_path):
    said = box(drive(slow={OWN: (40 + 1400) / (12 + 340)}), tmp_path)
    named = said.headline.startswith
    assert named(f"Use {OWN} or {REFERENCE}: they take the same time") or named(f"Use {REFERENCE}: ")
    assert "faster than" not in said.headline


def test_a_better_peer_is_named(tmp_path):
    run = SyntheticRun(cuda=False).tracking("town")
    for row in run.measurements:
        if row["implementation"] == PEER:
            row |= {"pose": row["truth"], "translation_error_m": 0.0005, "rotation_error_deg": 0.0}
            row["align_us"] = [v / 100 for v in row["align_us"]]
    said = box(run, tmp_path)
    assert said.headline.startswith(f"Use {OWN}: ")
    nearer, quicker = said.better
    assert nearer.startswith(f"More accurate than {OWN} (") and f"on town: {PEER} (0.5 mm)" in nearer
    assert quicker.startswith(f"Less time than {OWN} (") and f"probably {PEER} (0.0" in quicker


def test_one_bad_pose_in_67_is_no_other_algorithm_and_no_certainty(tmp_path):
    run = drive(frames=67)
    for row in run.measurements:
        if row["implementation"] == OWN and row["frame"] == "scans/000030.bin":
            bad = np.reshape(row["truth"], (4, 4)) @ pose_of(1.5, 0, 0, 0)
            row |= {"pose": list(bad.ravel()), "translation_error_m": 1.5}
    said = box(run, tmp_path)
    assert said.headline.startswith(f"Probably {OWN}: ")
    assert said.headline.endswith("too few alignments to be sure of its accuracy.")
    (sentence,) = said.datasets
    assert "other poses (1 % of poses differ > 1 cm; NVTL +0.000), probably no worse against the truth" in sentence
    assert "66 of 67 succeed, oracle 67; median error" in sentence
    assert any(c.startswith(f"{OWN} (1 thr) is compared on town by the truth") for c in said.cautions)


def not_timed(run):
    for row in run.measurements:
        row |= {"timing": "single", "align_us": row["align_us"][:1]}
    return run


def test_a_run_without_timed_alignments_names_the_times_it_has(tmp_path):
    alone = not_timed(drive())
    said = make_report(load_run(alone.write(tmp_path / "alone"))).verdict
    assert said.headline == "No single alignment was timed in this run: it shows which ones succeed, not how fast they are."
    alone.batches(poses=(10, 100))
    said = make_report(load_run(alone.write(tmp_path / "batches"))).verdict
    assert said.headline.endswith("not how fast they are. Its times are those of batches.")


def test_times_of_peers_are_no_caution_where_nothing_of_them_was_timed(tmp_path):
    cautions = box(not_timed(SyntheticRun(cuda=False).tracking("town")), tmp_path).cautions
    assert not any("like-for-like" in said for said in cautions)


def test_a_solver_without_its_library_is_a_caution(tmp_path):
    run, why = drive(), "own LDLT: libcusolver.so.12 was not found"
    for row in run.measurements:
        row["solver"] = why if row["implementation"] == OWN else None if row["frame"].endswith("0.bin") else "cuSOLVER"
    cautions = make_report(load_run(run.write(tmp_path))).verdict.cautions
    assert [said for said in cautions if "solved" in said] == [f"{OWN} solved its systems with its {why}."]


def test_a_busy_machine_and_capped_samples_leave_it_probable(tmp_path):
    assert "the machine was busy" in box(drive(), tmp_path / "busy", load_average_1_min=1.9).headline
    run = drive()
    for row in run.measurements[::3]:
        row["timing"] = "wall_cap"
    headline = box(run, tmp_path / "capped").headline
    assert headline.startswith(f"Probably {OWN}: ") and "repeats were cut off before they settled" in headline


def test_a_tree_with_changes_is_said(tmp_path):
    (said,) = box(drive(), tmp_path).cautions  # the synthetic environment's commit ends with -dirty
    assert said.startswith("The tree had changes that commit 3723fa6 does not hold")


def test_no_accuracy_is_claimed_on_a_map_of_its_own_scans(tmp_path):
    run = SyntheticRun(cuda=False).tracking("nclt_keyframes")
    for row in run.measurements:
        if row["implementation"] == PEER:
            row |= {"pose": row["truth"], "translation_error_m": 0.0005, "rotation_error_deg": 0.0}
    said = box(run, tmp_path)
    assert any(c.startswith("The map of nclt_keyframes holds the query scans themselves") for c in said.cautions)
    assert said.better == [] and "24 of 24 agree with the oracle (no truth)" in said.datasets[0]
    assert "truth" not in " ".join(said.trust) and "to the side of the truth" not in said.replayer[0]
    table = summary_of(tmp_path)[1].set_index("implementation")
    assert table.success_kind[PEER] == "unknown" and table.align_ms_p50[PEER] > 0 and not table.comparable[PEER]


@pytest.mark.parametrize(
    "value, digits, said",
    [
        (160.0, 2, "160"),
        (99.96, 2, "100"),
        (999.7, 3, "1,000"),
        (12345.0, 3, "12,345"),
        (0.0000123, 2, "0.000012"),
        (0.144, 2, "0.14"),
        (-160.0, 2, "-160"),
        (0, 3, "0"),
        (float("nan"), 3, "–"),
    ],
)
def test_numbers_of_prose_have_no_exponent(value, digits, said):
    assert number(value, digits) == said
