"""A peer's own search for the initial pose: counted as ours are, and never taken for one of them."""

import needs  # noqa: F401  first: it skips

import numpy as np
import pandas as pd
import pytest
from ndt_report.figures.searches import draw_time
from ndt_report.judge.search_verdict import search_sentences
from ndt_report.judge.searches import at_once_table, search_measurements, search_table, success_steps
from ndt_report.figures.style import Looks
from toy import CUDA, FAR, NEAR, PEER, REFERENCE, failed, implementations, search, setting, some

NOTHING = {"strategy": "own", "method": "own", "particles": 0, "startup": 0, "improvements": [], "best_particle": 0}


def own(successes, n=20, prepare_us=None, **changes):
    columns = {"iterations": np.nan, "evaluations": np.nan} | ({} if prepare_us is None else {"prepare_us": prepare_us})
    return [
        search(PEER, "own", seed=i, errors=NEAR if i < successes else FAR, columns=columns, **NOTHING | changes)
        for i in range(n)
    ]


def table(measurements):
    return search_table(search_measurements(pd.DataFrame(measurements)), REFERENCE)


def sentence(measurements):
    (said,) = search_sentences(table(measurements), REFERENCE)
    return said


def test_a_peer_is_named_beside_ours_and_not_recommended():
    said = sentence(some(CUDA, "sequential", 15, ms=40) + own(20, ms=5))
    assert said.startswith("Initial pose on toy: persistent_cuda sequential, 15 of 20 searches")
    assert "pcl_ndt own: 20 of 20 searches [84, 100] % succeed, median 5 ms; of 20 called reliable 0 are wrong." in said


def test_what_a_peer_calls_reliable_is_its_own_word():
    said = sentence(own(1, 4))
    assert said.startswith("Initial pose on toy: pcl_ndt own: 1 of 4 searches") and "of 4 called reliable 3 are wrong" in said
    found = table(own(1, 4, reliable=None)).iloc[0]
    assert found.reliable == 0 and np.isnan(found.false_share)


def test_it_has_no_particles_and_stands_against_no_search_of_ours():
    found = table(some(REFERENCE, "sequential", 20) + own(20))
    row = found[found.method == "own"].iloc[0]
    assert row.particles == 0 and np.isnan(row.iterations_per_particle) and np.isnan(row.speed)
    assert at_once_table(found, REFERENCE).empty


def test_the_preparation_of_the_scan_is_part_of_its_time():
    assert table(own(3, 3, ms=5)).ms_p50[0] == 5 and table(own(3, 3, ms=5, prepare_us=2000.0)).ms_p50[0] == 7
    ours = some(CUDA, "sequential", 3, 3, ms=40)
    both = table([m | {"prepare_us": np.nan} for m in ours] + own(3, 3, ms=5, prepare_us=2000.0))
    assert dict(zip(both.implementation, both.ms_p50)) == {CUDA: 40, PEER: 7}


def test_its_curve_rises_where_its_searches_end():
    measurements = search_measurements(pd.DataFrame(own(1, 2, ms=5) + own(0, 2, ms=9)))
    steps = success_steps(measurements, "ms")
    assert list(zip(steps.ms, steps.success_share)) == [(5, 0.25), (9, 0.25)]
    assert success_steps(measurements, "particles_done").empty
    assert draw_time(success_steps(search_measurements(pd.DataFrame(some(CUDA, "sequential", 3, 3) + own(2, 3))), "ms"), Looks(implementations()))


@pytest.mark.parametrize("failures, says", [(1, "1 of 2 searches [9.5, 90.5] % succeed, 1 of 2 with an error, median"),
                                            (2, "2 searches, 2 of 2 with an error; nothing can be said of them.")])
def test_an_error_is_no_success(failures, says):
    lost = dict.fromkeys(("best_particle", "reliable", "ambiguous", "improvements"))
    broken = [failed(PEER, true_x=0, guess_name=f"seed{i}", search=setting("own", **NOTHING | lost)) for i in range(failures)]
    assert says in sentence(own(2 - failures, 2 - failures) + broken)
