"""Two runs of one build are never told apart; a slowed implementation is; a slower machine is not."""

import needs  # noqa: F401  first: it skips

import json

import pytest
from ndt_report.compare import comparison
from ndt_report.read.load import load_run
from synthetic_entries import dataset
from synthetic_run import SyntheticRun

FRAMES, BLOCK = 12, 2


def run(folder, seed, **options):
    return SyntheticRun(seed=seed, **options).tracking("town", frames=FRAMES, block=BLOCK).write(folder)


@pytest.fixture(scope="module")
def a(tmp_path_factory):
    return run(tmp_path_factory.mktemp("a"), 1)


def verdicts(a, b):
    rows = comparison(load_run(a), load_run(b)).rows
    return dict(zip(zip(rows.implementation, rows.threads), rows.verdict))


@pytest.mark.parametrize("seed", [2, 3, 4, 5, 6])
def test_two_runs_of_one_build_are_the_same_or_unclear(a, tmp_path, seed):
    found = verdicts(a, run(tmp_path, seed))
    assert len(found) == 6 and set(found.values()) <= {"SAME", "UNCLEAR"}
    assert list(found.values()).count("SAME") >= 4  # it is not just never sure


def test_a_slowed_implementation_is_slower_and_no_other(a, tmp_path):
    found = verdicts(a, run(tmp_path, 2, slow={"persistent_cpu": 1.3}))
    assert found.pop(("persistent_cpu", 1)) == found.pop(("persistent_cpu", 2)) == "SLOWER"
    assert set(found.values()) <= {"SAME", "UNCLEAR"}


def test_an_implementation_made_faster_is_faster(a, tmp_path):
    assert verdicts(a, run(tmp_path, 2, slow={"persistent_cpu": 0.7}))[("persistent_cpu", 2)] == "FASTER"


def test_a_machine_that_was_slower_is_no_slower_implementation(a, tmp_path):
    assert set(verdicts(a, run(tmp_path, 2, drift=1.2)).values()) == {"UNCLEAR"}


def test_an_implementation_slowed_more_than_the_machine_is_still_slower(a, tmp_path):
    found = verdicts(a, run(tmp_path, 2, drift=1.1, slow={"persistent_cpu": 1.5}))
    assert found[("persistent_cpu", 1)] == "SLOWER" and found[("pcl_ndt", 1)] == "UNCLEAR"


def test_a_slowed_oracle_is_slower_by_the_clock(a, tmp_path):
    found = verdicts(a, run(tmp_path, 2, slow={"cpu_pclomp_ref": 1.3}))
    assert found[("cpu_pclomp_ref", 1)] == "SLOWER" and found[("persistent_cpu", 1)] == "UNCLEAR"


def test_exit_codes_and_table(a, tmp_path, ndt_report):
    slow = run(tmp_path / "b", 2, slow={"persistent_cpu": 1.3})
    code, out, err = ndt_report("compare", a, slow)
    assert (
        code == 0
        and err == ""
        and "SLOWER" in out
        and out.splitlines()[-1] == "4 SAME, 0 FASTER, 2 SLOWER, 0 UNCLEAR"
    )
    assert ndt_report("compare", a, slow, "--fail-on", "slower")[0] == 3
    assert ndt_report("compare", a, a, "--fail-on", "slower")[0] == 0
    assert ndt_report("compare", slow, a, "--fail-on", "slower")[0] == 0
    code, out, err = ndt_report("compare", a, tmp_path / "nowhere")
    assert code == 2 and out == "" and err.startswith("ndt-bench: ")


def test_json_has_every_implementation_with_its_interval(a, tmp_path, ndt_report):
    code, out, _ = ndt_report("compare", a, run(tmp_path / "b", 2), "--json")
    found = json.loads(out)
    assert code == 0 and len(found["rows"]) == 6 and sum(found["counts"].values()) == 6
    for row in found["rows"]:
        assert (
            row["low"] <= row["speed"] <= row["high"]
            and row["pairs"] == FRAMES
            and row["jobs"] == FRAMES // BLOCK
        )
        assert row["poses_apart_mm"] < 0.1 and row["calibration"] == pytest.approx(1, abs=0.01)


def test_runs_without_a_common_measurement_are_refused(a, tmp_path, ndt_report):
    other = SyntheticRun().tracking("moon", frames=2, block=1).write(tmp_path / "b")
    code, _, err = ndt_report("compare", a, other)
    assert code == 2 and "no timed alignment in common" in err and "compare runs of one preset" in err


def test_implementations_of_one_run_only_other_data_and_another_machine_are_named(a, tmp_path):
    b = (
        SyntheticRun(cuda=False)
        .tracking("town", frames=FRAMES, block=BLOCK)
        .tracking("moon", frames=2, block=1)
    )
    b.write(tmp_path / "b")
    environment = json.loads((tmp_path / "b" / "environment.json").read_text())
    (tmp_path / "b" / "environment.json").write_text(
        json.dumps(environment | {"cpu_model": "another", "cuda": None})
    )
    notes = " ".join(comparison(load_run(a), load_run(tmp_path / "b")).notes)
    assert (
        "Timed only in A: persistent_cuda on town, 1 thr." in notes
        and "Timed only in B: cpu_pclomp_ref on moon, 1 thr" in notes
    )
    assert "The GPU differs: 2 x Made-up <GPU> in A, none in B." in notes
    assert "The CPU differs: Some <CPU> in A, another in B." in notes
    b.datasets[0] = dataset("town", fingerprint="other")
    b.write(tmp_path / "c")
    with pytest.raises(Exception, match="no timed alignment in common"):
        comparison(load_run(a), load_run(tmp_path / "c"))


def test_a_single_job_is_unclear_not_same(tmp_path):
    folders = [
        SyntheticRun(seed=s).tracking("town", frames=4, block=4).write(tmp_path / str(s)) for s in (1, 2)
    ]
    assert set(verdicts(*folders).values()) == {"UNCLEAR"}


def test_no_failure_is_counted_by_the_truth_of_a_map_of_its_own_scans(tmp_path):
    runs = [SyntheticRun(seed=s).tracking("nclt_keyframes", frames=FRAMES, block=BLOCK) for s in (1, 2)]
    for row in runs[1].measurements:
        if row["implementation"] == "persistent_cpu":
            row["translation_error_m"] = 5.0  # its pose is the oracle's
    found = comparison(*(load_run(run.write(tmp_path / str(k))) for k, run in enumerate(runs)))
    rows = found.rows[found.rows.implementation == "persistent_cpu"]
    assert len(rows) == 2 and set(rows.a_failures) == set(rows.b_failures) == {0}
    assert sum(note.startswith("The map of nclt_keyframes holds the query scans themselves") for note in found.notes) == 1
