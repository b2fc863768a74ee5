"""Quantiles of times, ratios and verdicts, on measurements made by hand."""

import needs  # noqa: F401  first: it skips

import numpy as np
import pytest
from ndt_report.judge.accuracy import KEY, equal_accuracy
from ndt_report.judge.against_truth import add_comparable, against_truth
from ndt_report.judge.latency import (
    FASTER,
    SAME,
    SLOWER,
    UNCLEAR,
    latency_table,
    paired,
    ratio_table,
    samples,
    speed_up,
    tail_table,
    timed,
    verdict,
)
from ndt_report.judge.reference import reference_threads
from ndt_report.judge.summary import summary_table
from ndt_report.judge.cautions import typical_spread
from toy import CUDA, OWN, PEER, REFERENCE, datasets, failed, implementations, judged, measurement


def jobs(implementation, times, **columns):
    """One frame and job per time."""
    return [
        measurement(
            implementation,
            ms=np.atleast_1d(t),
            frame=f"f{i}",
            job=100 * order_of(implementation) + i,
            true_x=0,
            **columns,
        )
        for i, t in enumerate(times)
    ]


def order_of(name):
    return [REFERENCE, OWN, PEER, CUDA].index(name)


def test_quantiles_weigh_every_measurement_the_same_however_often_it_was_repeated():
    measurements = judged(
        [measurement(OWN, ms=[1.0] * 98, true_x=0), measurement(OWN, ms=[5.0, 5.0], frame="f1", true_x=0)]
    )
    table = latency_table(measurements).iloc[0]
    assert (table.align_ms_p50, table.align_ms_p90) == (1, 5)
    assert (table.timed_measurements, table.samples) == (2, 100)
    assert samples(measurements).weight.sum() == pytest.approx(2)


def test_a_99th_percentile_is_of_a_hundred_samples_at_least():
    times = list(range(1, 101))
    p99 = [
        latency_table(judged([measurement(OWN, ms=times[:n], true_x=0)])).align_ms_p99.iloc[0] for n in (99, 100)
    ]
    assert np.isnan(p99[0]) and p99[1] == 99


def test_the_tail_is_of_short_plain_alignments_with_many_repeats():
    quick = [1.0] * 990 + [9.0] * 10
    measurements = [
        measurement(OWN, ms=quick, true_x=0, iterations=5.0, points=5000.0),
        measurement(OWN, ms=[50.0] * 900, true_x=0, frame="f1", iterations=6.0),
    ]
    measurements += [measurement(CUDA, ms=quick[1:], true_x=0, iterations=2.0)]
    measurements += [measurement(OWN, ms=quick, true_x=0, iterations=5.0, variant="regularised")]
    tail = tail_table(judged(measurements))
    assert list(tail.implementation) == [OWN] and tail.samples.iloc[0] == 1000 and tail.points.iloc[0] == 5000
    assert (tail.align_ms_p50.iloc[0], tail.align_ms_p99.iloc[0]) == (1, 1)
    more = tail_table(judged([measurement(OWN, ms=quick + [9.0], true_x=0, iterations=1.0)]))
    assert more.align_ms_p99.iloc[0] == 9


def test_single_measurements_errors_and_failures_are_no_times():
    measurements = judged(
        [
            measurement(OWN, ms=[1], true_x=0),
            measurement(OWN, ms=[9], timing="single", frame="f1", true_x=0),
            failed(OWN, frame="f2"),
            measurement(OWN, 3.0, ms=[0.1], frame="f3", true_x=0),
            measurement(OWN, ms=[2], timing="wall_cap", frame="f4", true_x=0),
        ]
    )
    assert list(timed(measurements).align_ms) == [1, 2]
    assert latency_table(measurements).wall_cap_share.iloc[0] == 0.5


def test_idle_times_are_kept_apart():
    measurements = judged(
        [measurement(OWN, ms=[1], align_after_idle_us=np.array([4000.0, 6000.0, 5000.0]), true_x=0)]
    )
    assert latency_table(measurements).align_after_idle_ms_p50.iloc[0] == 5


@pytest.mark.parametrize(
    "low, high, said",
    [
        (1.06, 1.2, FASTER),
        (1.04, 1.2, UNCLEAR),
        (0.7, 0.94, SLOWER),
        (0.7, 0.96, UNCLEAR),
        (0.96, 1.04, SAME),
        (0.9, 1.04, UNCLEAR),
        (0.5, 2.0, UNCLEAR),
        (np.nan, np.nan, UNCLEAR),
    ],
)
def test_a_verdict_needs_the_whole_interval_on_one_side_of_the_margin(low, high, said):
    assert verdict(low, high) == said


def test_a_speed_up_is_the_geometric_mean_of_ratios_of_the_same_alignment():
    measurements = judged(jobs(REFERENCE, [4, 8, 16, 2]) + jobs(OWN, [1, 2, 8, 1]))
    own, base = timed(measurements[measurements.implementation == OWN]), timed(
        measurements[measurements.implementation == REFERENCE]
    )
    found = speed_up(own, base)
    assert found["speed"] == pytest.approx((4 * 4 * 2 * 2) ** 0.25)
    assert found["speed_low"] < found["speed"] < found["speed_high"] and (found["pairs"], found["jobs"]) == (
        4,
        4,
    )


def test_a_failure_gains_nothing():
    fast_but_wrong = measurement(OWN, 5.0, ms=[0.001], frame="f3", job=103, true_x=0)
    measurements = judged(jobs(REFERENCE, [4, 4, 4, 4]) + jobs(OWN, [2, 2, 2]) + [fast_but_wrong])
    own, base = timed(measurements[measurements.implementation == OWN]), timed(
        measurements[measurements.implementation == REFERENCE]
    )
    assert len(paired(own, base)) == 3 and speed_up(own, base)["speed"] == pytest.approx(2)


def test_no_pair_gives_no_speed_up():
    measurements = judged(jobs(REFERENCE, [4]) + [measurement(OWN, frame="other", true_x=0)])
    found = speed_up(
        timed(measurements[measurements.implementation == OWN]),
        timed(measurements[measurements.implementation == REFERENCE]),
    )
    assert np.isnan(found["speed"]) and found["pairs"] == 0


def table_of(measurements):
    frame = judged(measurements)
    pairing = reference_threads(frame, implementations())
    equal = equal_accuracy(frame, pairing, REFERENCE)
    equal = add_comparable(equal.merge(against_truth(frame, pairing, datasets(), REFERENCE), on=KEY))
    return ratio_table(frame, pairing, equal, implementations()).set_index(["implementation", "threads"])


def test_ratios_stand_beside_oracle_and_fastest_cpu_implementation():
    table = table_of(
        jobs(REFERENCE, [4, 4.01, 3.99, 4])
        + jobs(OWN, [2, 2, 2, 2])
        + jobs(CUDA, [1, 1, 1.01, 1])
        + jobs(PEER, [0.5] * 4, stop="converged")
    )
    assert table.verdict[(OWN, 1)] == FASTER and table.speed[(OWN, 1)] == pytest.approx(2, rel=1e-3)
    assert table.cpu_base[(CUDA, 1)] == f"{OWN}, 1 thr" and table.cpu_speed[(CUDA, 1)] == pytest.approx(
        2, rel=1e-2
    )
    assert table.cpu_verdict[(REFERENCE, 1)] == SLOWER
    assert table.verdict[(REFERENCE, 1)] == "" and table.cpu_verdict[(OWN, 1)] == ""  # itself


@pytest.mark.parametrize(
    "count, truth, why",
    [
        (1, {"truth": None, "translation_error_m": np.nan}, "not equal: 25 % of poses differ > 1 cm"),
        (4, {"translation_error_m": 0.05}, "worse than the oracle: median error 50 mm, oracle 0 mm"),
    ],
)
def test_an_unequal_implementation_gets_its_reason_instead_of_a_verdict(count, truth, why):
    base = [r | {k: v for k, v in truth.items() if k == "truth"} for r in jobs(REFERENCE, [4, 4, 4, 4])]
    shift = np.array([[0, 0, 0, 0.05]] + [[0] * 4] * 3)
    own = [r | truth for r in jobs(OWN, [1, 1, 1, 1])]
    far = [r | {"pose": r["pose"] + shift} for r in own[:count]]
    table = table_of(base + far + own[count:])
    assert table.verdict[(OWN, 1)] == "" and table.why_no_verdict[(OWN, 1)] == why
    assert (
        table.cpu_base[(REFERENCE, 1)] == f"{REFERENCE}, 1 thr"
    )  # an unequal implementation is not the fastest on a CPU


def test_the_speed_of_a_peer_counts_what_it_takes_to_prepare_a_scan():
    table = table_of(
        [r | {"prepare_us": np.nan} for r in jobs(REFERENCE, [4] * 4)]
        + [r | {"prepare_us": 1000.0} for r in jobs(PEER, [1] * 4)]
    )
    assert table.speed[(PEER, 1)] == pytest.approx(2)


def test_two_threads_are_held_against_two_threads():
    table = table_of(
        jobs(REFERENCE, [4] * 4)
        + jobs(REFERENCE, [2] * 4, threads=2)
        + jobs(OWN, [2] * 4)
        + jobs(OWN, [2] * 4, threads=2)
    )
    assert table.speed[(OWN, 1)] == pytest.approx(2) and table.speed[(OWN, 2)] == pytest.approx(1)
    assert table.verdict[(OWN, 2)] == SAME


def test_the_summary_has_a_line_for_every_implementation_even_without_times():
    frame = judged(
        jobs(REFERENCE, [4, 4])
        + [failed(OWN, true_x=0, frame=f) for f in ("f0", "f1")]
        + jobs(PEER, [1, 1], timing="single")
    )
    table = summary_table(frame, implementations(), datasets()).set_index("implementation")
    assert list(table.index) == [REFERENCE, OWN, PEER] and table.peer[PEER] and not table.peer[OWN]
    assert table.success_share[OWN] == 0 and np.isnan(table.align_ms_p50[OWN]) and table.verdict[OWN] == ""


def test_times_are_called_unsteady_by_the_spread_within_measurements():
    steady = [measurement(ms=(9.8, 9.9, 10, 10.1, 10.2)), measurement(OWN, ms=(19.6, 19.8, 20, 20.2, 20.4))]
    shaken = [measurement(ms=(5, 8, 10, 12, 20)), measurement(OWN, ms=(10, 16, 20, 24, 40))]
    assert typical_spread(judged(steady)) == pytest.approx(
        0.02
    )  # frames that differ from one another are no spread
    assert typical_spread(judged(shaken)) == pytest.approx(0.4)
    assert np.isnan(typical_spread(judged([measurement(ms=(1, 2, 3))]))), "too few for quartiles"
    assert np.isnan(typical_spread(judged([measurement(ms=(1, 2, 3, 4, 5), timing="single")])))
