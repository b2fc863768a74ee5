"""python3 -m ndt_report.gpubench FOLDER: the medians of what ndt-gpubench printed, and the time of a map over its points.

Reads the *.jsonl files in FOLDER, packed or not, each the standard output of an ndt-gpubench, and writes summary.csv and
figures/map_build.svg there. Exits with 1 for wrong words, with 2 where there is no measurement of a map.
"""

import json
import sys
from pathlib import Path

import pandas as pd

from .page.compact_svg import compact
from .page_numbers import number
from .figures.style import finish, log_axis, panels
from .figures.svg import picture_of
from .page.write import csv_text
from .read.files import MOST_JSON_BYTES, content, packed_files

COUNTS = ["calls", "allocations", "waits", "peak_bytes"]
MAP = "map_build_host_clock"


def summary(folder: Path) -> pd.DataFrame:
    """A row for every measurement of every file: run (the file), name, points, voxels, median_us, and COUNTS."""
    rows = []
    packed = (folder / name for name in packed_files(folder) if "/" not in name and name.endswith(".jsonl"))
    for path in sorted({*folder.glob("*.jsonl"), *packed}):
        for one in map(json.loads, content(path, MOST_JSON_BYTES).decode("utf-8").splitlines()):
            median = pd.Series(one["samples_us"], dtype=float).median()
            rows.append({"run": path.stem, "name": one["name"], "points": one["points"], "voxels": one["voxels"],
                         "median_us": round(median, 1), **{name: one[name] for name in COUNTS}})
    return pd.DataFrame(rows, columns=["run", "name", "points", "voxels", "median_us", *COUNTS])


def drawing(table: pd.DataFrame) -> str:
    maps = table[table.name == MAP].groupby("points", as_index=False).median_us.median()  # over the runs
    figure, axes = panels(1, height_in=3.6)
    axes[0].plot(maps.points / 1e6, maps.median_us / 1000, marker="o")
    for points, us in zip(maps.points, maps.median_us):
        axes[0].annotate(f"{number(us / 1000)} ms", (points / 1e6, us / 1000), xytext=(-4, 7), textcoords="offset points", ha="right")
    log_axis(axes[0].xaxis)
    log_axis(axes[0].yaxis)
    axes[0].margins(x=0.35, y=0.2)
    axes[0].set_xlabel("points of the cloud on the device, millions")
    axes[0].set_ylabel("voxel map, ms")
    return compact(picture_of(finish(figure, axes), "map_build").file)


def main(words) -> int:
    if len(words) != 1 or words[0].startswith("-"):
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 1
    folder = Path(words[0])
    table = summary(folder)
    if MAP not in set(table.name):
        print(f"ndt_report.gpubench: {folder}: no *.jsonl file there has a {MAP}; keep what ndt-gpubench prints in one", file=sys.stderr)
        return 2
    (folder / "summary.csv").write_text(csv_text(table))
    (folder / "figures").mkdir(exist_ok=True)
    (folder / "figures/map_build.svg").write_text(drawing(table))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
