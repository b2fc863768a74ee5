"""Surveyors' maps as one PCD or as tiles: LAS, LAZ and E57. Coordinates stay those of the file, which must be metres; what else the file
says of them is kept beside the cloud."""

import json
from contextlib import contextmanager

import numpy as np

from .bounded import bounded
from .clouds import write_pcd
from .faults import Fault, UsageFault
from .files import new_folder, require_regular, work_folder
from .from_e57 import read_e57
from .from_las import las_facts, read_las
from .poses import REACH_M
from .tiles import write_tiles

READERS = {".las": read_las, ".laz": read_las, ".e57": read_e57}
FACTS = "survey.json"  # in a folder of tiles
FACTS_MOST = 16 << 20  # bytes: some systems come with long descriptions
TILE_M = 0.1, 1e6  # smallest and largest edge, as of ndt-bench map cut


def convert_map(file, out, say, tile_m=None):
    """Writes the PCD `out` and, beside it, `out` with .json; with tile_m the new folder `out` of tiles so wide, with FACTS in it."""
    read = READERS.get(file.suffix.lower())
    if read is None:
        raise Fault(file, "", f"unknown map format '{file.suffix}'",
                    f"supported: {', '.join(READERS)}; ndt-bench reads .pcd, .ply and .bin itself")
    if tile_m is None and out.suffix.lower() != ".pcd":
        raise UsageFault("--out", "", f"'{out.name}' is no .pcd", "give the name of a PCD file, or --tiles for a folder of tiles")
    if tile_m is not None and not TILE_M[0] <= tile_m <= TILE_M[1]:
        raise UsageFault("--tiles", "", f"{tile_m:g} m", f"give an edge of {TILE_M[0]:g} to {TILE_M[1]:g} m")
    if tile_m is None:
        _require_own(out.with_suffix(".json"))
    if file.exists():
        require_regular(file)
    with new_folder(out) if tile_m else _put_beside(out) as work:
        said = bounded(file, lambda _: _converted(file, *read(file), work if tile_m else work / out.name, tile_m), say)
    say(f"{out}: {said}; the facts are in {_facts_file(out, tile_m)}")


@contextmanager
def _put_beside(out):
    """Gives a folder for `out` and its facts, which take their places when the block ends. Nothing is left if it fails."""
    with work_folder(out) as work:
        yield work
        for file in (out, out.with_suffix(".json")):
            (work / file.name).replace(file)


def _require_own(facts):
    """Refuses to replace a file that another program wrote."""
    if facts.exists() and not _table_in(facts):
        raise Fault(facts, "", "would be replaced by the map's facts, and does not hold such facts", "move it away, or give another --out")


def _converted(file, points, facts, out, tile_m):
    """Writes the map; returns what is said of it."""
    points, facts = _checked(file, points, facts)
    said = _write_tiles(out, points, facts, tile_m) if tile_m else _write_cloud(out, points, facts)
    return f"{len(points)} points{said}, coordinate system {facts['crs'] or 'not named'}"


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
        if table := _table_in(file):
            return {key: table[key] for key in ("crs", "crs_wkt") if isinstance(table.get(key), str)}
    return {}


def _table_in(file):
    """The facts that convert_map wrote into the file; None if it holds something else."""
    try:
        table = json.loads(file.read_text(encoding="utf-8")) if file.is_file() and file.stat().st_size < FACTS_MOST else None
    except (OSError, ValueError, RecursionError):
        return None
    return table if isinstance(table, dict) and {"source", "points"} <= set(table) else None


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


def _write_tiles(folder, points, facts, tile_m):
    finite = np.isfinite(points).all(axis=1)
    tiles, size_m = write_tiles(folder, points if finite.all() else points[finite], tile_m)
    _write_facts(folder / FACTS, facts | {"points_not_finite": int(np.count_nonzero(~finite))})
    return f" in {tiles} tiles of {size_m:g} m"


def _write_facts(file, facts):
    file.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
