"""The account of an alignment's time. Of the presets, asan builds the clock in."""

import json
import subprocess

import pytest
from conftest import BENCH, EXIT_OK, EXIT_USAGE, bench, refusal


@pytest.fixture(scope="module")
def has_clock(courtyard):
    words = [BENCH, "profile", *map(str, courtyard.args), "--implementation", "persistent_cpu", "--samples", "1"]
    return subprocess.run(words, capture_output=True).returncode == EXIT_OK


def test_a_build_without_the_clock_says_how_to_get_one(courtyard, has_clock):
    if has_clock:
        pytest.skip("this build has the clock")
    message = refusal("profile", *courtyard.args, code=EXIT_USAGE)
    assert "built without the stage clock" in message and "-DNDT_STAGE_CLOCK=ON" in message


def test_the_stages_make_up_the_time_around_the_call(courtyard, has_clock):
    if not has_clock:
        pytest.skip("this build has no clock")
    done = bench("profile", *courtyard.args, "--implementation", "persistent_cpu", "--samples", 50, "--json")
    account = json.loads(done.stdout)
    assert account["points"] > 0 and account["iterations"] > 0 and account["samples"] == 50
    assert set(account["host_us"]) == {"check and copy the scan", "align", "write the result"}
    # Medians of stages need not add up to the median of the whole, and the call has a begin and an end outside the stages.
    assert sum(account["host_us"].values()) == pytest.approx(account["measured_us"], rel=0.05)
    text = bench("profile", *courtyard.args, "--implementation", "persistent_cpu", "--samples", 2).stdout
    assert "check and copy the scan" in text and "measured around the call" in text and "device" not in text


def test_an_implementation_without_a_clock_is_refused(courtyard, has_clock):
    if not has_clock:
        pytest.skip("this build has no clock")
    message = refusal("profile", *courtyard.args, "--implementation", "cpu_pclomp_ref", "--samples", 1, code=EXIT_USAGE)
    assert "cpu_pclomp_ref reads no stage clock" in message


def test_counts_out_of_range_are_refused(courtyard, has_clock):
    if not has_clock:
        pytest.skip("this build has no clock")
    assert "--samples = 0" in refusal("profile", *courtyard.args, "--samples", 0, code=EXIT_USAGE)
    for flag in ("--idle-ms", "--announced-ms"):
        assert f"{flag} = -1" in refusal("profile", *courtyard.args, f"{flag}=-1", code=EXIT_USAGE)


def test_an_announced_alignment_has_the_same_stages(courtyard, has_clock):
    if not has_clock:
        pytest.skip("this build has no clock")
    words = ["profile", *courtyard.args, "--implementation", "persistent_cpu", "--samples", 3, "--idle-ms", 5, "--json"]
    plain, announced = (json.loads(bench(*words, *more).stdout) for more in ((), ("--announced-ms", 1)))
    assert plain["announced_ms"] == 0 and announced["announced_ms"] == 1
    assert announced["host_us"].keys() == plain["host_us"].keys() and announced["evaluations"] == plain["evaluations"]


def test_what_cannot_be_left_out_is_refused(courtyard, has_clock):
    if not has_clock:
        pytest.skip("this build has no clock")
    words = ["profile", *courtyard.args, "--implementation", "persistent_cpu", "--samples", 2]
    message = refusal(*words, "--without", "sharing", code=EXIT_USAGE)
    assert "--without sharing: persistent_cpu does not use it; give --implementation persistent_cuda" in message
    message = refusal(*words, "--without", "luck", code=EXIT_USAGE)
    assert "--without 'luck': unknown; choose among fetch, graph, ahead, sharing, beside, wording" in message
    assert json.loads(bench(*words, "--json").stdout)["without"] == []
