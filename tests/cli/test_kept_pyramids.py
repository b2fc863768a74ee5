"""A map's place pyramid is built once, and read by every command from then."""

import json

import pytest
from conftest import bench


@pytest.fixture()
def kept(tmp_path, monkeypatch):
    monkeypatch.setenv("NDT_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache/pyramids"


def found(town, *args):
    done = bench("initial-pose", "--map", town / "map.pcd", "--scan", town / "scans/000003.pcd", "--prior", "map", "--json", *args)
    answer = json.loads(done.stdout)
    said = [line for line in done.stderr.splitlines() if line.startswith("ndt-bench: ")]  # and how far a long search is
    return answer["anywhere"]["pyramid_kept"], answer["particles"], said


def test_a_second_search_reads_what_the_first_built(town, kept):
    built, particles, said = found(town)
    assert not built and said == []
    read, same, said = found(town)
    assert read and said == [] and same == particles
    assert not found(town, "--place-cell", 2)[0] and len(list(kept.iterdir())) == 2, "other cells are another pyramid"


@pytest.mark.parametrize("damage", [lambda b: b[:-1], lambda b: b[:5000] + bytes([b[5000] ^ 1]) + b[5001:], lambda _: b"", lambda _: b"mine"])
def test_a_damaged_one_is_said_and_replaced(town, kept, damage):
    particles = found(town)[1]
    (file,) = kept.iterdir()
    file.write_bytes(damage(file.read_bytes()))
    read, same, said = found(town)
    assert not read and same == particles
    assert len(said) == 1 and said[0].startswith(f"ndt-bench: the place pyramid is built anew: {file}: ")
    assert found(town)[0]


def test_localize_reads_it_too(town, kept, tmp_path):
    run = ["localize", "--scans", town / "scans", "--map", town / "map.pcd", "--init", "search", "--rate", 2]
    bench(*run, "--out", tmp_path / "a")
    (file,) = kept.iterdir()
    file.write_bytes(b"mine")
    assert f"is built anew: {file}: has 4 bytes, too few" in bench(*run, "--out", tmp_path / "b").stderr
    assert "built anew" not in bench(*run, "--out", tmp_path / "c").stderr
    poses = [(tmp_path / x / "poses.tum").read_bytes() for x in "abc"]
    assert poses[0] == poses[1] == poses[2]


def test_a_folder_that_cannot_be_written_costs_time_only(town, monkeypatch):
    monkeypatch.setenv("NDT_CACHE", "/dev/null/cache")
    built, particles, said = found(town)
    assert not built and particles
    assert len(said) == 1 and said[0].startswith("ndt-bench: the place pyramid is not kept: /dev/null/cache/pyramids: cannot be written: ")
