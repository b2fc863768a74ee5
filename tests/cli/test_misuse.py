"""The misuse cases of tests/support/misuse_cases.cpp through files and flags, on every available implementation."""

import json
import math
import os
import subprocess

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, EXIT_OK, EXIT_USAGE, IMPLEMENTATIONS, OWN_IMPLEMENTATIONS, bench, refusal

GLOBAL_FLOAT32 = {"cpu_pclomp_ref"}


@pytest.fixture(scope="module")
def misuse(tmp_path_factory):
    folder = tmp_path_factory.mktemp("misuse")
    subprocess.run([os.environ["NDT_WRITE_CATALOGUE"], folder], check=True)
    table = json.loads((folder / "misuse" / "misuse.json").read_text())
    return table | {"cases": {case["name"]: case for case in table["cases"]}}


def arguments(implementation, case, *flags):
    return ["align", "--implementation", implementation, "--map", case["map"], "--scan", case["scan"], "--resolution", 1,
            "--guess", case["guess"], *flags, "--json"]


def answer(implementation, case):
    return json.loads(bench(*arguments(implementation, case)).stdout)


def wrong(implementation, case, baseline):
    """Returns what is wrong with the answer to a case, None if nothing."""
    done = subprocess.run([BENCH, *map(str, arguments(implementation, case))], capture_output=True, text=True)
    if done.returncode != EXIT_OK:
        errors = [text for text in (case["map_error"], case["scan_error"]) if text]
        right = errors and done.returncode == EXIT_BAD_INPUT and done.stdout == "" and all(text in done.stderr for text in errors)
        return None if right else f"exit {done.returncode}: {done.stderr}"
    result = json.loads(done.stdout)
    checks = {"stop": result["stop"] in case["stops"], "dropped points": result["dropped_points"] == case["dropped_points"]}
    if result["stop"] == "no_overlap":
        checks["guess"] = result["iterations"] == 0 and result["matrix"] == [float(v) for v in case["guess"].split(",")]
    if case["pose_of_base"]:
        checks["pose of the base scene"] = result["matrix"] == baseline["matrix"]
    failed = [check for check, held in checks.items() if not held]
    return f"{failed}: {result}" if failed else None


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_every_case_gets_its_answer(implementation, misuse):
    baseline = answer(implementation, misuse["cases"]["baseline"])
    assert math.hypot(*baseline["pose_xyz_m"]) < 0.02 and 1 <= baseline["surface_condition_number"] < 1000
    found = {name: wrong(implementation, case, baseline) for name, case in misuse["cases"].items()}
    assert len(found) > 20 and not any(found.values()), {name: what for name, what in found.items() if what}


@pytest.mark.parametrize("implementation", OWN_IMPLEMENTATIONS)
def test_a_corridor_names_its_weak_direction(implementation, misuse):
    assert abs(answer(implementation, misuse["cases"]["corridor_without_an_end"])["weak_direction"][0]) > 0.9


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_options_out_of_range_and_guesses_that_are_not_rigid_are_usage_errors(implementation, misuse):
    base = misuse["cases"]["baseline"]
    for bad in misuse["bad_options"]:
        words = [word for word in arguments(implementation, base, bad["flag"]) if word not in ("--resolution", 1)]
        assert bad["error"] in refusal(*words, code=EXIT_USAGE)
    for bad in misuse["bad_guesses"]:
        assert bad["error"] in refusal(*arguments(implementation, base | {"guess": bad["guess"]}), code=EXIT_USAGE)


@pytest.mark.parametrize("implementation", IMPLEMENTATIONS)
def test_float32_coordinates_too_coarse_to_align_are_bad_input_and_double_ones_are_not(implementation, misuse):
    cases = misuse["cases"]
    for name in ("float32_map_at_5400_km", "float32_scan_at_5400_km"):
        message = refusal(*arguments(implementation, cases[name]), code=EXIT_BAD_INPUT)
        assert "0.5 m apart" in message and "PCD `F 8`" in message, name
    double = cases["double_map_at_5400_km"]
    if implementation in GLOBAL_FLOAT32:
        assert "double origin" in refusal(*arguments(implementation, double), code=EXIT_BAD_INPUT)
        return
    result = answer(implementation, double)
    truth = [5.4e6, 0, 0]
    assert result["stop"] == "converged" and math.dist(result["pose_xyz_m"], truth) < 0.02
