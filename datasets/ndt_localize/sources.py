"""The files of the scans and of the map that were localised."""

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
    """Scan's name: file. Empty where the scans are no files, as those of a dataset that is made on first use."""
    root, patterns, _ = _source(scans)
    files = [file for pattern in patterns for file in root.glob(pattern)]
    return {Path(name).stem: Path(name) for name in scans_among([str(file) for file in files])}


def map_file(scans):
    """Returns the map's file of a dataset that has one, or None."""
    root, _, name = _source(scans)
    return root / name if name and (root / name).is_file() else None


def _source(scans):
    """(folder, patterns of scans, name of the map)."""
    folder, catalogue = Path(scans), CATALOGUE / f"{scans}.toml"
    if (folder / "dataset.toml").is_file():
        return folder, *_of_description(folder / "dataset.toml")
    if folder.is_dir():
        return folder, ["*"], None
    if catalogue.is_file() and os.environ.get("NDT_DATASETS"):
        table = tomllib.loads(catalogue.read_text(encoding="utf-8"))
        return Path(os.environ["NDT_DATASETS"]) / table.get("root", table["name"]), *_of_description(catalogue)
    return folder, [], None


def _of_description(file):
    table = tomllib.loads(file.read_text(encoding="utf-8"))
    return table["scans"], table.get("map")
