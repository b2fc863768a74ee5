"""The command line."""

import argparse
import errno
import re
import sys
from pathlib import Path

from . import live_line, stamps
from .bag_files import is_bag
from .clouds import FORMATS, WIDTHS
from .convert import convert
from .ending import end_by_interrupt
from .from_evalio import is_sequence
from .faults import EXIT_OK, EXIT_USAGE, Fault, UsageFault, printable
from .map_file import convert_map
from .verify import verify

PROGRAM = "ndt_convert"
REMEDIES = dict.fromkeys((errno.ENOSPC, errno.EDQUOT), "make room, or choose another --out") | {errno.EROFS: "choose another --out"}
DESCRIPTION = "Make a dataset folder for ndt-bench out of a folder of scans or a ROS bag."
EPILOG = """exit codes: 0 ok, 1 usage, 2 bad input; single messages that cannot be used are left out and counted, with 0

examples:
  python3 -m ndt_convert drive/ --poses drive.tum --build-map even --out my_drive
  python3 -m ndt_convert velodyne/ --poses 00.txt --calib calib.txt --stamps times.txt --every 5 --out kitti
  python3 -m ndt_convert recording.mcap --odometry-tf odom --gnss-topic /fix --map-crs EPSG:32632 --map map.pcd --out my_drive
  python3 -m ndt_convert recording.mcap --pose-topic /odometry --map map.pcd --out my_site
  python3 -m ndt_convert map site.laz --out site.pcd
  python3 -m ndt_convert verify all
"""


class _Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(EXIT_USAGE, f"{PROGRAM}: {printable(message)}; see python3 -m ndt_convert --help\n")


def main(arguments):
    return reported(PROGRAM, lambda: _run(arguments), "what was there before is unchanged, and nothing is added")


def reported(program, work, kept):
    """The exit code of the work, after a line under the program's name if it could not be done. Ctrl-C prints what is kept, and ends
    this process as a shell expects it."""
    try:
        return work()
    except KeyboardInterrupt:
        live_line.draw("")  # takes the terminal's ^C away
        live_line.end()
        print(f"{program}: interrupted: {kept}", file=sys.stderr)
        end_by_interrupt()
    except Fault as fault:
        live_line.end()
        print(f"{program}: {fault}", file=sys.stderr)
        return fault.exit_code
    except OSError as error:  # a full disk, a folder that cannot be written
        live_line.end()
        name = printable(error.filename or "the folder of --out")
        print(f"{program}: {name}: {error.strerror}; {REMEDIES.get(error.errno, 'check the path and its permissions')}", file=sys.stderr)
        return Fault.exit_code


def _run(arguments):
    if arguments[:1] == ["verify"]:
        return _verify(arguments[1:])
    if arguments[:1] == ["map"]:
        return _convert_map(arguments[1:])
    convert(prepared(parser().parse_args(arguments)), _say)
    return EXIT_OK


def _say(line):
    live_line.end()
    print(f"{PROGRAM}: {printable(line)}")


def _verify(arguments):
    about = "Check the files of datasets under NDT_DATASETS against the catalogue."
    verifier = _Parser(prog=f"{PROGRAM} verify", description=about)
    verifier.add_argument("name", metavar="NAME|all")
    return verify(verifier.parse_args(arguments).name, lambda line: print(printable(line)))


def _convert_map(arguments):
    p = _Parser(prog=f"{PROGRAM} map", description="Make a PCD, or tiles, of a map in LAS, LAZ or E57. Needs the Python packages laspy and "
                                                   "lazrs, or pye57.")
    p.add_argument("input", type=Path, metavar="FILE", help=".las, .laz or .e57, in metres")
    p.add_argument("--out", type=Path, required=True, metavar="FILE|DIR",
                   help=".pcd, an older one is replaced; with --tiles a folder, which must not exist or be empty")
    p.add_argument("--tiles", type=_positive, metavar="M",
                   help="write square tiles of this edge, 0.1 to 1e6, with Autoware's metadata; the edge doubles until there are at most "
                        "65,536 tiles")
    options = p.parse_args(arguments)
    convert_map(options.input, options.out, _say, options.tiles)
    return EXIT_OK


def parser():
    p = _Parser(prog=f"python3 -m {PROGRAM}", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False,
                formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("input", type=Path, metavar="INPUT",
                   help=f"folder of {FORMATS} scans; a bag: .bag, .mcap, .db3, one of these with .zstd, or a rosbag2 folder; or "
                        "evalio:DATASET/SEQUENCE, if the Python package evalio is installed")
    p.add_argument("--out", type=Path, required=True, metavar="DIR", help="folder to make; must not exist or be empty")
    p.add_argument("--name", help="[a-z0-9_]+ (default: from DIR)")
    p.add_argument("--description", help="one line")
    p.add_argument("--kind", choices=["scan_to_map", "sequence", "pair"],
                   help="default: scan_to_map with a map, else sequence")
    p.add_argument("--licence", default="your own data", help="what others may do with the data")
    p.add_argument("--source", help="where the data come from (default: INPUT)")

    g = p.add_argument_group("scans")
    g.add_argument("--topic", metavar="TOPIC[,TOPIC]", help="PointCloud2 or Livox CustomMsg topic of a bag (default: the only or the largest); "
                   "with A,B the nearest scan of lidar B joins each scan of A, moved by tf")
    g.add_argument("--frame", action="append", metavar="NAME", help="for topics with several senders: the one with this frame_id or "
                   "child_frame_id; may be repeated")
    g.add_argument("--receive-time", action="store_true", help="times of the recording instead of those in the messages")
    g.add_argument("--stamps", type=Path, metavar="FILE", help="times of a folder's scans, one a line")
    g.add_argument("--stamp-unit", choices=stamps.UNITS, help="unit of --stamps, else of the times in --poses (default: by their median step)")
    g.add_argument("--order", choices=["number", "name"], default="number", help="order of a folder's scans: scan_2 before scan_10, or by letter "
                   "(number)")
    g.add_argument("--keep-no-returns", action="store_true", help="keep points that mark missing returns: zeros, sentinels, the same point or "
                   "largest range in more than 1 %% of a scan")
    g.add_argument("--bin-fields", type=int, choices=WIDTHS, metavar="N", help="float32 values of a point in .bin files, x y z first, 3 to 6 (4)")
    g.add_argument("--points-in", choices=["scanner", "map"], help="frame of the scans' points; those in the map's are moved back by the poses "
                   "(default: map if the points follow poses of 10 m or more)")
    g.add_argument("--thin", type=_positive, metavar="M", help="one point per occupied cube of this edge, as --scan-voxel does at every alignment")
    g.add_argument("--every", type=_count, default=1, metavar="N", help="take every N-th scan")
    g.add_argument("--max-scans", type=_count, metavar="N", help="stop after N scans")

    g = p.add_argument_group("true poses (map_from_scan)")
    g.add_argument("--poses", type=Path, metavar="FILE", help="TUM or KITTI poses: one a scan, or TUM poses at other times")
    g.add_argument("--poses-format", choices=["tum", "kitti"], help="default: by the number of columns")
    g.add_argument("--pose-topic", metavar="TOPIC",
                   help="topic of a bag: Odometry, PoseStamped or PoseWithCovarianceStamped")
    g.add_argument("--pose-tf", metavar="FRAME", help="poses of the scans' frame in this one by a bag's tf, such as map")
    g.add_argument("--calib", type=Path, metavar="FILE", help="KITTI calib.txt, for poses of camera 0")
    g.add_argument("--body-from-scan", type=Path, metavar="FILE",
                   help="4x4 matrix: place of the sensor on the body that has the poses")
    g.add_argument("--time-offset", type=float, default=0.0, metavar="S", help="added to the times of --poses")
    g.add_argument("--longest-gap", type=_positive, default=0.5, metavar="S",
                   help="interpolate between poses no farther apart (0.5)")
    g.add_argument("--truth-quality", default="as given; not checked", metavar="TEXT",
                   help="origin and quality of the poses")
    g.add_argument("--truth-accuracy", type=_not_negative, default=0.05, metavar="M",
                   help="errors below this are not significant (0.05)")

    _add_other_sensors(p)
    _add_map_and_alignment(p)
    return p


def _add_other_sensors(p):
    g = p.add_argument_group("other sensors of a bag, for ndt-bench localize")
    g.add_argument("--odometry-topic", metavar="TOPIC", help="Odometry, PoseStamped or PoseWithCovarianceStamped, in a world of its own")
    g.add_argument("--odometry-tf", metavar="FRAME", help="poses of the scans' frame in this one by tf, such as odom")
    g.add_argument("--imu-topic", metavar="TOPIC", help="Imu, turned to the scanner by tf")
    g.add_argument("--twist-topic", metavar="TOPIC",
                   help="TwistStamped, TwistWithCovarianceStamped, Odometry or VelocityReport, moved to the scanner by tf")
    g.add_argument("--gnss-topic", metavar="TOPIC", help="NavSatFix, or poses in the map of a type that --odometry-topic allows")
    g.add_argument("--map-origin", type=_place, metavar="LAT,LON,HEIGHT",
                   help="for NavSatFix: the map's origin on WGS 84, degrees and metres; alone: x is east, y north (--map-origin=-33.9,18.4,0)")
    g.add_argument("--map-crs", metavar="CRS", help="for NavSatFix: the map's grid, EPSG:32654 or mgrs:54SUE (default: that of a surveyor's --map); "
                   "with --map-origin the map begins there")
    g.add_argument("--map-projector-info", type=Path, metavar="FILE", help="for NavSatFix: Autoware's map_projector_info.yaml")


def _add_map_and_alignment(p):
    g = p.add_argument_group("map")
    g.add_argument("--map", type=Path, metavar="FILE", help="cloud to align with, copied as it is")
    g.add_argument("--build-map", type=_build_map, metavar="WHICH",
                   help="build it from scans at their poses: even, first-N or all-but-queries")
    g.add_argument("--map-voxel", type=_positive, default=0.2, metavar="M",
                   help="one point per occupied cube of this edge (0.2)")
    g.add_argument("--map-min-range", type=_not_negative, default=0.0, metavar="M",
                   help="leave nearer points out of the map (0)")
    g.add_argument("--queries", type=_queries, metavar="FIRST[:STEP[:COUNT]]",
                   help="scans to align; scans count from 0 (all; with --build-map those that are not in the map)")

    g = p.add_argument_group("alignment")
    g.add_argument("--guess", choices=["noise", "identity", "odometry"],
                   help="initial guesses (noise around true poses, else identity)")
    g.add_argument("--odometry", type=Path, metavar="FILE", help="TUM, one pose a scan, for --guess odometry")
    g.add_argument("--resolution", type=_positive, metavar="M", help="suitable voxel edge")
    g.add_argument("--scan-voxel", type=_positive, metavar="M", help="voxel grid of each scan before it is aligned")
    g.add_argument("--scan-min-range", type=_not_negative, metavar="M",
                   help="drop nearer points of each scan before it is aligned")
    g.add_argument("--scan-max-range", type=_positive, metavar="M", help="drop farther ones")


def prepared(options):
    """Checked, and with what follows from others."""
    if not is_sequence(options.input) and not options.input.exists():
        raise Fault(options.input, "", "was not found", "check the path")
    if options.input.is_file() and not is_bag(options.input):
        raise Fault(options.input, "", "is not a folder and not a bag (.bag, .mcap, .db3, or one of these with .zstd)",
                    "give the folder of the scans")
    options.name = options.name or re.sub("[^a-z0-9]+", "_", options.out.resolve().name.lower()).strip("_")
    if not re.fullmatch("[a-z0-9_]{1,64}", options.name):
        raise UsageFault("--name", "", f"'{options.name}'", "give a-z, 0-9 and _, at most 64 of them")
    for first, second in [("map", "build_map"), ("poses", "pose_topic"), ("poses", "pose_tf"), ("pose_topic", "pose_tf"),
                          ("odometry_topic", "odometry_tf"), ("odometry", "odometry_topic"), ("odometry", "odometry_tf"),
                          ("calib", "body_from_scan"), ("map_crs", "map_projector_info")]:
        if getattr(options, first) and getattr(options, second):
            raise UsageFault("usage", "", f"--{first} and --{second} exclude each other".replace("_", "-"), "leave one out")
    for name in ("map_origin", "map_crs", "map_projector_info"):
        if getattr(options, name) and not options.gnss_topic:
            raise UsageFault(f"--{name}".replace("_", "-"), "", "requires a NavSatFix topic", "give --gnss-topic, or leave it out")
    options.surveyed_map, options.keep_frames = options.map, False
    if options.stamp_unit and not (options.stamps or options.poses):
        raise UsageFault("--stamp-unit", "", "requires --stamps or --poses", "give one of them, or leave it out")
    with_map = bool(options.map or options.build_map)
    options.kind = options.kind or ("scan_to_map" if with_map else "sequence")
    if with_map == (options.kind == "sequence"):
        raise UsageFault("--kind", "", f"a {options.kind} has {'no' if with_map else 'a'} map",
                         "leave out --map and --build-map, or give --kind scan_to_map" if with_map else "give --map or --build-map")
    if options.calib and options.poses_format == "tum" or (options.calib and not options.poses):
        raise UsageFault("--calib", "", "requires KITTI poses", "give them with --poses, or leave it out")
    if options.build_map == "all-but-queries" and not options.queries:
        raise UsageFault("--build-map", "", "all-but-queries needs --queries", "say which scans are to be aligned")
    if options.points_in == "map" and not (options.poses or options.pose_topic or options.pose_tf or is_sequence(options.input)):
        raise UsageFault("--points-in", "", "map requires the poses by which the points are moved back", "give --poses, --pose-topic or --pose-tf")
    return options


def _number(text, what, good):
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not (good(value) and value < float("inf")):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number {what}")
    return value


def _positive(text):
    return _number(text, "above 0", lambda v: v > 0)


def _not_negative(text):
    return _number(text, "of 0 or more", lambda v: v >= 0)


def _place(text):
    """(latitude, longitude, height)."""
    try:
        latitude, longitude, height = (float(word) for word in text.split(","))
    except ValueError:
        latitude = longitude = height = float("nan")
    if not (abs(latitude) <= 90 and abs(longitude) <= 180 and abs(height) < 1e5):
        raise argparse.ArgumentTypeError(f"'{text}' is not LATITUDE,LONGITUDE,HEIGHT in degrees and metres")
    return latitude, longitude, height


def _count(text):
    if not re.fullmatch("[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number of 1 or more")
    return int(text)


def _build_map(text):
    if not re.fullmatch("even|all-but-queries|first-[1-9][0-9]{0,8}", text):
        raise argparse.ArgumentTypeError(f"unknown '{text}', expected even, first-N or all-but-queries")
    return text


def _queries(text):
    match = re.fullmatch("([0-9]{1,9})(?::([1-9][0-9]{0,8})(?::([1-9][0-9]{0,8}))?)?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is not FIRST, FIRST:STEP or FIRST:STEP:COUNT")
    first, step, count = match.groups()
    return {"first": int(first), "step": int(step or 1)} | ({"count": int(count)} if count else {})
