"""Design targets that searches for the initial pose answer."""

import needs  # noqa: F401  first: it skips

import pandas as pd
import pytest
from ndt_report.measured import Measured
from ndt_report.searches import search_rows
from ndt_report.summary import summary_table
from ndt_report.targets import targets_table
from toy import CUDA, OWN, REFERENCE, failed, implementations, judged, row
from toy_searches import search, some


def targets(rows, alignments=()):
    known, frame = implementations(), judged(list(alignments) or [row(REFERENCE, true_x=0)])
    measured = Measured(frame, summary_table(frame, known), known, search_rows(pd.DataFrame(rows)) if rows else None)
    return targets_table(measured).set_index(["document", "what"]).loc


TWELVE_MS = ("own", "whole search, 200 particles, 100 of them first")


@pytest.mark.parametrize("ms, state", [(11.9, "met"), (12.1, "not met")])
def test_two_hundred_particles_in_twelve_milliseconds(ms, state):
    found = targets(some(REFERENCE, "sequential", 18, ms=500) + some(CUDA, "batched_persistent q16", 18, ms=ms))[TWELVE_MS]
    assert found.state == state and f"p50 {ms:.3g} ms on toy" in found.ours and "(n = 20)" in found.ours


def test_fast_searches_that_find_less_or_are_others_do_not_count():
    sequential = some(REFERENCE, "sequential", 20, ms=500)
    lower = sequential + some(CUDA, "batched_persistent q100", 6, ms=5)
    fewer = sequential + some(CUDA, "batched_persistent q16", 20, ms=5, particles=100)
    later = sequential + some(CUDA, "batched_persistent q16", 20, ms=5, startup=50)
    for rows in (lower, fewer, later, sequential + some(CUDA, "random", 20, ms=5)):
        assert targets(rows)[TWELVE_MS].state == "not measured"
    on_cpu = targets(sequential + some(OWN, "batched_persistent q16", 20, ms=50))[TWELVE_MS]
    assert on_cpu.state == "not measured" and on_cpu.ours == "needs a row on a GPU"


def pair(batched_ms, particles, startup):
    changes = {"particles": particles, "startup": startup}
    return [search(CUDA, f"sequential {startup}", ms=100.0, **changes), search(CUDA, f"batched {startup}", ms=batched_ms, **changes)]


START, WHOLE = ("16", "start-up phase, 10 poses in a batch"), ("16", "whole search, 10, 20, 25 of 30 poses in the batch")


def test_the_gain_of_a_batch_is_held_against_document_16():
    assert targets(pair(16.0, 10, 10))[START].state == "met" and targets(pair(20.0, 10, 10))[START].state == "not met"
    all_three = pair(70.0, 30, 10) + pair(38.0, 30, 20) + pair(21.0, 30, 25)
    assert targets(all_three)[WHOLE].state == "met" and "4.76 times with 25 of 30" in targets(all_three)[WHOLE].ours
    assert targets(all_three[:4])[WHOLE].state == "not measured"
    assert targets(all_three[:4] + pair(50.0, 30, 25))[WHOLE].state == "not met"
    others = targets(pair(50.0, 200, 100))[WHOLE]
    assert others.state == "not measured" and "2 times with 100 of 200 in the batch on toy; needs sequential and batched" in others.ours


def test_transfers_of_a_batch_are_those_of_a_search_that_is_one():
    def rows(uploads, startup=200):
        return [search(CUDA, "batched", startup=startup, columns={"uploads": uploads, "downloads": 2.0})]

    what = ("16", "transfers of a batch")
    assert targets(rows(3.0))[what].state == "met" and targets(rows(4.0))[what].state == "not met"
    assert targets(rows(3.0, startup=100))[what].state == "not measured"


def test_a_batch_finds_what_one_by_one_finds():
    def rows(x, **changes):
        return [search(CUDA, "sequential"), search(CUDA, "batched", columns={"pose": row(x=x)["pose"]}, **changes)]

    what = ("16", "batch against one by one")
    assert targets(rows(0.0))[what].state == "met" and targets(rows(1e-3))[what].state == "not met"
    assert "another particle wins in 1 of 1" in targets(rows(2.0, best_particle=9))[what].ours
    assert targets(rows(0.0, seed=5)[:1])[what].state == "not measured"


def test_without_searches_document_16_stays_open():
    found = targets([])
    assert found[START].state == found[TWELVE_MS].state == "not measured" and "preset initial_pose" in found[START].ours


def test_a_crashed_search_is_a_crash():
    crashed = failed(CUDA, true_x=0, search=search()["search"])
    assert targets([search()])[("00 success criteria", "continuous operation")].state == "met"
    assert targets([search(), crashed])[("00 success criteria", "continuous operation")].state == "not met"
