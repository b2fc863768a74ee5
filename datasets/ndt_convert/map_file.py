"""Surveyors' maps as one PCD or as tiles: LAS, LAZ and E57. Coordinates stay those of the file, which must be metres; what else the file
says of them is kept beside the cloud."""

import json

import numpy as np

from .clouds import write_pcd
from .faults import Fault, UsageFault
from .files import require_regular
from .from_e57 import read_e57
from .from_las import las_facts, read_las
from .new_folder import new_folder
from .tiles import write_tiles

READERS = {".las": read_las, ".laz": read_las, ".e57": read_e57}
FACTS = "survey.json"  # in a folder of tiles
FACTS_MOST = 16 << 20  # bytes: some systems come with long descriptions
REACH_M = 1e9  # ndt-bench's Limits::kOriginM


def convert_map(file, out, say, tile_m=None):
    """Writes the PCD `out` and, beside it, `out` with .json; with tile_m the new folder `out` of tiles so wide, with FACTS in it."""
    read = READERS.get(file.suffix.lower())
    if read is None:
        raise Fault(file, "", f"unknown map format '{file.suffix}'",
                    f"supported: {', '.join(READERS)}; ndt-bench reads .pcd, .ply and .bin itself")
    if tile_m is None and out.suffix.lower() != ".pcd":
        raise UsageFault("--out", "", f"'{out.name}' is no .pcd", "give the name of a PCD file, or --tiles for a folder of tiles")
    if file.exists():
        require_regular(file)
    try:
        points, facts = _checked(file, *read(file))
        said = _write_tiles(out, points, facts, tile_m) if tile_m else _write_cloud(out, points, facts)
    except MemoryError:
        raise Fault(file, "", "not enough memory for its points", "thin the cloud, split it, or allow the process more memory") from None
    say(f"{out}: {len(points)} points{said}, coordinate system {facts['crs'] or 'not named'}; the facts are in {_facts_file(out, tile_m)}")


def coordinate_system_of(map):
    """The WKT or name of the system that a surveyor's map is in, or a map made of it: by the file itself or the facts beside it; or None."""
    if map.suffix.lower() in (".las", ".laz") and map.is_file():
        facts = las_facts(map)
    else:
        facts = _facts_in(*([map / FACTS] if map.is_dir() else [map.with_suffix(".json"), map.parent / FACTS]))
    return facts.get("crs_wkt") or facts.get("crs")


def _facts_in(*files):
    """The coordinate system that the first of convert_map's files names; empty without such a file."""
    for file in files:
        try:
            table = json.loads(file.read_text(encoding="utf-8")) if file.is_file() and file.stat().st_size < FACTS_MOST else None
        except (OSError, ValueError):
            continue
        if isinstance(table, dict) and {"source", "points"} <= set(table):
            return {key: table[key] for key in ("crs", "crs_wkt") if isinstance(table.get(key), str)}
    return {}


def _checked(file, points, facts):
    if len(points) != facts["points"]:
        raise Fault(file, "", f"{facts['points']} points declared, {len(points)} found", "the file is cut off, export the cloud again")
    if not np.isfinite(points).all(axis=1).any():
        raise Fault(file, "", "has no points", "give another")
    if (np.abs(points) > REACH_M).any():
        raise Fault(file, "", f"has points farther away than {REACH_M:g} m", "remove outliers, or export it in metres")
    return points, facts


def _facts_file(out, tile_m):
    return out / FACTS if tile_m else out.with_suffix(".json")


def _write_cloud(out, points, facts):
    write_pcd(out, points)
    _write_facts(out.with_suffix(".json"), facts)
    return ""


def _write_tiles(out, points, facts, tile_m):
    finite = np.isfinite(points).all(axis=1)
    with new_folder(out) as folder:
        tiles, size_m = write_tiles(folder, points if finite.all() else points[finite], tile_m)
        _write_facts(folder / FACTS, facts | {"points_not_finite": int(np.count_nonzero(~finite))})
    return f" in {tiles} tiles of {size_m:g} m"


def _write_facts(file, facts):
    file.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
