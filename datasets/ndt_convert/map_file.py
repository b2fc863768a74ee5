"""Surveyors' maps as one PCD: LAS, LAZ and E57. Coordinates stay those of the file, which must be metres; what else the file says of
them is kept beside the cloud."""

import json

from .clouds import write_pcd
from .faults import Fault, UsageFault
from .from_e57 import read_e57
from .from_las import read_las

READERS = {".las": read_las, ".laz": read_las, ".e57": read_e57}


def convert_map(file, out, say):
    """Writes `out` and, beside it, `out` with .json."""
    read = READERS.get(file.suffix.lower())
    if read is None:
        raise Fault(file, "", f"unknown map format '{file.suffix}'",
                    f"supported: {', '.join(READERS)}; ndt-bench reads .pcd, .ply and .bin itself")
    if out.suffix.lower() != ".pcd":
        raise UsageFault("--out", "", f"'{out.name}' is no .pcd", "give the name of a PCD file")
    points, facts = read(file)
    if len(points) != facts["points"]:
        raise Fault(file, "", f"{facts['points']} points declared, {len(points)} found", "the file is cut off, export the cloud again")
    if not len(points):
        raise Fault(file, "", "has no points", "give another")
    write_pcd(out, points)
    out.with_suffix(".json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    say(f"{out}: {len(points)} points, coordinate system {facts['crs'] or 'not named'}; the facts are in {out.with_suffix('.json')}")
