"""No worse than the oracle against the truth: another question than the same poses."""

import needs  # noqa: F401  first: it skips

import pytest
from ndt_report.judge.against_truth import NO_WORSE, PROBABLY, WORSE
from ndt_report.judge.latency import FASTER
from ndt_report.judge.summary import summary_table
from synthetic_entries import pose_of
from toy import OWN, REFERENCE, datasets, failed, implementations, judged, measurement


def row_of(own, base, **of_dataset):
    """Returns the row of OWN in the summary. own, base: the errors in metres of each scan, None for a failure."""
    rows = []
    for job, (name, errors, ms) in enumerate(((REFERENCE, base, 4.0), (OWN, own, 1.0))):
        for i, x in enumerate(errors):
            at = {"frame": f"f{i}", "job": 10 * job + i % 4}
            found = x is not None
            rows.append(
                measurement(name, x, true_x=0, ms=[ms], nvtl=3.0 - x, **at)
                if found
                else failed(name, truth=pose_of(0, 0, 0, 0), **at)
            )
    frame = judged(rows, **of_dataset)
    known = datasets("toy", **of_dataset)
    return summary_table(frame, implementations(), known).set_index("implementation").loc[OWN]


FAR = 0.03  # from an oracle at 5 mm: no equal pose


@pytest.mark.parametrize(
    "own, base, said",
    [
        ([0.005] * 200, [FAR] * 200, NO_WORSE),
        ([0.005] * 20, [FAR] * 20, PROBABLY),  # 20 of 20 may be 84 %
        ([FAR] * 200, [0.005] * 200, WORSE),
        ([0.0] * 195 + [None] * 5, [FAR] * 200, WORSE),  # 2.5 % fewer succeed
        ([0.0] * 197 + [None] * 3, [FAR] * 200, PROBABLY),
        ([None] * 5 + [0.0] * 195, [0.5] * 5 + [FAR] * 195, NO_WORSE),  # the oracle lost the same scans
    ],
)
def test_success_and_error_decide_within_the_margins(own, base, said):
    row = row_of(own, base)
    assert row.by_truth == said and not row.equal and row.why_not.startswith("not equal")
    assert row.comparable == (said != WORSE) and row.verdict == ("" if said == WORSE else FASTER)


def test_what_the_truth_is_too_coarse_to_show_is_no_difference_and_is_said():
    row = row_of([FAR] * 200, [0.005] * 200, truth_accuracy_m=0.05)
    assert row.by_truth == NO_WORSE
    assert row.by_truth_why.endswith("median error 50 mm, oracle 50 mm; errors below 50 mm, the truth's accuracy, count as 50 mm")
    worse = row_of([FAR] * 200, [0.005] * 200, truth_accuracy_m=0.01)
    assert worse.by_truth_why == "median error 30 mm, oracle 10 mm; errors below 10 mm, the truth's accuracy, count as 10 mm"
    assert "count as" not in row_of([FAR] * 200, [0.005] * 200, truth_accuracy_m=0.001).by_truth_why


def test_the_change_of_nvtl_is_a_median_over_pairs():
    assert row_of([0.03, 0.02, 0.04], [0.01] * 3).nvtl_change == pytest.approx(-0.02)


def test_where_nothing_is_known_of_truth_equality_decides_alone():
    rows = [measurement(REFERENCE), measurement(OWN, 0.05)]
    row = summary_table(judged(rows), implementations(), datasets()).set_index("implementation").loc[OWN]
    assert row.by_truth == "" and not row.comparable and row.why_not_comparable.startswith("not equal")
