"""Lists, help, and everything that must be refused: with which code, on which stream, naming what."""

import json
import subprocess

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, EXIT_USAGE, OWN_IMPLEMENTATIONS, bench, refusal

COMMANDS = ["list", "doctor", "align", "evaluate", "diff", "profile", "voxels", "map", "initial-pose", "localize", "run", "merge", "report", "compare", "trajectory",
            "export", "generate", "datasets", "completion"]


def test_help_names_every_command_and_exit_code():
    text = bench("--help").stdout
    for command in COMMANDS:
        assert command in text
    assert "5 no usable device" in text
    assert bench("--version").stdout.strip()


def test_help_of_a_command_names_its_options_with_units():
    text = bench("align", "--help").stdout
    for option in ["--map", "--map-radius", "--scan", "--implementation", "--guess", "--repeat", "--json", "--trace", "--profile",
                   "--resolution", "--step", "--epsilon", "--max-iterations", "--outlier-ratio", "--neighbours",
                   "--line-search", "--step-ratios", "--newton-step", "--step-control", "--levels",
                   "--negative-curvature", "--coarse-stride", "--min-points", "--eigenvalue-ratio", "--device", "--timeout-ms",
                   "--covariance-start", "--reg-scale", "--reg-x", "--reg-y", "--threads"]:
        assert option + " " in text, option
    assert "metres and radians" in text and "row-major" in text
    assert "radius, direct1, direct7, direct27" in text
    for command in COMMANDS:
        assert bench(command, "--help").stdout


def test_an_unknown_command_is_answered_with_the_commands():
    for command in ["initial_pose", "reprot"]:
        message = refusal(command, code=EXIT_USAGE)
        assert f"unknown command '{command}'" in message and ", ".join(COMMANDS) in message
    assert "did you mean 'align'?" in refusal("algin", code=EXIT_USAGE)


def test_no_command_is_a_usage_error():
    assert "subcommand is required" in refusal(code=EXIT_USAGE)


def test_list_shows_what_is_available_and_why_not():
    text = bench("list").stdout
    for name in ["cpu_pclomp_ref", "persistent_cpu", "courtyard", "courtyard_5k", "courtyard_far", "town", "smoke"]:
        assert name in text
    assert text.index("cpu_pclomp_ref  ") < text.index("persistent_cpu  ")
    assert "not available: NDT_DATASETS is not set" in text


def test_list_json_has_the_same_in_fields():
    listing = json.loads(bench("list", "--json").stdout)
    implementations = {e["name"]: e for e in listing["implementations"]}
    assert list(implementations)[0] == "cpu_pclomp_ref" and len(implementations) == len(listing["implementations"])
    assert [e["peer"] for e in implementations.values()] == sorted(e["peer"] for e in implementations.values())  # peers last
    assert implementations[listing["auto"]]["available"] and not implementations[listing["auto"]]["peer"]
    why_not = ("built without PCL: ", "built without CUDA: ", "no NVIDIA driver is loaded", "no CUDA device", "device 0 ", "no CUDA graphs ")
    for entry in listing["implementations"]:
        assert entry["runs_on"] and entry["schedule"] and entry["available"] == (entry["unavailable_reason"] is None)
        assert (entry["peer"] or not entry["for_use"]) == bool(entry["note"])
        assert entry["available"] or entry["unavailable_reason"].startswith(why_not)
    missing = {d["name"]: d["unavailable_reason"] for d in listing["datasets"] if not d["available"]}
    assert "kitti00" in missing and set(missing.values()) == {"NDT_DATASETS is not set"}
    assert [p["name"] for p in listing["presets"]] == ["smoke", "tracking", "basin", "scaling", "profiles", "iterations",
                                                          "latency", "batch", "transfers", "initial_pose", "prior_ladder", "pyramid", "pyramid_time", "trust", "search_trust", "accuracy", "peers", "idle", "load", "full"]


def test_doctor_says_what_is_there_and_what_is_missing(tmp_path):
    text = bench("doctor", env={"NDT_DATASETS": str(tmp_path)}).stdout
    for topic in ["compiler", "build", "CPU", "CUDA toolkit", "GPU", "NVIDIA driver", "PCL", "liblzf", "yaml-cpp", "Python", "project files",
                  "NDT_DATASETS"]:
        assert any(line.startswith(topic + " ") for line in text.splitlines()), topic
    assert f"NDT_DATASETS     {tmp_path}\n" in text
    assert "NDT_DATASETS     not set\n" in bench("doctor").stdout


def test_doctor_survives_an_empty_path():
    text = bench("doctor", env={"PATH": ""}).stdout
    assert "\nGPU              " in text and "nvidia-smi finds" not in text
    assert "Python           missing" in text or "(/usr/bin/python3)" in text  # the one that makes reports


def test_an_unknown_option_is_named(courtyard):
    assert "--resolutoin" in refusal("align", *courtyard.args, "--resolutoin", 2, code=EXIT_USAGE)


def test_required_options_are_named(courtyard):
    assert "--map is required" in refusal("align", "--scan", courtyard.scan, code=EXIT_USAGE)
    assert "--scan is required" in refusal("align", "--map", courtyard.map, code=EXIT_USAGE)
    assert "--pose is required" in refusal("evaluate", *courtyard.args, code=EXIT_USAGE)
    assert "--out is required" in refusal("export", "--dataset", "courtyard", code=EXIT_USAGE)


def test_an_unknown_implementation_is_answered_with_the_nearest(courtyard):
    message = refusal("align", *courtyard.args, "--implementation", "persistant_cpu", code=EXIT_USAGE)
    assert "did you mean 'persistent_cpu'?" in message and "cpu_pclomp_ref" in message


def test_an_unknown_dataset_or_preset_is_answered_with_the_names(tmp_path):
    assert "courtyard_5k" in refusal("export", "--dataset", "twon", "--out", tmp_path / "out", code=EXIT_USAGE)
    assert not (tmp_path / "out").exists()
    assert "smoke" in refusal("run", "--preset", "smoek", "--out", tmp_path / "out", code=EXIT_USAGE)
    assert "courtyard" in refusal("run", "--dataset", "courtyrd", "--out", tmp_path / "out", code=EXIT_USAGE)


def test_values_out_of_range_are_refused_with_name_value_and_bounds(courtyard):
    for option, value, text in [
        ("--resolution", "0", "option resolution = 0: must be in [0.001, 1000]"),
        ("--resolution", "nan", "option resolution = nan"),
        ("--step", "-1", "option step = -1"),
        ("--epsilon", "0", "option epsilon = 0"),
        ("--max-iterations", "0", "option max-iterations = 0: must be in [1, 1000]"),
        ("--outlier-ratio", "1", "option outlier-ratio = 1: must be in (0, 1)"),
        ("--reg-scale", "-0.5", "option reg-scale = -0.5"),
        ("--threads", "257", "option threads = 257"),
        ("--repeat", "0", "--repeat = 0"),
        ("--max-iterations", "many", "--max-iterations"),
        ("--neighbours", "direct8", "choose from radius, direct1, direct7, direct27"),
        ("--line-search", "on", "choose from off, more_thuente, batched"),
        ("--step-ratios", "silver", "choose from fixed8, golden_ratio"),
        ("--newton-step", "best", "choose from reference, damped"),
        ("--min-points", "2", "option min-points = 2: must be in [3, 1000000]"),
        ("--eigenvalue-ratio", "1.5", "option eigenvalue-ratio = 1.5: must be in [0, 1]"),
        ("--device", "64", "option device = 64: must be in [0, 63]"),
        ("--timeout-ms", "0", "option timeout-ms = 0: must be in (0, 86400000]"),
        ("--covariance-start", "one", "choose from identity, zero"),
        ("--profile", "best", "choose from autoware, textbook, pyramid, windows"),
        ("--levels", "1,2.5", "option levels = 1,2.5: must fall from coarse to fine"),
        ("--levels", "2.5,1", "option levels = 2.5,1: needs step-control trust_region"),
        ("--levels", "6;1", "levels '6;1': expected numbers with commas between them"),
        ("--levels", "5,4,3,2,1", "levels: 5 given, 1 to 4 are possible"),
        ("--reg-x", "1", "--reg-x needs --reg-y"),
        ("--reg-y", "1", "--reg-y needs --reg-x"),
    ]:
        assert text in refusal("align", *courtyard.args, option, value, code=EXIT_USAGE), option


def test_every_option_value_is_taken_by_every_implementation_of_ours(courtyard):
    # From the true pose: a line search that finds nothing better there says so.
    at_the_top = {"converged", "line_search_failed"}
    for implementation in OWN_IMPLEMENTATIONS:
        for option, value, stops in [("--line-search", "batched", at_the_top), ("--line-search", "more_thuente", at_the_top),
                                     ("--neighbours", "direct1", {"converged"}), ("--neighbours", "direct7", {"converged"}),
                                     ("--neighbours", "direct27", {"converged"}),
                                     ("--covariance-start", "zero", {"converged"}), ("--profile", "textbook", {"converged"}),
                                     ("--newton-step", "damped", {"converged"}), ("--profile", "pyramid", {"converged"})]:
            done = bench("align", *courtyard.args, "--implementation", implementation, option, value, "--json")
            assert json.loads(done.stdout)["stop"] in stops, (implementation, option, value)


@pytest.mark.parametrize("command,option", [("align", "--guess"), ("evaluate", "--pose")])
def test_poses_that_are_none_are_refused(courtyard, command, option):
    scale_2 = "2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1"
    mirror = "1 0 0 0 0 -1 0 0 0 0 1 0 0 0 0 1"
    shear = "1 0.5 0 0 0 1 0 0 0 0 1 0 0 0 0 1"
    for text, part in [("1,2,3,4,5", "5 numbers"), ("1,2,3,4,5,6,7", "7 numbers"), ("0,0,nan,0,0,0", "number 3 is 'nan'"),
                       ("0,0,inf,0,0,0", "number 3 is 'inf'"), ("0,0,a,0,0,0", "number 3 is 'a'"), ("", "number 1 is ''"),
                       (scale_2, "scale"), (mirror, "reflection"), (shear, "not a rigid transform")]:
        message = refusal(command, *courtyard.args, option, text, code=EXIT_USAGE)
        assert option in message and part in message, text


def test_files_that_cannot_be_used_are_named(courtyard, tmp_path):
    garbage = tmp_path / "garbage.pcd"
    garbage.write_bytes(b"\x00\x01\x02 no cloud")
    short = tmp_path / "short.pcd"
    short.write_bytes(courtyard.map.read_bytes()[:-1])
    for file in [tmp_path / "missing.pcd", garbage, short, tmp_path]:
        for args in [["--map", file, "--scan", courtyard.scan], ["--map", courtyard.map, "--scan", file]]:
            assert str(file) in refusal("align", *args, code=EXIT_BAD_INPUT)
        assert str(file) in refusal("voxels", "--map", file, code=EXIT_BAD_INPUT)


def test_an_unknown_file_format_is_answered_with_the_supported(tmp_path):
    file = tmp_path / "cloud.obj"
    file.write_text("1 2 3\n")
    message = refusal("voxels", "--map", file, code=EXIT_BAD_INPUT)
    assert "'.obj'" in message and all(known in message for known in [".pcd", ".ply", ".bin"])


def test_a_map_without_a_voxel_is_bad_input(tmp_path):
    file = tmp_path / "sparse.PCD"
    file.write_text("VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 1\n"
                    "VIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA ascii\n1 2 3\n4 5 6\n")
    assert "no valid voxel" in refusal("align", "--map", file, "--scan", file, code=EXIT_BAD_INPUT)


def test_a_place_that_cannot_be_written_is_bad_input(tmp_path):
    (tmp_path / "file").write_text("")
    for command in [["export", "--dataset", "courtyard"], ["run", "--samples", 1]]:
        assert str(tmp_path / "file") in refusal(*command, "--out", tmp_path / "file" / "out", code=EXIT_BAD_INPUT)


def test_a_full_disk_is_no_success():
    with open("/dev/full", "w") as full:
        done = subprocess.run([BENCH, "list"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == EXIT_BAD_INPUT and "cannot write" in done.stderr
