"""The files of the scans and of the map that are localised."""

import glob
import os
import tomllib
from pathlib import Path

from ndt_convert.library import scans_among
from ndt_convert.map_file import READERS as SURVEYS

CATALOGUE = Path(__file__).resolve().parent.parent / "catalogue"


def is_tiled(map):
    """Whether it is a map in tiles: a folder, its metadata, or a surveyor's file, of which ndt-bench makes tiles."""
    return map is not None and (map.is_dir() or map.suffix.lower() in (".yaml", ".yml", *SURVEYS))


def bin_fields(scans, passed):
    """Values of a point in .bin: what is passed on to ndt-bench, else what the dataset says; None is KITTI's four."""
    words = [word for argument in passed for word in argument.split("=", 1)]
    given = words[words.index("--bin-fields") + 1:][:1] if "--bin-fields" in words else []
    if given and given[0].isdigit():
        return int(given[0])
    description = Path(scans or "") / "dataset.toml"
    return tomllib.loads(description.read_text(encoding="utf-8")).get("bin_fields") if description.is_file() else None


def scan_files(scans):
    """Scan's name: file. Empty where the scans are no files."""
    root, patterns, _ = _source(scans)
    files = [file for pattern in patterns for file in root.glob(pattern)]
    return {Path(name).stem: Path(name) for name in scans_among([str(file) for file in files])}


def map_file(scans):
    """Returns the map's file of a dataset that has one, or None."""
    root, _, name = _source(scans)
    return root / name if name and (root / name).is_file() else None


def _source(scans):
    """(folder, patterns of scans, name of the map)."""
    catalogue, data = CATALOGUE / f"{scans}.toml", os.environ.get("NDT_DATASETS")
    if data and catalogue.is_file() and not Path(scans).is_dir():
        table = tomllib.loads(catalogue.read_text(encoding="utf-8"))
        return Path(data) / table.get("root", table["name"]), *_of_description(catalogue)
    for folder in (Path(scans), *([Path(data) / scans] if data else []), *_made(scans)):
        if (folder / "dataset.toml").is_file():
            return folder, *_of_description(folder / "dataset.toml")
        if folder.is_dir():
            return folder, ["*"], None
    return Path(scans), [], None


def _made(scans):
    """The folders of a dataset that was made on first use, the newest version first, where ndt-bench keeps them."""
    if "/" in scans:
        return []
    home = os.environ.get("XDG_CACHE_HOME") or Path(os.environ.get("HOME", "")) / ".cache"
    folders = Path(os.environ.get("NDT_CACHE") or Path(home) / "ndt-bench").glob(f"{glob.escape(scans)}_v*")
    numbered = {int(folder.name.rpartition("_v")[2]): folder for folder in folders if folder.name.rpartition("_v")[2].isdigit()}
    return [numbered[version] for version in sorted(numbered, reverse=True)]


def _of_description(file):
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return table["scans"], table.get("map")
