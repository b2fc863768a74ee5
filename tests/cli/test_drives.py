"""Generated drives that lose a localisation: how soon it is found again, and that no wrong pose is called ok."""

import csv
import math

import pytest
from conftest import bench, tum

FOUND_M, FOUND_DEG = 0.5, 2.5  # well within what tracking brings back
WRONG_M, WRONG_DEG = 1.0, 5.0


@pytest.fixture(scope="module")
def kidnap(tmp_path_factory):
    folder = tmp_path_factory.mktemp("drives") / "kidnap"
    bench("generate", "town", "--scale", "kidnap", "--out", folder)
    return folder


def carried_to(folder):
    """The number of the scan that the car was carried to."""
    places = [row[1:4] for row in tum(folder / "truth.tum")]
    steps = [math.dist(a, b) for a, b in zip(places, places[1:])]
    frame = 1 + max(range(len(steps)), key=steps.__getitem__)
    assert steps[frame - 1] > 45 and sorted(steps)[-2] < 1.1
    return frame


class Run:
    """A localisation of the kidnapped car, in two parts: from the start, and from where it was carried to."""

    def __init__(self, folder, out, *args):
        self.said = bench("localize", "--scans", folder, "--out", out, "--implementation", "persistent_cpu", *args).stdout
        with open(out / "frames.csv", newline="") as file:
            self.rows = list(csv.DictReader(file))
        self.carried = carried_to(folder)

    def to_recovery(self, first, end):
        """Frames until the first pose from which on all are right; None if there is none."""
        right = [float(r["error_m"]) < FOUND_M and float(r["error_deg"]) < FOUND_DEG for r in self.rows[first:end]]
        wrong = [k for k, good in enumerate(right) if not good]
        frames = wrong[-1] + 1 if wrong else 0
        return frames if frames < len(right) else None

    def false_ok(self):
        return [int(r["frame"]) for r in self.rows
                if r["verdict"] == "ok" and (float(r["error_m"]) > WRONG_M or float(r["error_deg"]) > WRONG_DEG)]

    def tell(self, name):
        start, jump = self.to_recovery(0, self.carried), self.to_recovery(self.carried, None)
        ok = sum(r["verdict"] == "ok" for r in self.rows)
        print(f"\n{name}: found after {start} frames at the start, {jump} after the jump (10 a second); "
              f"{len(self.false_ok())} of {ok} ok are wrong; {sum(r['verdict'] == 'lost' for r in self.rows)} of {len(self.rows)} lost")
        return start, jump


def test_a_kidnapped_car_is_found_and_no_wrong_pose_is_ok(kidnap, tmp_path):
    run = Run(kidnap, tmp_path)
    assert float(run.rows[0]["error_m"]) > 5, "it begins elsewhere than its guess"
    assert float(run.rows[run.carried]["error_m"]) > 40
    start, jump = run.tell("given pose")
    # Five scans are rejected before the first search, and each search is wider: 2 m, 3 m, 4.5 m ... 30 m.
    assert start is not None and start <= 8
    assert jump is not None and jump <= 16
    assert run.false_ok() == []
    told = [r["verdict"] for r in run.rows[run.carried + 4:run.carried + jump]]
    assert set(told) == {"lost"}, "it says so until it is found"
    assert run.rows[-1]["verdict"] == "ok" and float(run.rows[-1]["error_m"]) < 0.1


def test_a_search_finds_the_start_at_once(kidnap, tmp_path):
    run = Run(kidnap, tmp_path, "--init", "search")
    start, _ = run.tell("search")
    assert start == 0 and run.rows[0]["source"] == "searched" and run.false_ok() == []
