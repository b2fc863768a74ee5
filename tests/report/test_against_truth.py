"""Against the truth: no worse than the oracle, which is another question than the same poses, and peers that end nearer."""

import needs  # noqa: F401  first: it skips

import pytest
from ndt_report.figures.pareto import finding, pareto_points
from ndt_report.judge.against_truth import NO_WORSE, PROBABLY, WORSE
from ndt_report.judge.better_peers import better_peer_sentences, better_peers
from ndt_report.judge.latency import FASTER
from ndt_report.judge.summary import summary_table
from ndt_report.judge.verdict import recommended
from ndt_report.page.html import render
from ndt_report.page.terminal import summary_lines
from ndt_report.read.load import load_run
from ndt_report.sections.report import make_report
from synthetic_entries import pose_of
from synthetic_run import SyntheticRun
from toy import OWN, PEER, REFERENCE, datasets, failed, implementations, judged, measurement


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


# --- peers that end nearer to the truth than what is recommended ---

SCANS = 6


def measurements(peer_m, own_m=0.009, scans=SCANS, guesses=1, **of_peer):
    """peer_m: of each scan, or of all."""
    peer_m = peer_m if isinstance(peer_m, list) else [peer_m] * scans
    return [
        measurement(name, x, true_x=0, frame=f"f{k}", guess_name=f"g{g}", ms=[ms], job=job, **more)
        for k in range(scans)
        for g in range(guesses)
        for job, (name, x, ms, more) in enumerate(
            [(REFERENCE, own_m, 4.0, {}), (OWN, own_m, 1.0, {}), (PEER, peer_m[k], 2.0, of_peer)]
        )
    ]


def table_of(rows, **of_dataset):
    frame = judged(rows, **of_dataset)
    return summary_table(frame, implementations(), datasets(*dict.fromkeys(frame.dataset), **of_dataset))


def found_in(rows, **of_dataset):
    frame, table = judged(rows, **of_dataset), table_of(rows, **of_dataset)
    known = datasets(*dict.fromkeys(frame.dataset), **of_dataset)
    return better_peers(frame, table, recommended(table, list(known.index)), known)


def test_a_peer_nearer_to_the_truth_is_named_with_both_errors():
    (said,) = better_peer_sentences(found_in(measurements(0.0013)))
    assert said == "More accurate than persistent_cpu (9 mm) on toy: pcl_ndt (1.3 mm); median errors of 6 scans."


@pytest.mark.parametrize("scans, guesses", [(1, 8), (3, 1)])
def test_few_scans_make_it_probable_however_many_guesses_they_have(scans, guesses):
    (said,) = better_peer_sentences(found_in(measurements(0.0013, scans=scans, guesses=guesses)))
    assert "toy: probably pcl_ndt (1.3 mm)" in said and f"of {scans} scan{'s' * (scans > 1)}." in said


@pytest.mark.parametrize("rows, of_dataset", [
    (measurements(0.02), {}),  # farther
    (measurements(0.0088), {}),  # within the margin
    (measurements([0.001] * 3 + [0.02] * 3), {}),  # half of the scans
    (measurements(0.001, rotation_error_deg=0.5), {}),
    (measurements(0.001)[:-1] + [failed(PEER, frame="f5", guess_name="g0", truth=measurement(true_x=0)["truth"])], {}),
    (measurements(0.0013), {"truth_accuracy_m": 0.02}),  # errors below it say nothing
    ([row | {"truth": None, "translation_error_m": float("nan")} for row in measurements(0.001)], {}),
], ids=["farther", "as near", "half", "turned", "failed", "truth too coarse", "no truth"])
def test_no_other_is_named(rows, of_dataset):
    assert better_peer_sentences(found_in(rows, **of_dataset)) == []


def test_errors_that_the_truth_is_too_coarse_to_show_are_said_to_count_as_its_accuracy():
    (said,) = better_peer_sentences(found_in(measurements(0.0013), truth_accuracy_m=0.005))
    assert "toy: pcl_ndt (5 mm); median errors of 6 scans; errors below 5 mm, the truth's accuracy, count as 5 mm." in said


def pareto_finding(rows, **of_dataset):
    """Returns the figure's sentence on the peers that better_peers() found."""
    points = pareto_points(table_of(rows, **of_dataset), datasets(**of_dataset))
    return finding(points, found_in(rows, **of_dataset))


@pytest.mark.parametrize("rows, of_dataset, said", [
    (measurements(0.0013), {}, "; more accurate than persistent_cpu: pcl_ndt."),
    (measurements(0.0013, scans=3), {}, "; more accurate than persistent_cpu: probably pcl_ndt."),
    (measurements(0.0013), {"truth_accuracy_m": 0.008}, "; more accurate than persistent_cpu: pcl_ndt."),
    (measurements(0.001, rotation_error_deg=0.5), {}, "(n = 6 alignments)."),
    (measurements(0.001)[:-1] + [failed(PEER, frame="f5", guess_name="g0", truth=measurement(true_x=0)["truth"])], {}, "(n = 6 alignments)."),
], ids=["sure", "probably", "within the truth's accuracy", "turned", "failed"])
def test_the_figure_of_accuracy_and_latency_names_the_same_peers(rows, of_dataset, said):
    assert pareto_finding(rows, **of_dataset).endswith(said)


def pareto_notes(run, folder):
    return [drawing.note for drawing in make_report(load_run(run.write(folder))).parts["pareto"].drawings]


def test_the_figure_says_which_of_its_axes_are_logarithmic(tmp_path):
    run = SyntheticRun(cuda=False).tracking("town").tracking("streets", has_truth=False)
    named, without = pareto_notes(run, tmp_path / "apart")
    assert "Both axes are logarithmic." in named and "Both axes are logarithmic." in without
    assert "Distances below 0.001 mm are drawn there." in without
    _, mixed = pareto_notes(run.tracking("lanes"), tmp_path / "mixed")
    assert "that of errors is only where they are distances from the oracle." in mixed and "Both axes" not in mixed
    _, with_truth = pareto_notes(SyntheticRun(cuda=False).tracking("town").tracking("lanes"), tmp_path / "truth")
    assert "The axis of times is logarithmic, that of errors is not." in with_truth and "Both axes" not in with_truth


def test_without_an_equal_implementation_the_fastest_of_ours_is_compared():
    rows = [row for row in measurements(0.0013) if row["implementation"] != REFERENCE]
    assert list(found_in(rows).base) == [OWN]


def report_of_a_peer_from_outside(folder):
    run = SyntheticRun(cuda=False).tracking("town")
    for row in run.measurements:
        if row["implementation"] == "pcl_ndt":
            row |= {"pose": row["truth"], "translation_error_m": 0.0005, "rotation_error_deg": 0.0}
            row["prepare_us"] = 4600.0
    return make_report(load_run(run.write(folder)))


def test_page_and_terminal_name_it_and_say_what_its_times_leave_out(tmp_path):
    report = report_of_a_peer_from_outside(tmp_path / "run")
    (said,) = report.verdict.better
    assert said.startswith("More accurate than persistent_cpu (") and "on town: pcl_ndt (0.5 mm)" in said
    page = " ".join(render(report).split())
    assert said in page and "a scan's preparation, 4.6 ms, counts<br>in the speed alone" in page
    assert "leave out the preparation of a scan, their speeds count it: pcl_ndt 4.6 ms." in page
    assert "Time of peers from outside" in page
    assert said in summary_lines(report, "report.html")


def test_nothing_is_said_of_preparation_without_peers_from_outside(tmp_path):
    page = render(make_report(load_run(SyntheticRun(cuda=False).tracking("town").write(tmp_path / "run"))))
    assert "preparation of a scan" not in page and "peers from outside" not in page
