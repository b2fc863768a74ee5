"""Errors against the oracle, success, and equal accuracy, on measurements made by hand."""

import needs  # noqa: F401  first: it skips

import numpy as np
import pandas as pd
import pytest
from ndt_report.judge.accuracy import AGREEMENT, TRUTH, UNKNOWN, accuracy_table, equal_accuracy
from ndt_report.judge.equivalence import equivalence_table, worst_cases
from ndt_report.read.poses import chained, quaternion_xyzw, rotation_difference_deg, translation_difference_m
from ndt_report.judge.reference import add_reference_errors, reference_threads
from synthetic_entries import pose_of
from toy import CUDA, OWN, PEER, REFERENCE, failed, implementations, judged, measurement


def test_pose_differences_are_exact_for_tiny_and_for_half_turns():
    assert translation_difference_m(pose_of(1, 2, 3, 0), pose_of(1, 2, 5, 1)) == 2
    for degrees in (1e-6, 0.1, 90, 180):
        assert rotation_difference_deg(np.eye(4), pose_of(0, 0, 0, np.radians(degrees))) == pytest.approx(
            degrees, rel=1e-9
        )


def test_quaternions_are_unit_and_know_their_turn():
    assert quaternion_xyzw(np.eye(4)) == pytest.approx([0, 0, 0, 1])
    assert quaternion_xyzw(pose_of(0, 0, 0, np.pi / 2)) == pytest.approx([0, 0, np.sqrt(0.5), np.sqrt(0.5)])
    half_turn_about_x = np.diag([1.0, -1, -1, 1])
    assert quaternion_xyzw(half_turn_about_x) == pytest.approx([1, 0, 0, 0])


def test_a_chain_multiplies_steps():
    poses = chained([pose_of(1, 0, 0, np.pi / 2), pose_of(1, 0, 0, 0)])
    assert poses[2][:3, 3] == pytest.approx([1, 1, 0])


def test_errors_against_the_oracle_are_of_the_same_alignment():
    measurements = add_reference_errors(
        pd.DataFrame(
            [
                measurement(REFERENCE, 1.0),
                measurement(OWN, 1.002, iterations=6.0, score=101.0),
                measurement(OWN, 5.0, frame="f1"),
                measurement(OWN, 1.5, variant="direct7"),
                measurement(OWN, 1.0, threads=2, pose=pose_of(1, 0, 0, np.radians(0.5))),
            ]
        ),
        REFERENCE,
    )
    assert measurements.translation_vs_ref_m[1] == pytest.approx(0.002)
    assert measurements.iterations_vs_ref[1] == 1 and measurements.score_vs_ref[1] == pytest.approx(0.01)
    assert measurements.translation_vs_ref_m[[0, 2, 3]].isna().all()
    assert measurements.rotation_vs_ref_deg[4] == pytest.approx(0.5)


def test_success_is_nearness_to_the_truth_where_there_is_one():
    measurements = judged(
        [
            measurement(OWN, 0.19, true_x=0),
            measurement(OWN, 0.21, true_x=0, frame="f1"),
            failed(OWN, frame="f2"),
            measurement(OWN, 0.0, true_x=0, frame="f3", rotation_error_deg=1.5),
        ]
    )
    assert list(measurements.success) == [1, 0, 0, 0] and set(measurements.success_kind) == {TRUTH}


def test_without_truth_success_is_agreement_with_a_converged_oracle_pose():
    measurements = judged(
        [
            measurement(REFERENCE),
            measurement(OWN, 0.009),
            measurement(OWN, 0.011, threads=2),
            measurement(PEER, 0.0, stop="max_iterations"),
        ]
    )
    assert list(measurements.success) == [1, 1, 0, 0] and set(measurements.success_kind) == {AGREEMENT}


def test_without_truth_and_oracle_nobody_can_say_but_an_error_still_failed():
    measurements = judged([measurement(OWN), failed(OWN, frame="f1")])
    assert (
        set(measurements.success_kind) == {UNKNOWN}
        and np.isnan(measurements.success[0])
        and measurements.success[1] == 0
    )


def test_the_accuracy_table_counts_errors_as_failures():
    table = accuracy_table(
        judged(
            [
                measurement(OWN, 0.1, true_x=0),
                measurement(OWN, 0.05, true_x=0, frame="f1"),
                failed(OWN, frame="f2"),
                failed(OWN, frame="f3"),
            ]
        )
    )
    only = table.iloc[0]
    assert (only.measurements, only.errors, only.successes, only.success_share) == (4, 2, 2, 0.5)
    assert only.translation_error_mm_p50 == pytest.approx(
        75
    ) and only.translation_error_mm_max == pytest.approx(100)
    assert only.stops == "converged 2, crash 2" and only.build_ms_p50 == 1


def frames(implementation, errors, **columns):
    return [measurement(implementation, x, true_x=0, frame=f"f{i}", **columns) for i, x in enumerate(errors)]


def equal(measurements):
    judged_measurements = judged(measurements)
    table = equal_accuracy(
        judged_measurements, reference_threads(judged_measurements, implementations()), REFERENCE
    )
    return table.set_index(["implementation", "threads"])


def test_equal_accuracy_needs_99_percent_of_poses_within_a_centimetre():
    far_1_percent, far_2_percent = [0.02] + [0.001] * 99, [0.02] * 2 + [0.001] * 98
    assert equal(frames(REFERENCE, [0.0] * 100) + frames(OWN, far_1_percent)).equal[(OWN, 1)]
    table = equal(frames(REFERENCE, [0.0] * 100) + frames(OWN, far_2_percent))
    assert table.why_not[(OWN, 1)] == "not equal: 2 % of poses differ > 1 cm"
    turned = frames(OWN, [0.0] * 100)
    turned[0:5] = [r | {"pose": pose_of(0, 0, 0, np.radians(0.2))} for r in turned[0:5]]
    assert (
        equal(frames(REFERENCE, [0.0] * 100) + turned).why_not[(OWN, 1)]
        == "not equal: 5 % of poses differ > 0.1 deg"
    )


def test_alignments_that_the_oracle_failed_count_against_nobody_but_successes_must_overlap():
    lost = [0.0] * 50 + [3.0] * 50
    assert equal(frames(REFERENCE, lost) + frames(OWN, [0.0] * 50 + [4.0] * 50)).equal[(OWN, 1)]
    better = equal(frames(REFERENCE, lost) + frames(OWN, [0.0] * 100))
    assert better.why_not[(OWN, 1)] == "not equal: success 100 %, oracle 50 %"


def test_an_error_where_the_oracle_succeeded_is_a_difference():
    measurements = frames(REFERENCE, [0.0] * 4) + frames(OWN, [0.0] * 3) + [failed(OWN, frame="f3", true_x=0)]
    assert equal(measurements).why_not[(OWN, 1)] == "not equal: 25 % of poses differ > 1 cm"


def test_implementations_are_held_against_the_oracle_with_as_many_threads_and_gpus_against_its_most():
    measurements = pd.DataFrame(
        [
            measurement(REFERENCE, threads=1),
            measurement(REFERENCE, threads=4),
            measurement(OWN, threads=1),
            measurement(OWN, threads=4),
            measurement(OWN, threads=2),
            measurement(CUDA, threads=1),
            measurement(PEER, threads=1),
            measurement(OWN, dataset="alone"),
        ]
    )
    threads = (
        reference_threads(measurements, implementations())
        .set_index(["dataset", "implementation", "threads"])
        .ref_threads
    )
    assert [threads[("toy", OWN, n)] for n in (1, 4, 2)] == [1, 4, 4]
    assert threads[("toy", CUDA, 1)] == 4 and threads[("toy", PEER, 1)] == 1
    assert np.isnan(threads[("alone", OWN, 1)])


def test_equivalence_gives_shares_and_worst_cases_without_peers():
    measurements = judged(
        [
            measurement(REFERENCE),
            measurement(REFERENCE, frame="f1"),
            measurement(OWN, 0.0005),
            measurement(OWN, 0.004, frame="f1", iterations=7.0),
            measurement(PEER, 0.5),
        ]
    )
    table = equivalence_table(measurements).set_index("implementation")
    assert table.same_iterations_share[OWN] == 0.5 and table.fine_share[OWN] == 0.5
    assert table.translation_mm_max[OWN] == pytest.approx(4) and table.n[PEER] == 1
    worst = worst_cases(measurements, implementations())
    assert list(worst.frame) == ["f1", "f0"] and set(worst.implementation) == {OWN}
    assert worst.iterations_vs_ref.iloc[0] == 2
