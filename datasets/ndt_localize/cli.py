"""The command line: what ndt-bench localize knows is passed on, bags are converted first, MCAP is written afterwards."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from ndt_convert import bag_files
from ndt_convert.cli import reported
from ndt_convert.ending import call
from ndt_convert.faults import EXIT_USAGE, Fault, UsageFault, printable

from . import base, frames, mcap_file, preset, rerun_file, results, sources, view_page
from .bag import converted, say, start_of

PROGRAM = "ndt_localize"
LOCALISED = (0, 4)  # exit codes of ndt-bench localize that leave results: done, and ended lost
OF_BAGS = {  # options of ndt_convert
    "--topic": "its PointCloud2 or Livox CustomMsg (default: the only or the largest); with A,B the scans of B join those of A by tf",
    "--every": "take every N-th scan", "--max-scans": "stop after N scans",
    "--odometry-topic": "Odometry, PoseStamped or PoseWithCovarianceStamped that predicts", "--odometry-tf": "or a frame of tf, such as odom",
    "--imu-topic": "Imu that turns the prediction, and deskews", "--twist-topic": "TwistStamped, TwistWithCovarianceStamped, Odometry or "
                   "VelocityReport: wheels",
    "--gnss-topic": "NavSatFix, or poses in the map, that pull along the heading", "--map-origin": "for NavSatFix: LAT,LON,HEIGHT of the map's origin",
    "--map-crs": "for NavSatFix: the map's grid, EPSG:32654 or mgrs:54SUE", "--map-projector-info": "for NavSatFix: Autoware's map_projector_info.yaml",
    "--pose-topic": "true poses, to measure errors against", "--pose-tf": "or a frame of tf, such as map",
    "--body-from-scan": "4x4 matrix: place of the scanner on the body that has the poses (default: by tf)",
    "--longest-gap": "interpolate between poses no farther apart (0.5 s)"}
MORE_OF_BAGS = ("--frame", "--receive-time")

PARTICLES = "--debug-particles"
OF_EXPORTS = {"cloud_points": 20000, "map_frame": None, "base_frame": None}


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(EXIT_USAGE, f"{PROGRAM}: {printable(message)}; see ./run localize --help\n")


def main(arguments):
    return reported(PROGRAM, lambda: _run(arguments), _kept(arguments))


def _kept(arguments):
    if any(word.split("=")[0] == "--preset" for word in arguments):
        return "the runs that have a folder are kept; the same command makes the others"
    return "poses and diagnostics of the scans so far are kept; recordings are not"


def parser():
    p = _Parser(prog="./run localize", allow_abbrev=False, add_help=False, usage="./run localize --scans S --map F --out DIR [options]",
                description="Follow a recording through a map: ndt-bench localize, also for ROS bags.")
    p.add_argument("--bench", required=True, help=argparse.SUPPRESS)
    p.add_argument("-h", "--help", action="store_true", help=argparse.SUPPRESS)
    p.add_argument("--scans", help="what ndt-bench localize takes, or a bag: .bag, .mcap, .db3, one of these with .zstd, a rosbag2 folder, or a "
                   "folder of a bag's parts")
    p.add_argument("--map", type=Path, help="cloud to localise in (also .las, .laz, .e57), folder of tiles, or their metadata")
    p.add_argument("--out", type=Path, help="folder of the poses and the diagnostics")
    g = p.add_argument_group("many at once")
    g.add_argument("--preset", metavar="NAME|FILE", help="localise each run of a list into its own folder in --out, unless the folder "
                   "exists. Other options go to every run. A TOML file, localization: the published runs, or node: all that Autoware's has")
    g.add_argument("--only", action="append", metavar="NAME", help="run only these of the list; * stands for anything; may be repeated")
    g = p.add_argument_group("for a bag")
    for name, help_text in OF_BAGS.items():
        g.add_argument(name, help=help_text)
    g.add_argument("--frame", action="append", metavar="NAME", help="for topics with several senders: the one with this frame_id or child_frame_id; "
                   "may be repeated")
    g.add_argument("--receive-time", action="store_true", help="times of the recording instead of those in the messages")
    g = p.add_argument_group("recordings of the result")
    g.add_argument("--mcap", type=Path, metavar="FILE", help="write tf, clouds, Autoware's topics and diagnostics for ROS 2 and Foxglove")
    g.add_argument("--rerun", type=Path, metavar="FILE", help="write poses, path, clouds and scores for Rerun, if its Python package is installed")
    g.add_argument("--view", type=Path, metavar="FILE", help="write an HTML page in three dimensions: map, truth, every pose by its verdict")
    g.add_argument("--open", action="store_true", help="show the page of --view in a browser")
    g.add_argument("--cloud-points", type=int, metavar="N", help="at most this many points of a scan, every n-th (20000)")
    g.add_argument("--map-frame", help="name of the map's frame (the parameter file's, or map)")
    g.add_argument("--base-frame", help="frame whose poses are recorded (the parameter file's, or base_link), for a bag also in poses_base.tum, "
                   "if its tf places the scanner on it; else the name of the scanner's frame (its frame_id, or base_link)")
    return p


def _run(arguments):
    own, passed = parser().parse_known_args(arguments)
    if own.help:
        parser().print_help()
        print("\nand those of ndt-bench localize:\n", flush=True)
        return subprocess.call([own.bench, "localize", "--help"])
    bag = own.scans is not None and bag_files.is_bag(Path(own.scans))
    if own.every and not bag:  # ndt-bench has it, too
        passed, own.every = [*passed, f"--every={own.every}"], None
    if own.preset is not None:
        return _preset(own, passed)
    if own.only:
        raise UsageFault("--only", "", "requires --preset", "give one, or remove it")
    given = [name for name in (*OF_BAGS, *MORE_OF_BAGS) if _value(own, name)]
    if given and not bag:
        raise UsageFault(", ".join(given), "", f"requires a bag; --scans is {own.scans or 'missing'}", "give a bag, or remove the option")
    exports = _exports(own, bag)
    if not bag and not exports and not own.view:
        os.execv(own.bench, [own.bench, "localize", *arguments[arguments.index(own.bench) + 1:]])
    missing = [name for name in ("scans", "out", *(["map"] if bag else [])) if getattr(own, name) is None]
    if missing:
        raise UsageFault("usage", "", f"--{missing[0]} is missing", "bags, --mcap, --rerun and --view need --scans, --out and a map")
    own.bin_fields = sources.bin_fields(own.scans, passed)
    return _follow(own, exports, bag, given, passed)


def _follow(own, exports, bag, given, passed):
    """One localisation, of a bag or with recordings of the result."""
    tiled = sources.is_tiled(own.map)
    if not bag:
        return _localize(own, exports, own.scans, [*(["--map", str(own.map)] if own.map else []), *passed], None)
    options = [word for name in given for word in _words(own, name)]
    options += [word for word in passed if word == "--keep-no-returns"]  # the converter would leave them out first
    with converted(Path(own.scans), own.map, tiled, own.out, options) as (dataset, of_bag):
        start = start_of(dataset, passed)
        return _localize(own, exports, str(dataset), [*(["--map", str(own.map)] if tiled else []), *start, *passed], of_bag)


def _preset(own, passed):
    given = [name for name in ("--scans", "--map", *OF_BAGS, *MORE_OF_BAGS, "--mcap", "--rerun", "--view", "--open") if _value(own, name)]
    if given:
        raise UsageFault(", ".join(given), "", "cannot be used with --preset, which makes many localisations", "remove it")
    if own.out is None:
        raise UsageFault("usage", "", "--out is missing", "give the folder for the runs of the preset")
    return preset.make(own.preset, own.bench, own.out, own.only or [], passed)


def _value(own, name):
    return getattr(own, name[2:].replace("-", "_"))


def _words(own, name):
    """The option as it was given."""
    value = _value(own, name)
    return [name] if value is True else [f"{name}={one}" for one in (value if isinstance(value, list) else [value])]


def _exports(own, bag):
    """(file, module that writes it) of what is wanted. Fills defaults in; what would make it impossible is said before the work."""
    wanted = [(f"--{name}", getattr(own, name), writer) for name, writer in (("mcap", mcap_file), ("rerun", rerun_file)) if getattr(own, name)]
    for name, default in OF_EXPORTS.items():
        if not wanted and getattr(own, name) is not None and not (bag and name == "base_frame"):
            raise UsageFault(f"--{name}".replace("_", "-"), "", "requires --mcap or --rerun", "give one of them, or leave it out")
        setattr(own, name, default if getattr(own, name) is None else getattr(own, name))
    for option, file, writer in wanted:
        writer.require_library()
        _require_place(option, file)
    if own.view:
        view_page.require_library()
        _require_place("--view", own.view)
    elif own.open:
        raise UsageFault("--open", "", "requires --view", "give one, or remove it")
    if own.cloud_points < 1:
        raise UsageFault("--cloud-points", "", f"{own.cloud_points}", "give 1 or more")
    return [(file, writer) for _, file, writer in wanted]


def _require_place(option, file):
    if file.exists():
        raise Fault(file, "", "exists", f"give another {option}, or move it away")
    if not file.absolute().parent.is_dir():
        raise Fault(file.parent, "", "is not a folder", f"make it, or give another {option}")


def _localize(own, exports, scans, passed, of_bag):
    if exports and PARTICLES not in passed:
        passed = [*passed, PARTICLES]
    code = call([own.bench, "localize", "--scans", scans, "--out", str(own.out), *passed])
    if code not in LOCALISED:
        return code
    own.setting = results.setting(own.out)
    usual = own.setting["frames"]["base"] or frames.BASE
    found, body = base.moved(results.read(own.out), own.base_frame, usual, of_bag, own.out, say)
    own.frames = frames.names(own.setting, own.map_frame, body, of_bag)
    if exports:
        _record(own, exports, scans, found)
    if own.view:
        return view_page.write(own.view, own.out, own.open) or code
    return code


def _record(own, exports, scans, found):
    clouds, map_cloud = sources.scan_files(scans), own.map or sources.map_file(scans)
    if sources.is_tiled(own.map):
        map_cloud = own.out / results.MAP
    if not clouds:
        print(f"{PROGRAM}: no clouds are recorded: where the scans of {printable(scans)} lie is not known; give their folder", file=sys.stderr)
    for file, writer in exports:
        writer.write(file.absolute(), found, clouds, map_cloud, own)
        print(f"recorded in      {printable(file)}, {file.stat().st_size / 2**20:.1f} MiB")
