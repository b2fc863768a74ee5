"""Targets: each is met, missed or open for the right reason, and no CPU answers one for a GPU."""

import needs  # noqa: F401  first: it skips

from types import SimpleNamespace

import pandas as pd
import pytest
from ndt_report.iteration_time import feature_costs, iteration_time_table
from ndt_report.scaling import scaling_datasets
from ndt_report.searches import at_once_table, search_measurements, search_table
from ndt_report.summary import summary_table
from ndt_report.targets import MET, MISSED, OPEN, Side, Target, read_targets, targets_table
from ndt_report.transfers import transfers_table
from synthetic_entries import traffic
from toy import CUDA, OWN, PEER, REFERENCE, datasets, failed, implementations, judged, measurement
from toy_searches import search, some


def report_of(measurements, searches, known):
    frame = judged(measurements)
    table = search_table(searches, REFERENCE)
    return SimpleNamespace(
        run=SimpleNamespace(implementations=known),
        measurements=frame,
        table=summary_table(frame, known, datasets(*dict.fromkeys(frame.dataset))),
        transfers=transfers_table(frame, known),
        feature_costs=feature_costs(iteration_time_table(frame)),
        at_once=at_once_table(table, REFERENCE),
        sized=scaling_datasets(frame),
    )


def targets(measurements, searches=(), known=None):
    """By name; the words of a name that tell it are enough."""
    known = implementations() if known is None else known
    found = search_measurements(pd.DataFrame(list(searches) or [measurement()]))
    table = targets_table(report_of(measurements, found, known), found)

    def of(words):
        return table[table.name.str.contains(words, regex=False)].iloc[0]

    return of


def both(**cuda):
    return [measurement(REFERENCE, ms=[20.0], true_x=0), measurement(CUDA, ms=[2.0], true_x=0, **cuda)]


def counted(iterations, name=CUDA, **changes):
    counts = {key: float(value) for key, value in traffic(name, 1000, iterations).items()}
    place = {"frame": f"f{iterations}", "iterations": float(iterations)}
    return measurement(name, true_x=0, **place | counts | changes)


def test_every_target_has_a_quantity_a_bound_a_unit_and_a_reason():
    every = read_targets()
    assert len({t.name for t in every}) == len(every) > 10
    for target in every:
        assert target.unit and target.reason.endswith(".") and target.at_most >= 0
        assert target.where in ("GPU", "any")
    quantities = {name for name in vars(Side) if not name.startswith("_")}
    assert {t.quantity for t in every} == quantities


@pytest.mark.parametrize(
    "low, high, state",
    [(10, 10, MET), (10.1, 10.1, MISSED), (9, 11, OPEN), (0, 9, MET), (11, 20, MISSED), (0, 20, OPEN)],
)
def test_a_target_is_decided_only_if_all_that_is_possible_is_on_one_side(low, high, state):
    assert Target("t", "build_ms", "ms", "r", "scaling", 10).state(low, high) == state


def test_what_a_cpu_reaches_is_put_beside_a_target_for_a_gpu_and_answers_nothing():
    answer = targets([measurement(REFERENCE, ms=[20.0], true_x=0), measurement(OWN, ms=[5.0], true_x=0)])(
        "alignment, median"
    )
    assert (answer.state, answer.beside) == (OPEN, f"{OWN}: 5 ms on toy")
    assert answer.ours == "ndt-bench run --preset tracking measures it with a GPU"


def test_peers_answer_nothing():
    assert targets([measurement(PEER, ms=[5.0], true_x=0)])("alignment, median").beside == ""


@pytest.mark.parametrize("ms, state", [(19.0, MET), (21.0, MISSED)])
def test_a_latency_is_that_of_the_best_on_its_slowest_dataset(ms, state):
    measurements = [
        measurement(CUDA, ms=[ms], true_x=0),
        measurement(CUDA, ms=[1.0], true_x=0, dataset="near"),
    ]
    answer = targets(measurements)("alignment, median")
    assert (
        answer.state == state
        and answer.ours == f"{CUDA}: {ms:g} ms on toy"
        and answer.bound == "at most 20 ms"
    )


@pytest.mark.parametrize(
    "points, ms, state",
    [
        (60_000, 4.0, MET),  # more points in less time
        (50_000, 6.0, MISSED),
        (20_000, 6.0, MISSED),  # too slow even with fewer points
        (20_000, 1.0, OPEN),
        (90_000, 6.0, OPEN),
    ],
)
def test_a_time_at_a_size_is_judged_only_where_the_size_allows(points, ms, state):
    answer = targets([measurement(CUDA, ms=[6 * ms], evaluations=6.0, points=float(points), true_x=0)])(
        "one pass over a scan"
    )
    assert answer.state == state and ("does not decide" in answer.ours) == (state == OPEN)


@pytest.mark.parametrize("us, state", [(9_900.0, MET), (10_100.0, MISSED)])
def test_a_voxel_map_is_timed_by_its_own_points(us, state):
    assert targets(both(build_us=us))("voxel map of 100,000").state == state


def test_counts_are_those_of_the_best_implementation():
    known = implementations(REFERENCE, "multikernel_cuda", CUDA)
    measurements = [counted(i, name) for i in (3, 5, 9) for name in ("multikernel_cuda", CUDA)]
    found = targets(measurements, known=known)
    assert [
        found(w).state for w in ("launches of", "waits of", "bytes moved", "bytes up", "bytes down")
    ] == 5 * [MET]
    alone = targets(measurements[::2], known=known)
    assert alone("launches of").state == MISSED and alone("launches of").ours == "multikernel_cuda: 127"
    assert alone("bytes moved").state == MISSED and alone("bytes down").state == MET


def test_bytes_of_an_iteration_are_unknown_where_iterations_do_not_vary():
    found = targets([counted(5)])
    assert (
        found("bytes moved").state == OPEN
        and found("bytes down").state == OPEN
        and found("launches of").state == MET
    )


def test_allocations_and_budgets_are_those_of_the_worst_implementation():
    known = implementations(REFERENCE, "multikernel_cuda", CUDA)
    measurements = [counted(3, CUDA), counted(3, "multikernel_cuda", allocations=2.0)]
    found = targets(measurements, known=known)
    assert found("allocations").state == MISSED and found("allocations").ours == "multikernel_cuda: 2"
    assert found("break their budget").state == MISSED
    assert "multikernel_cuda, autoware: allocations after the first" in found("break their budget").ours
    assert targets(measurements[:1], known=known)("break their budget").ours == "none of 1 with a budget"
    assert targets(measurements, known=known.assign(budget=None))("break their budget").state == OPEN


@pytest.mark.parametrize("peak, state", [(499e6, MET), (501e6, MISSED)])
def test_device_memory_is_that_of_a_gpu(peak, state):
    answer = targets(both(peak_device_bytes=peak))("device memory")
    assert answer.state == state and answer.ours == f"{CUDA}: {peak / 1e6:g}"


def test_poses_are_compared_with_the_oracles():
    assert targets(both())("poses farther").state == MET
    assert targets([measurement(REFERENCE), measurement(CUDA, 0.02)])("poses farther").state == MISSED
    assert targets([measurement(CUDA)])("poses farther").state == OPEN
    on_cpu = targets([measurement(REFERENCE), measurement(OWN, 0.0)])("poses farther")
    assert on_cpu.state == OPEN and on_cpu.beside.startswith("0 % of 1 poses")


def test_crashes_of_alignments_and_searches_are_missed():
    crashed = failed(CUDA, true_x=0, search=search()["search"])
    assert targets(both())("crashes").state == MET and targets(both(), [search()])("crashes").state == MET
    assert targets(both() + [failed(OWN)])("crashes").state == MISSED
    assert targets(both(), [search(), crashed])("crashes").ours == "1 in 4 measurements"


@pytest.mark.parametrize("us, state", [(24.9, MET), (25.1, MISSED)])
def test_a_feature_is_priced_by_the_iteration(us, state):
    def sized(us, name=CUDA, **changes):
        place = {"dataset": "town_points_5000", "frame": "f0", "true_x": 0} | changes
        return [
            measurement(name, ms=[0.05 + us * i / 1000], iterations=float(i), guess_name=f"g{i}", **place)
            for i in (2, 6, 16)
        ]

    found = targets(sized(10.0) + sized(us, variant="batched_more"))("batched line search")
    assert found.state == state and found.ours.startswith(f"{CUDA}: {us / 10:.3f} ± ")
    on_cpu = targets(sized(10.0, OWN) + sized(us, OWN, variant="batched_more"))("batched line search")
    assert on_cpu.state == OPEN and on_cpu.beside.startswith(OWN)


@pytest.mark.parametrize("ms, state", [(11.9, MET), (12.1, MISSED)])
def test_two_hundred_particles_in_twelve_milliseconds(ms, state):
    measurements = some(REFERENCE, "sequential", 18, ms=500) + some(CUDA, "batched_persistent q16", 18, ms=ms)
    found = targets([measurement()], measurements)("200 particles")
    assert found.state == state and f"{ms:.3g} ms on toy" in found.ours
    assert targets([measurement()], measurements)("succeed less often").state == MET


def test_fast_searches_that_find_less_or_are_others_do_not_count():
    sequential = some(REFERENCE, "sequential", 20, ms=500)
    lower = sequential + some(CUDA, "batched_persistent q100", 6, ms=5)
    fewer = sequential + some(CUDA, "batched_persistent q16", 20, ms=5, particles=100)
    later = sequential + some(CUDA, "batched_persistent q16", 20, ms=5, startup=50)
    for measurements in (lower, fewer, later, sequential + some(CUDA, "random", 20, ms=5)):
        assert targets([measurement()], measurements)("200 particles").state == OPEN
    assert (
        targets([measurement()], lower)("succeed less often").ours == f"{CUDA} batched_persistent q100 on toy"
    )
    on_cpu = targets([measurement()], sequential + some(OWN, "batched_persistent q16", 20, ms=50))(
        "200 particles"
    )
    assert on_cpu.state == OPEN and on_cpu.beside.startswith(f"{OWN} batched_persistent q16: 50 ms")


def test_nothing_measured_is_nothing_met():
    searches = search_measurements(pd.DataFrame([measurement()]))
    table = targets_table(report_of([failed(REFERENCE), failed(CUDA)], searches, implementations()), searches)
    assert set(table.state) == {MISSED, OPEN} and list(table[table.state == MISSED].name) == [
        "crashes of all implementations"
    ]
