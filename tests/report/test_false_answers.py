"""The answers that are called ok, counted on frames whose truth is known."""

import needs  # noqa: F401  first: it skips

import pandas as pd
import pytest
from ndt_report.judge.false_answers import false_answer_sentences, false_answers_table, judged_answers
from toy import OWN, REFERENCE, judged, measurement

DOUBTFUL = "doubtful: it ended as degenerate"


def answer(x, verdict, frame, implementation=OWN, **columns):
    return measurement(implementation, x, true_x=0, frame=frame, verdict=verdict, **columns)


def table_of(measurements, **changes):
    return false_answers_table(judged_answers(judged(measurements, **changes)))


def test_right_and_wrong_answers_are_counted_by_what_they_are_called():
    answers = [
        answer(0.0, "ok", "f0"),
        answer(0.1, DOUBTFUL, "f1", stop="degenerate"),
        answer(5.0, "ok", "f2"),
        answer(5.0, DOUBTFUL, "f3"),
        answer(5.0, DOUBTFUL, "f4", stop="degenerate"),
    ]
    total, each = table_of(answers).itertuples()
    assert (total.dataset, each.dataset) == ("", "toy")
    for row in (total, each):
        assert (row.n, row.right, row.right_ok) == (5, 2, 1)
        assert (row.wrong, row.wrong_converged, row.wrong_ok) == (3, 2, 1)
        assert row.right_ok_share == 0.5 and row.wrong_ok_share == pytest.approx(1 / 3)
        assert 0 < row.wrong_ok_low < 1 / 3 < row.wrong_ok_high < 1


def test_every_answer_is_wrong_where_the_scan_does_not_belong_on_the_map():
    answers = [
        measurement(name, 0.0, frame=f"f{k}", verdict="ok") for k in range(2) for name in (REFERENCE, OWN)
    ]
    table = table_of(answers, kind="no_pose")
    assert list(table.wrong) == list(table.wrong_ok) == [2, 2, 2, 2]


def test_a_dataset_of_right_answers_called_ok_is_in_the_sums_only():
    assert list(table_of([answer(0.0, "ok", "f0")]).dataset) == [""]


def test_of_several_thread_counts_one_counts():
    answers = [answer(0.0, "ok", "f0", threads=threads) for threads in (1, 2)]
    assert list(table_of(answers).n) == [1]


def test_answers_without_truth_or_verdict_are_left_out():
    answers = [measurement(OWN, 0.0, dataset="other", verdict="ok"), answer(0.0, None, "f1")]
    assert table_of(answers).empty


def test_the_verdict_of_a_page_names_wrong_answers_called_ok():
    assert false_answer_sentences(table_of([answer(0.0, "ok", "f0")])) == []
    (said,) = false_answer_sentences(table_of([answer(5.0, "ok", "f0"), answer(0.0, "ok", "f1")]))
    assert said.startswith("1 of 1 wrong answers are called ok, and 1 of 1 right ones")


def test_no_answers_make_an_empty_table():
    assert table_of([answer(0.0, None, "f0")]).to_dict("records") == []
    assert isinstance(table_of([answer(0.0, None, "f0")]), pd.DataFrame)
