"""Whether verdicts of searches can be believed: which are counted as wrong, and in which half."""

import needs  # noqa: F401  first: it skips

import pandas as pd
from ndt_report.search_trust import EVEN, ODD, bound_ladder, main, roc, text, trust_measurements, trust_table
from toy import CUDA, FAR, NEAR, search

KINDS = pd.Series({"town": "scan_to_map", "elsewhere": "no_pose"})


def judged(frame, errors=NEAR, verdict="reliable", doubts=None, dataset="town", seed=0, seen_through=0.0, unmapped=0.01):
    columns = {"frame": frame, "dataset": dataset} | ({"truth": None} if dataset == "elsewhere" else {})
    row = search(CUDA, errors=errors, seed=seed, verdict=verdict, doubts=doubts, columns=columns)
    return row | {"search": row["search"] | {"seen_through": seen_through, "unmapped": unmapped}}


SEARCHES = [
    judged("a"),
    judged("a", seed=1, verdict="ambiguous", doubts="rival"),
    judged("b", FAR),
    judged("c", FAR, "not_found", "contradicted", seen_through=0.3),
    judged("a", NEAR, dataset="elsewhere"),
]


def measured():
    return trust_measurements(pd.DataFrame(SEARCHES), KINDS)


def test_frames_are_dealt_by_turns_and_their_seeds_stay_together():
    assert list(measured().half) == [EVEN, EVEN, ODD, EVEN, EVEN]


def test_wrong_is_what_misses_the_truth_and_every_pose_where_the_scan_does_not_belong():
    found = measured()
    assert list(found.right) == [True, True, False, False, False]
    halves = trust_table(found, ["half"]).set_index("half")
    assert list(halves.loc[EVEN]) == [4, 2, 1, 2, 1] and list(halves.loc[ODD]) == [1, 1, 1, 0, 0]


def test_where_a_direction_is_free_an_end_at_the_truth_is_luck_and_not_right():
    names = ["scenes_corridor", "scenes_tank_2028", "scenes_plain_1", "scenes_honest_2028", "scenes_corridors"]
    found = trust_measurements(pd.DataFrame([judged("a", dataset=name) for name in names]), KINDS)
    assert list(found.right) == [False, False, False, True, True]


def test_another_bound_of_the_contradiction_changes_only_what_it_alone_decides():
    def looked(seen_through, unmapped, doubts=None, errors=NEAR):
        return judged("a", errors, "not_found" if doubts else "reliable", doubts, seen_through=seen_through, unmapped=unmapped)

    searches = [looked(0.0, 0.01), looked(0.03, 0.03), looked(0.1, 0.1, "contradicted", FAR), looked(0.0, 0.0, "rival", FAR)]
    found = trust_measurements(pd.DataFrame(searches), KINDS)
    ladder = bound_ladder(found, [0.02, 0.08, 0.3]).groupby("bound").sum(numeric_only=True)
    assert list(ladder.true_reliable) == [1, 2, 2] and list(ladder.false_reliable) == [0, 0, 1]
    assert "another bound of the contradiction" in text(found)


def test_searches_of_peers_have_no_verdict_and_are_left_out():
    peers = search(CUDA, seed=7)
    assert len(trust_measurements(pd.DataFrame([*SEARCHES, peers]), KINDS)) == len(SEARCHES)


def test_it_says_the_shares_and_refuses_what_is_no_run(tmp_path, capsys):
    said = text(measured())
    assert "odd frames" in said and "100.00 %" in said and "50.0 %" in said
    assert main([str(tmp_path)]) == 2 and "results.jsonl" in capsys.readouterr().err
    assert main([]) == 1 and main(["run", "--svg"]) == 1


def test_its_figure_has_a_line_where_there_are_right_and_wrong_ones():
    found = measured()
    drawn = roc(found)
    (name,) = found.search_name.unique()
    assert f"<!-- {name} -->" in drawn and f"<!-- {name} -->" not in roc(found[found.right])
    assert drawn.startswith("<?xml") and "wrong poses called reliable, %" in drawn and "right poses called reliable, %" in drawn
