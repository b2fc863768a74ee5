"""Searches for the initial pose: what is counted as a success, and what is held against what."""

import needs  # noqa: F401  first: it skips

import numpy as np
import pandas as pd
import pytest
from ndt_report.figures.search_paths import draw_paths
from ndt_report.figures.searches import draw_particles, draw_time
from ndt_report.judge.search_verdict import search_sentences
from ndt_report.judge.searches import at_once_table, search_measurements, search_table, success_steps, with_paths
from ndt_report.figures.style import Looks
from toy import CUDA, FAR, NEAR, OWN, REFERENCE, best, datasets, failed, implementations, measurement, search, setting, some

LOOK = Looks(implementations())


def table(measurements):
    return search_table(search_measurements(pd.DataFrame(measurements)), REFERENCE)


# --- tables ---


@pytest.mark.parametrize(
    "errors, success", [((0.5, 2.5), 1), ((0.51, 0.0), 0), ((0.0, 2.51), 0), ((0.0, 179.0), 0)]
)
def test_a_success_is_within_half_a_metre_and_two_and_a_half_degrees(errors, success):
    assert search_measurements(pd.DataFrame([search(errors=errors)])).success[0] == success


def test_success_times_and_trust_of_a_setting():
    found = [(8, NEAR, True), (9, NEAR, True), (10, FAR, True), (30, FAR, False)]
    measurements = [
        search(seed=i, ms=ms, errors=errors, reliable=reliable)
        for i, (ms, errors, reliable) in enumerate(found)
    ]
    measurements[0]["search"]["ambiguous"] = True
    for i, r in enumerate(measurements):
        r["launches"] = [3.0, 3.0, 5.0, 5.0][i]
    found = table(measurements).iloc[0]
    assert (found.n, found.successes, found.success_share, found.errors) == (4, 2, 0.5, 0)
    assert (found.success_low, found.success_high) == (
        pytest.approx(0.1500, abs=1e-4),
        pytest.approx(0.8500, abs=1e-4),
    )  # Wilson, 2 of 4
    assert (found.ms_p50, found.ms_p90) == (9, 30) and np.isnan(found.ms_p99)  # of four
    assert (found.reliable, found.reliable_share, found.false_reliable, found.false_share) == (
        3,
        0.75,
        1,
        pytest.approx(1 / 3),
    )
    assert found.ambiguous_share == 0.25 and found.launches == 4 and found.iterations_per_particle == 5


def test_an_error_is_a_search_that_failed_and_has_no_time():
    broken = failed(
        CUDA,
        true_x=0,
        guess_name="seed1",
        search=setting("batched_persistent q16", at_once=16, seed=1)
        | dict.fromkeys(("best_particle", "reliable", "ambiguous", "improvements")),
    )
    found = table([search(ms=10), broken]).iloc[0]
    assert (found.n, found.errors, found.successes, found.ms_p90, found.reliable_share) == (2, 1, 1, 10, 1)


def test_without_truth_nobody_knows():
    found = table([search(errors=(np.nan, np.nan), columns={"truth": None})]).iloc[0]
    assert (
        found.known == 0
        and np.isnan(found.success_share)
        and np.isnan(found.false_reliable)
        and found.reliable == 1
    )
    assert search_sentences(pd.DataFrame([found]), REFERENCE) == [
        "Initial pose on toy: 1 search, too few with truth to say which one to use."
    ]


def test_speed_is_against_the_oracles_fastest_sequential_search_of_as_many_particles():
    measurements = [
        search(REFERENCE, "sequential", ms=600),
        search(REFERENCE, "sequential", ms=400, columns={"threads": 2}),
    ]
    measurements += [
        search(REFERENCE, "batched", ms=100),
        search(REFERENCE, "sequential 50", ms=90, particles=50),
    ]
    measurements += [
        search(ms=8),
        search(CUDA, "random", ms=4),
        search(CUDA, "sequential x", ms=4, columns={"dataset": "other"}),
    ]
    speeds = {(r.implementation, r.search_name, r.threads): r.speed for r in table(measurements).itertuples()}
    assert speeds[(CUDA, "batched_persistent q16", 1)] == 50 and speeds[(CUDA, "random", 1)] == 100
    assert (
        speeds[(REFERENCE, "sequential", 1)] == pytest.approx(2 / 3)
        and speeds[(REFERENCE, "sequential 50", 1)] == 1
    )
    assert np.isnan(speeds[(CUDA, "sequential x", 1)])


def test_searches_come_guided_first_and_by_strategy_whatever_order_they_were_run_in():
    names = ["grid", "random", "batched_persistent q64", "batched_persistent q8", "batched", "sequential"]
    assert list(table([search(name=n) for n in names]).search_name) == [
        "sequential",
        "batched",
        "batched_persistent q8",
        "batched_persistent q64",
        "random",
        "grid",
    ]


def test_another_variant_is_another_search():
    assert list(table([search(), search(columns={"variant": "direct7"})]).search_name) == [
        "batched_persistent q16",
        "batched_persistent q16, direct7",
    ]


def test_several_at_once_are_held_against_the_own_sequential_search_else_the_oracles():
    measurements = some(REFERENCE, "sequential", 20) + some(OWN, "sequential", 14)
    measurements += some(OWN, "batched_persistent q8", 8, at_once=8) + some(
        CUDA, "batched_persistent q8", 8, at_once=8
    )
    measurements += some(CUDA, "batched_persistent q4", 18, at_once=4) + some(CUDA, "random", 2)
    found = at_once_table(table(measurements), REFERENCE).set_index(["implementation", "at_once"])
    assert set(found.method) == {"tpe"} and len(found) == 3
    assert found.base.to_dict() == {(OWN, 8): OWN, (CUDA, 4): REFERENCE, (CUDA, 8): REFERENCE}
    # Wilson: 8 of 20 is [22, 61] %, 14 of 20 [48, 85] %, 20 of 20 [84, 100] %, 18 of 20 [70, 97] %.
    assert found.judged.to_dict() == {(OWN, 8): "not lower", (CUDA, 4): "not lower", (CUDA, 8): "lower"}
    assert found.base_success_share[(OWN, 8)] == 0.7


def test_a_higher_success_is_not_lower_and_without_a_sequential_search_nothing_is_said():
    measurements = some(CUDA, "sequential", 2) + some(CUDA, "batched_persistent q16", 20)
    assert list(at_once_table(table(measurements), REFERENCE).judged) == ["not lower"]
    alone = at_once_table(
        table(some(CUDA, "batched_persistent q16", 20) + some(CUDA, "sequential", 20, particles=100)),
        REFERENCE,
    )
    assert list(alone.judged) == [""] and alone.base_success_share.isna().all()


# --- curves ---


def value_at(steps, over, where):
    before = steps[steps[over] <= where]
    return before.success_share.iloc[-1] if len(before) else 0.0


def walks():
    """Three searches: one finds it at 2 ms (particle 19), one at 0.5 ms loses it at 4 ms, one never; 10 ms
    each."""
    return search_measurements(
        pd.DataFrame(
            [
                search(seed=0, ms=10, improvements=[best(0, 500, 8.0), best(19, 2000, 0.4, 2.0)]),
                search(seed=1, ms=12, errors=FAR, improvements=[best(0, 500, 0.1), best(150, 4000, 7.0)]),
                search(seed=2, ms=10, errors=FAR, improvements=[best(0, 500, 8.0), best(3, 600, 0.1, 90.0)]),
            ]
        )
    )


def test_success_over_time_is_a_step_function_of_the_best_so_far():
    steps = success_steps(walks(), "ms")
    shares = {t: value_at(steps, "ms", t) for t in (0.4, 0.5, 1.9, 2.0, 3.9, 4.0, 12.0)}
    assert shares == pytest.approx(
        {0.4: 0, 0.5: 1 / 3, 1.9: 1 / 3, 2.0: 2 / 3, 3.9: 2 / 3, 4.0: 1 / 3, 12.0: 1 / 3}
    )
    assert steps.ms.iloc[-1] == 12 and set(steps.n) == {3}


def test_success_over_particles_counts_those_finished():
    steps = success_steps(walks(), "particles_done")
    shares = {p: value_at(steps, "particles_done", p) for p in (0, 1, 19, 20, 150, 151, 200)}
    assert shares == pytest.approx({0: 0, 1: 1 / 3, 19: 1 / 3, 20: 2 / 3, 150: 2 / 3, 151: 1 / 3, 200: 1 / 3})
    assert steps.particles_done.iloc[-1] == 200


def test_an_error_never_succeeds_and_the_largest_thread_count_is_drawn():
    nothing = dict.fromkeys(("best_particle", "reliable", "ambiguous", "improvements"))
    broken = failed(
        CUDA, true_x=0, guess_name="seed1", search=setting("batched_persistent q16", at_once=16) | nothing
    )
    assert (
        success_steps(
            search_measurements(pd.DataFrame([search(), search(), search(), broken])), "ms"
        ).success_share.max()
        == 0.75
    )
    measurements = some(CUDA, "sequential", 3, 3)
    measurements += [r | {"threads": 2} for r in some(CUDA, "sequential", 3, 3)]
    assert set(success_steps(search_measurements(pd.DataFrame(measurements)), "ms").threads) == {2}


def test_a_search_or_two_for_a_picture_are_no_curve_and_no_recommendation():
    measurements = some(CUDA, "sequential", 18) + [
        search(CUDA, "batched_persistent picture", ms=1, seed=s) for s in range(2)
    ]
    steps = success_steps(search_measurements(pd.DataFrame(measurements)), "ms")
    assert set(steps.search_name) == {"sequential"}
    assert (
        at_once_table(table(measurements), REFERENCE).empty
        and "persistent_cuda sequential, 18 of 20" in search_sentences(table(measurements), REFERENCE)[0]
    )


def test_searches_without_a_success_or_a_truth_make_figures_too():
    never = search_measurements(
        pd.DataFrame(some(CUDA, "sequential", 0, 3, improvements=[best(0, 500, 8.0)]))
    )
    assert draw_time(success_steps(never, "ms"), LOOK).data.success_share.max() == 0
    assert draw_particles(success_steps(never, "particles_done")) is not None
    blind = [best(0, 1.0, None, None)]
    unknown = search_measurements(
        pd.DataFrame(3 * [search(errors=(np.nan, np.nan), improvements=blind, columns={"truth": None})])
    )
    assert (
        draw_time(success_steps(unknown, "ms"), LOOK) is None
        and draw_particles(success_steps(unknown, "particles_done")) is None
    )
    assert draw_time(success_steps(search_measurements(pd.DataFrame([measurement()])), "ms"), LOOK) is None


def test_a_picture_shows_every_particle_with_and_without_map_and_truth():
    paths = [
        [0.0, 0.0, 0.1, 0.3, 0.0, 0.0, 3.0],
        [5.0, 5.0, 3.0, 80.0, 5.0, 3.0, 1.0],
        [1.0, 0.0, 0.0, 0.2, 0.1, 0.0, 2.5],
    ]
    measurements = [
        search(paths=paths, best_particle=0),
        search(seed=1, paths=paths, best_particle=0, columns={"frame": "f1"}),
    ]
    searches = search_measurements(pd.DataFrame(measurements))
    assert [s.frame for s in with_paths(searches, datasets())] == ["f0"]
    (shown,) = with_paths(searches, datasets(picture={"frame": "f1", "map": "m", "scan": "s"}))
    assert shown.frame == "f1"
    cloud = np.random.default_rng(1).uniform(-9, 9, (100, 3))
    for truth, map_points in ((np.eye(4), cloud), (None, None)):
        drawing = draw_paths(pd.concat([shown.drop("truth"), pd.Series({"truth": truth})]), map_points)
        assert list(drawing.data.best) == [True, False, False] and list(drawing.data.nvtl) == [3.0, 1.0, 2.5]
        assert "2 of 3 particles end within 0.5 m of the best" in drawing.finding
        assert drawing.figure.axes[0].get_xlim()[1] < 20  # an end gone astray does not stretch the picture


# --- verdict ---


def test_the_sentence_names_the_fastest_of_the_successful_and_what_it_wrongly_trusts():
    measurements = (
        some(REFERENCE, "sequential", 20, ms=500)
        + some(CUDA, "batched_persistent q16", 19, ms=10)
        + some(CUDA, "random", 8, ms=2)
    )
    (said,) = search_sentences(table(measurements), REFERENCE)
    assert (
        said
        == "Initial pose on toy: persistent_cuda batched_persistent q16, 19 of 20 searches [76, 99.1] %"
        " succeed, median 10 ms, 50 times as fast as cpu_pclomp_ref one by one; of 20 called reliable 1 is"
        " wrong; cpu_pclomp_ref sequential is slower, 500 ms, and 20 of 20 searches [84, 100] % succeed."
    )


def test_an_implementation_that_never_succeeds_is_not_recommended_however_fast():
    measurements = some(CUDA, "sequential", 2, 3, ms=40) + some(CUDA, "batched_persistent q16", 0, 3, ms=10)
    assert "persistent_cuda sequential, 2 of 3" in search_sentences(table(measurements), REFERENCE)[0]
    assert search_sentences(table(measurements[3:]), REFERENCE) == [
        "Initial pose on toy: 3 searches, none of them finds the pose."
    ]
