"""The catalogue of real datasets, and the command that checks their files."""

import fnmatch
import hashlib
import re

import pytest
from conftest import EXIT_BAD_INPUT, EXIT_USAGE, ROOT, convert, np, run_here
from ndt_convert.cli import parser
from ndt_convert.verify import entries
from schema import TOP, check_description

CATALOGUE = entries()
NAMES = ["handheld_a", "handheld_a_map", "kitti00", "kitti00_sequence", "kitti07_submaps", "kitti_raw_a", "nclt_keyframes", "pair_car",
         "pair_cupcl", "pair_ndt_omp", "static_car"]
# Written from descriptions; nobody has had the files.
NOT_VERIFIED = ["hard_indoor_easy_01", "hard_indoor_easy_02", "hard_indoor_hard_01", "hard_indoor_kidnap_01", "hard_indoor_kidnap_02",
                "hard_outdoor_hard_01a", "hard_outdoor_hard_02a", "hard_outdoor_kidnap_a"]


def test_every_dataset_has_an_entry_under_its_name():
    assert list(CATALOGUE) == sorted(NAMES + NOT_VERIFIED)
    for name, entry in CATALOGUE.items():
        assert entry["name"] == name


@pytest.mark.parametrize("name", NAMES + NOT_VERIFIED)
def test_entries_are_complete(name):
    entry = CATALOGUE[name]
    check_description(entry)
    assert entry["resolution_m"] > 0 and ("checksums" in entry) == (name in NAMES)
    assert ("truth" in entry) == ("success" in entry)
    if "truth" in entry:  # success that accuracy cannot tell from failure would say nothing
        assert not entry["truth"]["exact"] and entry["truth"]["quality"].startswith("estimate: ")
        assert 2 * entry["truth"]["accuracy_m"] <= entry["success"]["translation_m"]
    provenance = entry["provenance"]
    github, zenodo = r"https://github.com/\S+, \S.*, commit [0-9a-f]{40}", r"https://zenodo.org/records/\d+, doi:10\.5281/zenodo\.\d+"
    assert re.search(github if name in NAMES else zenodo, provenance["source"]) and len(provenance["obtain"]) > 50
    assert ("ot verified" in provenance["obtain"] and "not verified" in entry["description"]) == (name in NOT_VERIFIED)
    assert not re.search(r"\s\s|\n", provenance["source"] + provenance["obtain"] + entry["description"])


@pytest.mark.parametrize("name", NAMES)
def test_entries_have_the_checksum_of_every_file_they_use(name):
    entry = CATALOGUE[name]
    files = entry["checksums"]
    assert all(re.fullmatch("[0-9a-f]{64}", value) for value in files.values())
    for file in [entry.get("map"), entry.get("truth", {}).get("file"), entry["guess"].get("file")]:
        assert file is None or file in files
    for pattern in entry["scans"]:
        assert fnmatch.filter(files, pattern)


@pytest.mark.parametrize("name", NAMES)
def test_files_of_the_catalogue_are_those_of_the_datasets(datasets, name):
    assert f"{name}: {len(CATALOGUE[name]['checksums'])} files are right\n" == convert("verify", name)
    entry = CATALOGUE[name]
    folder = datasets / entry.get("root", name)
    scans = sorted(path for pattern in entry["scans"] for path in folder.glob(pattern))
    assert len(scans) == len(fnmatch.filter(entry["checksums"], entry["scans"][0]))
    for file in [entry.get("truth", {}).get("file"), entry["guess"].get("file")]:
        if file and file.endswith(".tum"):
            assert len(np.loadtxt(folder / file)) == len(scans)
        elif file:
            assert np.loadtxt(folder / file).shape == (4, 4)


def test_every_entry_has_an_address_in_its_source():
    """Addresses of files in [download], and of what they are made of in [originals]; a repository's name its commit."""
    for name, entry in CATALOGUE.items():
        originals, source = entry["originals"], entry["provenance"]["source"]
        addresses = [originals["address"] + file for file in originals["checksums"]]
        for file, url in entry.get("download", {}).items():
            assert file in entry["checksums"]
            addresses.append(url)
        verified = set(originals["checksums"].values()) != {"unverified"}
        assert verified == (name in NAMES) and all(re.fullmatch("[0-9a-f]{64}", value) for value in originals["checksums"].values() if verified)
        for url in addresses:
            if verified:
                repository, commit, path = re.fullmatch(r"https://raw\.githubusercontent\.com/([^/]+/[^/]+)/([0-9a-f]{40})/(\S+)", url).groups()
                assert f"https://github.com/{repository}, " in source and commit in source, url
            else:
                record, file = re.fullmatch(r"(https://zenodo\.org/records/\d+)/files/([\w.]+)", url).groups()
                assert record in source and file in source, url


def fake_datasets(tmp_path, monkeypatch):
    """A catalogue of three datasets, of which two share a folder and one is not there."""
    data, catalogue = tmp_path / "data", tmp_path / "catalogue"
    (data / "a" / "scans").mkdir(parents=True)
    catalogue.mkdir()
    (data / "a" / "map.pcd").write_bytes(b"map")
    (data / "a" / "scans" / "0.bin").write_bytes(b"scan")
    digest = {text: hashlib.sha256(text.encode()).hexdigest() for text in ("map", "scan")}
    provenance = '[provenance]\nobtain = "ask for it"\n[checksums]\n'
    (catalogue / "a.toml").write_text(f'{provenance}"map.pcd" = "{digest["map"]}"\n"scans/0.bin" = "{digest["scan"]}"\n')
    (catalogue / "b.toml").write_text(f'root = "a"\n{provenance}"scans/0.bin" = "{digest["scan"]}"\n')
    (catalogue / "c.toml").write_text(f'{provenance}"map.pcd" = "{digest["map"]}"\n')
    monkeypatch.setattr("ndt_convert.verify.CATALOGUE", catalogue)
    monkeypatch.setenv("NDT_DATASETS", str(data))
    return data


def test_verify_names_files_that_differ_or_are_missing(tmp_path, monkeypatch):
    data = fake_datasets(tmp_path, monkeypatch)
    assert convert("verify", "all") == f"a: 2 files are right\nb: 1 files are right\nc: not there: {data / 'c'}; ask for it\n"
    code, out, _ = run_here(None, ["verify", "c"])
    assert code == EXIT_BAD_INPUT and out == f"c: not there: {data / 'c'}; ask for it\n"

    (data / "a" / "map.pcd").write_bytes(b"MAP")
    code, out, _ = run_here(None, ["verify", "all"])
    assert code == EXIT_BAD_INPUT and "b: 1 files are right" in out
    assert f"a: {data / 'a' / 'map.pcd'}: differs from what the catalogue describes; fetch it again\n" in out
    (data / "a" / "scans" / "0.bin").unlink()
    code, out, _ = run_here(None, ["verify", "b"])
    assert code == EXIT_BAD_INPUT and out == f"b: {data / 'a' / 'scans' / '0.bin'}: is missing; see 'obtain' in datasets/catalogue/b.toml\n"


def test_verify_says_where_there_is_nothing_to_check(tmp_path, monkeypatch):
    data = fake_datasets(tmp_path, monkeypatch)
    (tmp_path / "catalogue" / "c.toml").write_text('[provenance]\nobtain = "ask for it"\n')
    (data / "c").mkdir()
    assert convert("verify", "c") == "c: the catalogue has no checksums of it, so its files are not checked\n"


def test_verify_says_what_it_needs(tmp_path, monkeypatch):
    fake_datasets(tmp_path, monkeypatch)
    assert "unknown dataset 'd'; choose from all, a, b, c" in convert("verify", "d", code=EXIT_USAGE)
    assert "required: NAME|all" in convert("verify", code=EXIT_USAGE)
    monkeypatch.delenv("NDT_DATASETS")
    assert "NDT_DATASETS is not set; set it to the folder that holds the datasets" in convert("verify", "all", code=EXIT_USAGE)


README = (ROOT / "datasets" / "README.md").read_text(encoding="utf-8")


def test_the_readme_lists_every_dataset_and_points_to_what_the_programs_print():
    for name in NAMES:
        assert f"`{name}`" in README, name
    assert all(name.startswith("hard_") for name in NOT_VERIFIED) and "`hard_*`" in README
    for command in ("ndt-bench list", "ndt-bench datasets fetch NAME", "./run convert --help"):
        assert command in README, command


def test_the_help_describes_every_option():
    for action in parser()._actions:
        assert action.help, action.option_strings


def keys_of(table):
    for key, kind in table.items():
        yield key.rstrip("?")
        yield from keys_of(kind) if isinstance(kind, dict) else ()


def test_the_readme_has_every_key_of_the_schema():
    for key in keys_of(TOP):
        assert re.search(rf"^\[?(preparation\.)?{key}\b|`\[?{key}\]?`", README, flags=re.M), key
