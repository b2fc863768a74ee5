"""A bag as a dataset, for as long as it is localised."""

import re
import shutil
import tempfile
import tomllib
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from ndt_convert import live_line
from ndt_convert.cli import parser as converter
from ndt_convert.cli import prepared
from ndt_convert.clouds import write_pcd
from ndt_convert.convert import convert
from ndt_convert.poses import read_times, read_tum
from ndt_convert.faults import printable


@contextmanager
def converted(bag, map_file, tiled, out, options):
    """The folder of a dataset beside `out`, removed at the end, and the bag's Frames. Its name is the bag's.
    A map in tiles goes to ndt-bench; that of the dataset is then a single point, since a dataset with poses in a map must have one."""
    out.absolute().parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f".{out.name}.", dir=out.absolute().parent))
    try:
        name = re.sub("[^a-z0-9]+", "_", bag.resolve().stem.lower()).strip("_")[:64] or "bag"
        own = work / "point.pcd" if tiled else map_file
        if tiled:
            write_pcd(own, np.zeros((1, 3)))
        asked = prepared(converter().parse_args([str(bag), f"--out={work / name}", f"--name={name}", f"--map={own}", *options]))
        asked.surveyed_map, asked.keep_frames = map_file, True
        frames = convert(asked, lambda line: say(line.replace(f"{work}/", "")))
        yield work / name, frames
    finally:
        shutil.rmtree(work, ignore_errors=True)


def say(line):
    live_line.end()
    print(f"bag              {printable(line)}", flush=True)


def start_of(dataset, passed):
    """Options that say where the first scan is, if the caller gave none and the bag has no true poses: the first GNSS position,
    else the map's origin, which is where the maps of many drives begin."""
    table = tomllib.loads((dataset / "dataset.toml").read_text(encoding="utf-8"))
    given = any(word.split("=")[0] in ("--init", "--guess") for word in passed)
    if given or "truth" in table:
        return []
    middle, why = np.zeros(3), "the map's origin, since nothing says where it is; give --init or --guess if that is wrong"
    if "gnss" in table:
        times, positions = read_tum(dataset / "gnss.tum", (8, 11))
        first = np.abs(times - read_times(dataset / "times.txt")[0]).argmin()
        middle, why = positions[first, :3, 3], "the GNSS position nearest to it in time"
    say(f"the first scan is searched around {why}")
    return ["--init", "search", "--guess", ",".join(repr(float(x)) for x in (*middle, 0, 0, 0))]
