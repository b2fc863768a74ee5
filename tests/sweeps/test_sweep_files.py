"""Tests what a sweep's file becomes, and which files are refused."""

import tomllib

import pytest
from sweep import SweepError, plan_arguments, read_sweep

SMALL = {"datasets": ["courtyard"], "implementations": ["persistent_cpu"]}


def study(tmp_path, **config):
    (table,) = tomllib.loads(read_sweep(SMALL | config, tmp_path, tmp_path / "towns").text)["study"]
    return table


def test_options_are_crossed_and_variants_named_by_what_differs(tmp_path):
    found = study(tmp_path, options={"neighbours": ["radius", "direct7"], "resolution": [1.0, 2.0], "epsilon": [0.001]})["variants"]
    assert [variant["name"] for variant in found] == ["neighbours=radius resolution=1.0", "neighbours=radius resolution=2.0",
                                                      "neighbours=direct7 resolution=1.0", "neighbours=direct7 resolution=2.0"]
    assert found[1] == {"name": found[1]["name"], "neighbours": "radius", "resolution": 2.0, "epsilon": 0.001}
    assert study(tmp_path)["variants"] == [{"name": "all"}]
    assert study(tmp_path, options={"levels": [[6, 2.5, 1], [1]]})["variants"][0] == {"name": "levels=[6, 2.5, 1]", "levels": [6, 2.5, 1]}


def test_guesses_threads_frames_and_times_are_those_of_a_study(tmp_path):
    found = study(tmp_path, guesses={"guesses": 5, "xy_m": 0.3}, frames=4, threads=2, timed=True)
    assert {key: found[key] for key in ("scatters", "frames", "threads", "timed")} == {
        "scatters": [{"guesses": 5, "xy_m": 0.3}], "frames": 4, "threads": [2], "timed": True}
    assert study(tmp_path)["timed"] is False and "scatters" not in study(tmp_path)


def test_towns_and_folders_are_datasets_by_their_whole_paths(tmp_path):
    (tmp_path / "site").mkdir()
    sweep = read_sweep(SMALL | {"datasets": ["courtyard", "site"], "towns": {"seeds": [1, 7]}}, tmp_path, tmp_path / "towns")
    assert sweep.datasets == ["courtyard", f"{tmp_path}/site/", f"{tmp_path}/towns/small_seed1/", f"{tmp_path}/towns/small_seed7/"]
    assert sweep.towns == {"small_seed1": ("small", 1), "small_seed7": ("small", 7)}


def test_a_preset_is_named_with_what_replaces_its_own(tmp_path):
    (tmp_path / "mine.toml").write_text("")
    sweep = read_sweep(SMALL | {"preset": "mine.toml", "shards": 3}, tmp_path, tmp_path)
    assert sweep.text == "" and sweep.timed and sweep.shards == 3
    assert plan_arguments(sweep, "x") == ["--preset", f"{tmp_path}/mine.toml", "--dataset", "courtyard", "--implementation", "persistent_cpu"]
    assert plan_arguments(read_sweep({"preset": "basin", "timed": False}, tmp_path, tmp_path), "x") == ["--preset", "basin"]
    assert plan_arguments(read_sweep(SMALL, tmp_path, tmp_path), "sweep.toml")[:4] == ["--preset", "sweep.toml", "--implementation", "persistent_cpu"]


@pytest.mark.parametrize("wrong, said", [
    ({"shard": 3}, "shard: there is no such key; there are bench, datasets, "),
    ({"shards": 0}, "shards: 0 is no whole number from 1 on"),
    ({"threads": True}, "threads: True is no whole number"),
    ({"datasets": "courtyard"}, "datasets: 'courtyard' is no list of names"),
    ({"datasets": []}, "datasets: none, and no towns"),
    ({"implementations": [3]}, "implementations: [3] is no list of names"),
    ({"towns": {"seeds": [1, 1]}}, "towns: seeds [1, 1] are no list of different whole numbers"),
    ({"towns": {"seeds": [1], "scale": "../huge"}}, "towns: scale '../huge' is no name, such as small"),
    ({"towns": [1]}, "towns: [1] is not of the form"),
    ({"options": {"resolution": 2}}, "options: {'resolution': 2} is not of the form"),
    ({"guesses": 5}, "guesses: 5 is not of the form"),
    ({"frames": 0}, "frames: 0 is no whole number"),
    ({"timed": "yes"}, "timed: 'yes' is neither true nor false"),
    ({"preset": "basin", "options": {}}, "options: given beside preset, which says it already"),
])
def test_what_cannot_be_meant_is_refused_by_its_key(tmp_path, wrong, said):
    with pytest.raises(SweepError) as refused:
        read_sweep(SMALL | wrong, tmp_path, tmp_path)
    assert str(refused.value).startswith(said)
