"""ndt-bench datasets fetch: the recipe of every entry, and downloads, here from file:// in place of a network."""

import hashlib
import os
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from conftest import BENCH, EXIT_BAD_INPUT, EXIT_USAGE, bench, refusal

CATALOGUE = Path(__file__).resolve().parents[2] / "datasets/catalogue"
DESCRIPTION = """\
format = 1
name = "two"
description = "two files"
kind = "pair"
map = "map.pcd"
scans = ["scan.pcd"]
[guess]
kind = "identity"
[provenance]
licence = "MIT"
source = "a repository"
obtain = "Take both, and turn the scan upside down."
"""


class Project:
    """A project whose catalogue has the dataset `two` alone, whose map can be downloaded from `url`, and its program."""

    def __init__(self, folder):
        self.folder, self.served = folder, folder / "served"
        self.program = folder / "build/any/bin/ndt-bench"  # which looks for the catalogue around the build first
        self.program.parent.mkdir(parents=True)
        shutil.copy(BENCH, self.program)

    def describe(self, url=None, content=b"a map"):
        catalogue = self.folder / "datasets/catalogue"
        catalogue.mkdir(parents=True, exist_ok=True)
        sums = "".join(f'"{name}" = "{hashlib.sha256(data).hexdigest()}"\n' for name, data in (("maps/map.pcd", content), ("scan.pcd", b"scan")))
        (catalogue / "two.toml").write_text(f'{DESCRIPTION}[checksums]\n{sums}[download]\n"maps/map.pcd" = "{url or self.served.as_uri()}"\n')

    def fetch(self, *words, code=0):
        environment = os.environ | {"NDT_DATASETS": str(self.folder / "data")}
        done = subprocess.run([self.program, "datasets", "fetch", "two", *words], capture_output=True, text=True, env=environment)
        assert done.returncode == code, f"{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def files(self):
        return sorted(str(file.relative_to(self.folder / "data")) for file in (self.folder / "data").rglob("*") if file.is_file())


@pytest.fixture
def project(tmp_path):
    if not shutil.which("curl"):
        pytest.skip("skipped for want of curl (Debian: curl)")
    project = Project(tmp_path)
    project.served.write_bytes(b"a map")
    project.describe()
    return project


def test_the_recipe_of_an_entry_is_printed():
    done = bench("datasets", "fetch", "kitti00", code=EXIT_BAD_INPUT)
    assert done.stderr == "ndt-bench: datasets fetch: 16 of 16 files of kitti00 are missing\n"
    text = done.stdout
    assert "licence  CC BY-NC-SA 3.0 (KITTI" in text and "source   https://github.com/YuePanEdward/MULLS" in text
    assert "recipe   Download the velodyne data" in text and "folder   $NDT_DATASETS/kitti00; NDT_DATASETS" in text
    files, originals = text.split("originals of what is missing\n")
    assert files.count("missing: get it as the recipe says") == 5 and originals.count("missing: can be downloaded from https://") == 3
    assert files.count("missing: can be downloaded from https://raw.githubusercontent.com/lemonhi/OTF-CalibNet/") == 11
    sequence = bench("datasets", "fetch", "kitti00_sequence", env={"NDT_DATASETS": "/nowhere"}, code=EXIT_BAD_INPUT)
    assert "kitti00_sequence: " in sequence.stdout


def test_the_list_describes_every_entry():
    lines = [" ".join(line.split()) for line in bench("list").stdout.splitlines()]
    entries = [tomllib.loads(path.read_text(encoding="utf-8")) for path in CATALOGUE.glob("*.toml")]
    assert entries and all(f"{entry['name']} {entry['description']}" in lines for entry in entries)


def test_a_dataset_without_checksums_is_missing_without_its_folder(tmp_path):
    words, env = ("datasets", "fetch", "--recipe", "hard_indoor_easy_01"), {"NDT_DATASETS": str(tmp_path)}
    done = bench(*words, env=env, code=EXIT_BAD_INPUT)
    assert "the catalogue has no checksums" in done.stdout and "hard_indoor_easy_01 is missing" in done.stderr
    assert done.stdout.count("missing: can be downloaded from https://zenodo.org/records/10122133/files/") == 3
    folder = tmp_path / "hard_indoor_easy_01"
    (folder / "originals").mkdir(parents=True)
    assert "is missing" in bench(*words, env=env, code=EXIT_BAD_INPUT).stderr
    (folder / "scans").mkdir()
    assert bench(*words, env=env).stderr == ""


def test_an_unknown_dataset_is_answered_with_the_nearest():
    assert "unknown dataset of the catalogue 'kiti00': did you mean 'kitti00'?" in refusal("datasets", "fetch", "kiti00", code=EXIT_USAGE)
    assert "NAME is required" in refusal("datasets", "fetch", code=EXIT_USAGE)


def test_what_can_be_downloaded_is_named_and_not_downloaded_where_there_is_no_folder(tmp_path):
    for words in ([], ["--recipe", "--out", tmp_path / "none"]):
        text = bench("datasets", "fetch", "pair_ndt_omp", *words, code=EXIT_BAD_INPUT).stdout
        assert text.count("missing: can be downloaded from https://raw.githubusercontent.com/koide3/ndt_omp/") == 2
    assert not (tmp_path / "none").exists()


def test_a_file_that_its_licence_lets_go_is_downloaded_and_compared(project):
    said = project.fetch(code=EXIT_BAD_INPUT)
    assert "maps/map.pcd                 downloaded\n" in said and "scan.pcd                     missing: get it as the recipe says\n" in said
    assert (project.folder / "data/two/maps/map.pcd").read_bytes() == b"a map" and project.files() == ["two/maps/map.pcd"]
    (project.folder / "data/two/scan.pcd").write_bytes(b"scan")
    project.served.unlink()  # nothing is downloaded again
    assert project.fetch().count("is there and right") == 2


def test_originals_of_what_is_missing_are_downloaded(project):
    entry = project.folder / "datasets/catalogue/two.toml"
    folder, original = project.folder / "data/two", hashlib.sha256(b"upside down").hexdigest()
    (project.folder / "b.pcd").write_bytes(b"upside down")
    (project.folder / "a.zip").write_bytes(b"anything")
    entry.write_text(entry.read_text() + f"""[originals]
address = "{project.folder.as_uri()}/"
[originals.checksums]
"b.pcd" = "{original}"
"a.zip" = "unverified"
""")
    said = project.fetch(code=EXIT_BAD_INPUT)
    assert "  originals/b.pcd              downloaded\n  originals/a.zip              downloaded; nobody has verified its checksum\n" in said
    assert project.files() == ["two/maps/map.pcd", "two/originals/a.zip", "two/originals/b.pcd"]
    assert "  originals/a.zip              is there; nobody has verified its checksum\n" in project.fetch(code=EXIT_BAD_INPUT)
    (folder / "scan.pcd").write_bytes(b"scan")
    assert "  originals/" not in project.fetch()
    (folder / "scan.pcd").unlink()
    entry.write_text(entry.read_text().replace(original, "0" * 64))
    assert "originals/b.pcd: differs from what the catalogue describes" in project.fetch(code=EXIT_BAD_INPUT)
    entry.write_text(entry.read_text().replace('"unverified"', '"unknown"'))
    assert "is not a SHA-256 checksum; give its 64 hexadecimal digits, or unverified" in project.fetch(code=EXIT_BAD_INPUT)


def test_a_file_that_is_another_than_described_is_not_kept(project):
    project.describe(content=b"another map")
    assert "is not the file maps/map.pcd that the catalogue describes" in project.fetch(code=EXIT_BAD_INPUT)
    assert project.files() == []


def test_a_download_that_fails_is_told_with_its_address(project):
    project.served.unlink()
    said = project.fetch(code=EXIT_BAD_INPUT)
    assert f"{project.served.as_uri()}: curl cannot download it" in said and project.files() == []
    project.describe(url="ftp://localhost/map.pcd")  # not a way that the command goes
    assert "ftp://localhost/map.pcd: curl cannot download it" in project.fetch(code=EXIT_BAD_INPUT)


def test_a_file_that_differs_is_left_alone(project):
    file = project.folder / "data/two/maps/map.pcd"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"my own")
    assert "maps/map.pcd: differs from what the catalogue describes; move it away" in project.fetch(code=EXIT_BAD_INPUT)
    assert file.read_bytes() == b"my own"


def test_a_file_outside_the_folder_is_refused(project):
    catalogue = project.folder / "datasets/catalogue/two.toml"
    catalogue.write_text(catalogue.read_text().replace("maps/map.pcd", "../map.pcd"))
    assert "leads out of the dataset's folder" in project.fetch(code=EXIT_BAD_INPUT)
