"""Detection of wrong poses, and convergence, on frames whose answer is known."""

import needs  # noqa: F401  first: it skips

import numpy as np
import pytest
from ndt_report.judge.convergence import convergence_curves, stopping_table, trace_points
from ndt_report.judge.detection import auc, detection_table, judged_poses, mark_wrong, roc
from toy import OWN, REFERENCE, datasets, judged, measurement

# --- detection ---


def test_auc_of_a_hand_computed_case():
    # Wrong 1, 3, 3; right 2, 3, 5. Pairs with the wrong one below: 1<2, 1<3, 1<5, 3<5, 3<5; ties 3=3 twice,
    # half each: 6 of 9.
    score, wrong = [1, 3, 3, 2, 3, 5], [True, True, True, False, False, False]
    assert auc(score, wrong) == pytest.approx(6 / 9)
    assert (
        auc([1, 2, 8, 9], [True, True, False, False]) == 1
        and auc([8, 9, 1, 2], [True, True, False, False]) == 0
    )


def test_roc_steps_through_every_threshold_and_its_area_is_the_auc():
    score, wrong = np.array([1, 3, 3, 2, 3, 5]), np.array([True, True, True, False, False, False])
    curve = roc(score, wrong)
    assert list(curve.found) == pytest.approx([0, 1 / 3, 1 / 3, 1, 1])
    assert list(curve.rejected_right) == pytest.approx([0, 0, 1 / 3, 2 / 3, 1])
    middle = (curve.found[1:].to_numpy() + curve.found[:-1].to_numpy()) / 2
    assert (middle * np.diff(curve.rejected_right)).sum() == pytest.approx(auc(score, wrong))


def test_autowares_threshold_is_held_against_final_poses():
    measurements = judged(
        [
            measurement(
                REFERENCE, 0.0 if i < 10 else 5.0, true_x=0, frame=f"f{i}", nvtl=3.0 if i < 9 else 2.0
            )
            for i in range(15)
        ]
    )
    poses = judged_poses(measurements, trace_points(measurements).assign(wrong=False))
    table = detection_table(poses).set_index("score")
    assert (table.wrong["nvtl"], table.right["nvtl"], table.found["nvtl"]) == (5, 10, 1.0)
    assert table.rejected_right["nvtl"] == pytest.approx(0.1) and set(poses.pose) == {"final"}


def trace(errors):
    n = len(errors)
    return {
        "score": [1000.0 * (4 - e) for e in errors],
        "nvtl": [4.0 - e for e in errors],
        "step_m": [0.0] + [0.1] * (n - 1),
        "translation_error_m": list(errors),
        "rotation_error_deg": [0.0] * n,
    }


def test_where_all_poses_are_right_those_on_the_way_are_judged():
    measurements = judged(
        [measurement(REFERENCE, 0.0, true_x=0, frame=f"f{i}", trace=trace([1.0, 0.5, 0.1])) for i in range(5)]
    )
    points = mark_wrong(trace_points(measurements), datasets())
    table = detection_table(judged_poses(measurements, points)).set_index("score")
    assert (
        set(table.pose) == {"on the way"}
        and (table.wrong["nvtl"], table.right["nvtl"]) == (10, 5)
        and table.auc["nvtl"] == 1
    )


def test_without_wrong_poses_nothing_is_said():
    measurements = judged([measurement(REFERENCE, 0.0, true_x=0, frame=f"f{i}") for i in range(9)])
    assert judged_poses(measurements, trace_points(measurements).assign(wrong=False)).empty


# --- convergence ---


def test_traces_become_rows_and_a_stopped_alignment_keeps_its_last_value():
    measurements = judged(
        [
            measurement(REFERENCE, true_x=0, trace=trace([1.0, 0.2])),
            measurement(REFERENCE, true_x=0, frame="f1", trace=trace([2.0, 1.0, 0.5, 0.4])),
        ]
    )
    points = trace_points(measurements)
    assert len(points) == 6 and list(points.iteration) == [0, 1, 0, 1, 2, 3]
    curve = convergence_curves(points, "translation_error_m")
    assert list(curve["median"]) == pytest.approx([1.5, 0.6, 0.35, 0.3]) and set(curve.n) == {2}


def test_no_traces_are_no_curves():
    points = trace_points(judged([measurement(REFERENCE)]))
    assert points.empty and convergence_curves(points, "nvtl").empty


def test_the_stopping_table_shows_who_stops_early():
    measurements = judged(
        [
            measurement(REFERENCE, trace=trace([1.0, 0.2, 0.1, 0.1, 0.1, 0.1])),
            measurement(OWN, iterations=2.0, trace=trace([1.0, 0.2, 0.1])),
        ]
    )
    table = stopping_table(measurements, trace_points(measurements)).set_index("implementation")
    assert (
        table.iterations_p50[OWN] == 2
        and table.fewer_than_ref_share[OWN] == 1
        and np.isnan(table.fewer_than_ref_share[REFERENCE])
    )
    assert table.last_step_mm_p50[OWN] == pytest.approx(100)
