"""driving_log_replayer's words have their meaning from there. Convergence is the way from the guess to the side, in 95 % of the
scans. Reliability fails at ten scans in a row. Rows that are no drive have neither."""

import needs  # noqa: F401  first: it skips

import numpy as np
import pytest
from ndt_report.judge.latency import add_median_times
from ndt_report.judge.replayer import converged, longest_below, replayer_sentences
from ndt_report.judge.summary import summary_table
from ndt_report.judge.verdict import recommended
from synthetic_entries import pose_of
from toy import OWN, datasets, failed, implementations, judged, measurement

TURNED = pose_of(0, 0, 0, np.pi / 2)  # the vehicle looks along y, its side is x
ASIDE, AHEAD = pose_of(0.3, 0, 0, np.pi / 2), pose_of(0, 0.3, 0, np.pi / 2)


def drive(poses=(TURNED,) * 20, nvtl=3.0, **columns):
    """nvtl: of each scan, or of all."""
    nvtl = [nvtl] * len(poses) if isinstance(nvtl, float) else nvtl
    rows = [
        measurement(OWN, frame=f"f{i}", pose=pose, nvtl=score, **({"guess": TURNED} | columns))
        for i, (pose, score) in enumerate(zip(poses, nvtl))
    ]
    return rows


def timed(rows):
    return add_median_times(judged(rows))


def said_of(rows, **of_dataset):
    frame, known = timed(rows), datasets(**({"kind": "scan_to_map"} | of_dataset))
    table = summary_table(frame, implementations(), known)
    return replayer_sentences(frame, recommended(table, ["toy"]), known)


@pytest.mark.parametrize("changes, n", [({}, 1), ({"iterations": 31.0}, 0), ({"ms": [101.0]}, 0), ({"pose": ASIDE}, 0), ({"pose": AHEAD}, 1)])
def test_convergence_is_the_way_from_the_guess_to_the_side_time_and_iterations(changes, n):
    far_truth = pose_of(5, 5, 0, 0)  # has no part in it
    row = measurement(OWN, **({"guess": TURNED, "pose": TURNED} | changes)) | {"truth": far_truth}
    assert converged(timed([row])) == n


def test_an_error_does_not_converge_and_is_below_the_limit():
    frame = timed(drive()[:3] + [failed(OWN, frame="f3", guess=TURNED)])
    assert converged(frame) == 3 and longest_below(frame) == 1


@pytest.mark.parametrize("aside, said", [(1, "passes (19 of 20 scans, 95 %)"), (2, "fails (18 of 20 scans, 90 %)")])
def test_convergence_passes_with_95_percent(aside, said):
    (sentence,) = said_of(drive([ASIDE] * aside + [TURNED] * (20 - aside)))
    assert sentence == f"persistent_cpu on toy: Convergence {said}; Reliability passes (none below 2.3)."


@pytest.mark.parametrize(
    "nvtl, said",
    [
        ([2.3] * 20, "passes (none below 2.3)"),
        ([2.0] * 9 + [3.0] + [2.0] * 9 + [3.0], "passes (at most 9 in a row below 2.3)"),
        ([3.0] * 3 + [2.0] * 10 + [3.0] * 7, "fails (at most 10 in a row below 2.3)"),
    ],
)
def test_reliability_fails_at_ten_scans_in_a_row(nvtl, said):
    (sentence,) = said_of(drive(nvtl=nvtl))
    assert sentence.endswith(f"Reliability {said}.")


def test_a_limit_of_another_resolution_or_a_missing_score_gives_no_reliability():
    assert "no Reliability, whose limit of NVTL is for voxels of 2 m" in said_of(drive(resolution_m=1.0))[0]
    assert "no Reliability, since scans have no NVTL" in said_of(drive(nvtl=[3.0] * 19 + [np.nan]))[0]


def test_guesses_that_are_aside_on_purpose_give_no_convergence():
    rows = [row | {"truth": TURNED} for row in drive(guess=ASIDE)]
    (sentence,) = said_of(rows)
    assert "no Convergence, since 20 of 20 guesses are more than 0.2 m to the side of the truth; Reliability passes" in sentence


@pytest.mark.parametrize(
    "rows, of_dataset",
    [
        (drive()[:9], {}),
        (drive() + [row | {"guess_name": "another"} for row in drive()], {}),
        (drive(), {"kind": "pair"}),
        (drive(), {"kind": "sequence"}),
        (drive(guess_offset={"x_m": 1.0, "y_m": 0.0, "z_m": 0.0, "yaw_deg": 0.0}), {}),
    ],
    ids=["few", "several guesses", "pairs", "sequence", "grid"],
)
def test_nothing_is_said_of_what_is_no_drive(rows, of_dataset):
    assert said_of(rows, **of_dataset) == []
