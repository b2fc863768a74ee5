"""--autoware-params: what is taken, what is ignored and why, that the command line wins, and broken files."""

import json
from pathlib import Path

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, bench, refusal

SUPPORT = Path(__file__).parents[1] / "support"
SHIPPED = (SUPPORT / "ndt_scan_matcher.param.yaml").read_text()
RELEASES = json.loads((SUPPORT / "ndt_scan_matcher_parameters.json").read_text())
PARAMETERS = 34


@pytest.fixture
def params(tmp_path):
    """Writes the shipped file with replacements."""
    if "built in" not in next(line for line in bench("doctor").stdout.splitlines() if line.startswith("yaml-cpp")):
        pytest.skip("built without yaml-cpp")

    def write(*replacements):
        text = SHIPPED
        for old, new in replacements:
            assert old in text
            text = text.replace(old, new)
        file = tmp_path / "ndt_scan_matcher.param.yaml"
        file.write_text(text)
        return file

    return write


@pytest.fixture
def localize(courtyard, tmp_path):
    """The words of a localisation of one scan."""
    scans = tmp_path / "scans"
    scans.mkdir()
    (scans / "0.pcd").symlink_to(courtyard.scan)
    return ["localize", "--map", courtyard.map, "--scans", scans, "--init", "0.1,0,0,0,0,0", "--out", tmp_path / "out"]


def told(stderr):
    """{parameter: what became of it}, each once."""
    lines = [line.split(None, 1) for line in stderr.splitlines() if line.startswith(("  took ", "  ignored "))]
    out = {}
    for what, rest in lines:
        name = rest.split(" = ")[0] if what == "took" else rest.split(": ")[0]
        assert name not in out, name
        out[name] = what + " " + rest
    return out


def test_the_shipped_file_is_profile_autoware_and_every_parameter_is_told_of(courtyard, params):
    guess = ["--guess", "0.3,-0.2,0.1,0,0,0.05", "--json", "--implementation", "persistent_cpu"]
    done = bench("align", *courtyard.args, *guess, "--autoware-params", params())
    lines = told(done.stderr)
    assert len(lines) == PARAMETERS
    assert f"{sum(line.startswith('took') for line in lines.values())} parameters taken" in done.stderr
    assert lines["ndt.resolution"] == "took ndt.resolution = 2.0: --resolution"
    assert lines["validation.skipping_publish_num"].endswith("used by localize only")
    plain = json.loads(bench("align", *courtyard.args, *guess, "--threads", 1).stdout)
    answer = json.loads(done.stdout)
    assert answer["matrix"] == plain["matrix"] and answer["iterations"] == plain["iterations"]


def test_values_act_and_the_command_line_wins(courtyard, params):
    file = params(("max_iterations: 30", "max_iterations: 2"), ("step_size: 0.1", "step_size: 0.01"))
    args = ["align", *courtyard.args, "--guess", "0.3,-0.2,0.1,0,0,0.05", "--json", "--autoware-params", file]
    assert json.loads(bench(*args).stdout)["iterations"] == 2
    done = bench(*args, "--max-iterations", 3)
    assert json.loads(done.stdout)["iterations"] == 3
    assert told(done.stderr)["ndt.max_iterations"] == "ignored ndt.max_iterations: --max-iterations is given on the command line"


def test_another_profile_has_no_use_for_steps(courtyard, params):
    file = params(("step_size: 0.1", "step_size: 0.2"))
    done = bench("align", *courtyard.args, "--profile", "pyramid", "--autoware-params", file)
    assert "trust_region takes its radii" in told(done.stderr)["ndt.step_size"]


def test_initial_pose_takes_particles_and_the_threshold(courtyard, params):
    file = params(("particles_num: 200", "particles_num: 40"), ("n_startup_trials: 100", "n_startup_trials: 30"),
                  ("likelihood: 2.3", "likelihood: 2.25"))
    clouds = ["initial-pose", *courtyard.args, "--autoware-params", file]
    near = ["--guess", "0.5,-0.4,0,0,0,0", "--sigma", "1,1,0.1,0.01,0.01"]
    text = bench(*clouds, *near).stdout
    assert "40 particles, 30 of them start-up" in text and "is above 2.25" in text
    few = bench(*clouds, *near, "--particles", 20)
    startup = "initial_pose_estimation.n_startup_trials"
    assert "there are 20 particles" in told(few.stderr)[startup]
    assert "unused by --method anywhere, which guides no particle" in told(bench(*clouds, "--prior", "map").stderr)[startup]


def test_run_measures_with_the_options(params, tmp_path):
    file = params(("max_iterations: 30", "max_iterations: 2"))
    done = bench("run", "--dataset", "courtyard_500", "--implementation", "persistent_cpu", "--samples", 1, "--out", tmp_path / "r",
                 "--autoware-params", file)
    assert len(told(done.stderr)) == PARAMETERS
    rows = [json.loads(line) for line in (tmp_path / "r" / "results.jsonl").read_text().splitlines()]
    assert {row["threads"] for row in rows} == {1}
    assert max(row["iterations"] for row in rows) == 2


def test_localize_takes_gates_covariance_and_its_places(params, localize, tmp_path):
    file = params(("skipping_publish_num: 5", "skipping_publish_num: 7"), ("covariance_estimation_type: 0", "covariance_estimation_type: 2"),
                  ("[0.0, 0.0, 0.5, -0.5, 1.0, -1.0]", "[0.25, -0.25]"), ("[0.5, -0.5, 0.0, 0.0, 0.0, 0.0]", "[0.0, 0.1]"),
                  ("converged_param_type: 1", "converged_param_type: 0"), ("no_ground_points: {enable: false", "no_ground_points: {enable: true"))
    done = bench(*localize, "--threads", 1, "--autoware-params", file)
    lines = told(done.stderr)
    assert len(lines) == PARAMETERS
    options = json.loads((tmp_path / "out" / "localization.json").read_text())
    localizer = options["localizer"]
    assert options["align"]["profile"] == "autoware"
    assert localizer["lost_after"] == 7 and localizer["covariance"] == "multi_ndt" and localizer["no_ground_height"] == 0.8
    assert localizer["score"] == "transform_probability" and localizer["least_score"] == 3
    assert localizer["offsets"] == [[0.25, 0], [-0.25, 0.1]]
    assert lines["ndt.num_threads"].startswith("ignored") and "--gnss none" in lines["ndt.regularization.enable"]


def test_gnss_has_the_buffer_of_the_node_and_odometry_that_of_the_file(params, localize, tmp_path):
    file = params(("initial_pose_timeout_sec: 1.0", "initial_pose_timeout_sec: 2.0"))

    def buffers(*args):
        bench(*localize, *args)
        localizer = json.loads((tmp_path / "out" / "localization.json").read_text())["localizer"]
        return [localizer[key] for key in ("buffer_age", "buffer_jump", "gnss_buffer_age", "gnss_buffer_jump")]

    assert buffers("--autoware-params", file) == [2, 10, 1000, 1000]
    assert buffers("--autoware-params", file, "--gnss-buffer-age", 3) == [2, 10, 3, 1000]
    assert buffers() == [1, 10, None, None]


def test_a_covariance_that_has_no_flags_is_ignored_with_its_reason(params, localize):
    file = params(("0.0, 0.0225, 0.0,", "0.0, 0.03, 0.0,"))
    done = bench(*localize, "--autoware-params", file)
    assert "one variance above 0" in told(done.stderr)["covariance.output_pose_covariance"]


@pytest.mark.parametrize("release", RELEASES)
def test_every_parameter_of_a_release_is_known(courtyard, params, localize, release):
    names = RELEASES[release]
    published = "dynamic_map_loading.publish_loaded_map"
    file = params(*[] if published in names else [(", publish_loaded_map: false", "")])
    near = ["--guess", "0.5,-0.4,0,0,0,0", "--sigma", "1,1,0.1,0.01,0.01"]
    for command in (["align", *courtyard.args], localize, ["initial-pose", *courtyard.args, *near]):
        lines = told(bench(*command, "--autoware-params", file).stderr)
        assert sorted(lines) == sorted(names)
        assert [line for line in lines.values() if "no such parameter" in line] == []
        assert published not in names or "map crop" in lines[published]


def test_unknown_parameters_are_named(courtyard, params):
    file = params(("resolution: 2.0", "resolutoin: 2.0"))
    line = told(bench("align", *courtyard.args, "--autoware-params", file).stderr)["ndt.resolutoin"]
    assert line.endswith("ndt_scan_matcher has no such parameter; did you mean ndt.resolution?")


@pytest.mark.parametrize("old, new, part", [
    ("resolution: 2.0", "resolution: two", "line 8: ndt.resolution = two: is no finite number; give a number in [0.001, 1000]"),
    ("resolution: 2.0", "resolution: -1", "ndt.resolution = -1: is out of bounds"),
    ("max_iterations: 30", "max_iterations: 30.5", "ndt.max_iterations = 30.5: is no whole number; give a whole number in [1, 1000]"),
    ("enable: false, scale", "enable: 3, scale", "ndt.regularization.enable = 3: is neither true nor false"),
    ("/**:", "other:\n  ros__parameters: {a: 1}\nmore:", "has no parameters of ndt_scan_matcher, only of other, more"),
])
def test_a_broken_value_is_refused_by_name(courtyard, params, old, new, part):
    assert part in refusal("align", *courtyard.args, "--autoware-params", params((old, new)), code=EXIT_BAD_INPUT)


@pytest.mark.parametrize("old, new, part", [
    ("covariance_estimation_type: 0", "covariance_estimation_type: 4", "give a whole number in [0, 3]"),
    ("[0.5, -0.5, 0.0, 0.0, 0.0, 0.0]", "[0.5, -0.5]", "has 2 numbers, and covariance.covariance_estimation.initial_pose_offset_model_x has 6"),
    ("output_pose_covariance: [", "output_pose_covariance: [1.0, ", "has 37 numbers; give 36"),
    ("map_radius: 150.0", "map_radius: 50.0", "must not be below lidar-radius + map-update-distance"),
    ("converged_param_type: 1", "converged_param_type: nvtl", "is no whole number"),
])
def test_localize_refuses_what_it_would_take(params, localize, old, new, part):
    message = refusal(*localize, "--autoware-params", params((old, new)), code=EXIT_BAD_INPUT)
    assert part in message


def test_a_missing_file_and_a_plan(courtyard, tmp_path):
    assert "there is no such file" in refusal("align", *courtyard.args, "--autoware-params", tmp_path / "no.yaml", code=EXIT_BAD_INPUT)
    assert "excludes" in refusal("run", "--plan", "plan.json", "--autoware-params", "x.yaml", code=EXIT_USAGE)
