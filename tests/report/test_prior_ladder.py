"""Searches from priors of several widths: what is counted on which rung, the figures, and the page."""

import needs  # noqa: F401  first: it skips

import re

import numpy as np
import pandas as pd
import pytest
from ndt_report.figures import NotDrawable
from ndt_report.figures.prior_ladder import draw_false, draw_success, draw_time
from ndt_report.judge.prior_ladder import beside_ladders, ladder_rows, ladder_sentences, ladder_table, rung_name
from ndt_report.judge.searches import search_measurements, search_table
from page_parser import Page
from synthetic_run import SyntheticRun
from synthetic_searches import add_ladder
from toy import CUDA, FAR, NEAR, REFERENCE, search, some


def rung(name, successes, sigma_m, n=4, **changes):
    prior, width = ("map", 0) if sigma_m == np.inf else (None, sigma_m)
    return some(CUDA, name, successes, n, prior=prior, sigma=[width, width, 0.2, 0.02, 0.02], **changes)


def anywhere(successes, sigma_m, **changes):
    return rung("anywhere", successes, sigma_m, strategy="batched_persistent", method="anywhere", coarse_us=4000.0, **changes)


def measured():
    made = rung("sequential", 4, 1) + rung("sequential", 3, 20) + anywhere(4, 1) + anywhere(4, 20) + anywhere(2, np.inf, ms=50)
    return search_measurements(pd.DataFrame(made))


def test_a_rung_has_its_own_counts_and_the_whole_map_is_the_widest():
    table = ladder_table(measured())
    ours = table[table.way == "anywhere"]
    assert [rung_name(width) for width in ours.sigma_m] == ["1 m", "20 m", "whole map"]
    assert list(ours.successes) == [4, 4, 2] and list(ours.false_reliable) == [0, 0, 2] and list(ours.ms_p50) == [10, 10, 50]
    assert list(ours.coarse_ms_p50) == [4, 4, 4]
    wide = ours.iloc[-1]
    assert (wide.false_low, wide.false_high) == pytest.approx((0.15, 0.85), abs=1e-3)  # Wilson, 2 of 4
    assert list(table[table.way == "tpe, sequential"].false_reliable) == [0, 1]
    assert table[table.way == "tpe, sequential"].coarse_ms_p50.isna().all()


def test_searches_from_one_width_are_on_no_ladder_and_keep_their_sentence():
    alone = some(CUDA, "batched_persistent q16", 3, 4)
    searches = search_measurements(pd.DataFrame(list(alone)))
    assert ladder_table(searches).empty and ladder_rows(ladder_table(searches)) == []
    assert len(beside_ladders(search_table(searches, REFERENCE), searches)) == 1
    both = search_measurements(pd.DataFrame(list(alone) + rung("sequential", 4, 1) + rung("sequential", 3, 20)))
    beside = beside_ladders(search_table(both, REFERENCE), both)
    assert list(beside.search_name) == ["batched_persistent q16"] and set(ladder_table(both).way) == {"tpe, sequential"}


def test_other_options_are_another_way():
    made = rung("sequential", 4, 1) + rung("sequential", 3, 20, particles=50)
    made += rung("sequential", 3, 20, columns={"variant": "pyramid"})
    assert ladder_table(search_measurements(pd.DataFrame(made))).empty


def test_the_sentence_says_what_the_widest_prior_leaves_and_how_many_are_wrongly_trusted():
    (said,) = ladder_sentences(ladder_table(measured()))
    assert said == (
        "Initial pose on toy, prior of the whole map: persistent_cuda, anywhere, 2 of 4 searches succeed, median 50 ms;"
        " from all priors 3 of 20 poses called reliable are wrong."
    )


def test_figures_have_a_line_a_way_and_name_their_rungs():
    table = ladder_table(measured())
    for draw, said in ((draw_success, "2 of 4"), (draw_false, "3 of 20"), (draw_time, "median 50 ms")):
        drawing = draw(table)
        (axes,) = drawing.figure.axes
        (legend,) = drawing.figure.legends
        assert [text.get_text() for text in legend.get_texts()] == ["tpe, sequential", "anywhere"] and said in drawing.finding
        assert [tick.get_text() for tick in axes.get_xticklabels()] == ["1 m", "20 m", "whole map"]
        assert draw(table.iloc[:0]) is None and len(drawing.data) == 5


def test_where_no_wrong_pose_is_called_reliable_a_sentence_says_how_sure_that_is():
    table = ladder_table(search_measurements(pd.DataFrame(rung("sequential", 4, 1) + rung("sequential", 4, 20))))
    with pytest.raises(NotDrawable, match="^0 of 8 searches from all priors call a wrong pose reliable .95 % interval: 0 to 32 %"):
        draw_false(table)


def test_without_truth_there_is_time_alone():
    blind = {"errors": (np.nan, np.nan), "columns": {"truth": None}}
    made = [search(CUDA, "sequential", sigma=[width, width, 0, 0, 0], **blind) for width in (1, 5)]
    table = ladder_table(search_measurements(pd.DataFrame(made)))
    assert draw_success(table) is None and draw_false(table) is None and draw_time(table) is not None
    assert ladder_sentences(table) == [] and table.false_low.isna().all()


def test_a_pose_far_from_the_truth_that_is_called_reliable_is_counted_on_its_rung():
    rungs = [[search(CUDA, "sequential", errors=e, seed=k, sigma=[w] * 5) for k, e in enumerate((NEAR, FAR))] for w in (1, 2)]
    assert list(ladder_table(search_measurements(pd.DataFrame(sum(rungs, [])))).false_reliable) == [1, 1]


def test_the_page_shows_the_ladder(tmp_path, ndt_report):
    folder = add_ladder(SyntheticRun(), seeds=3).write(tmp_path / "run")
    code, out, err = ndt_report("report", folder)
    assert (code, err) == (0, "") and "Initial pose on plaza, prior of the whole map: persistent_" in out
    page = Page((folder / "report.html").read_text()).text
    assert "The less one knows" in page and "whole map" in page and "anywhere" in page
    names = {path.name for path in (folder / "figures").glob("prior_ladder*")}
    assert names == {f"prior_ladder{part}{end}" for part in ("", "_time") for end in (".csv", ".svg", ".pdf")}
    assert re.search(r"0 of \d+ searches from all priors call a wrong pose reliable", page)
    assert "nan" not in page and "None" not in page
