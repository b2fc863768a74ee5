"""The text of dataset.toml for a converted dataset. The standard library only reads TOML."""

import json
from pathlib import Path

from . import poses, stamps
from .faults import Fault, UsageFault


def description(work, scans, frames, map_name, has_truth, used, options, say):
    """The table of dataset.toml; refuses what the scans do not allow. A file of odometry is put beside it. used: mask of the scans among
    those that were given."""
    if options.kind == "pair" and len(scans) != 1:
        raise UsageFault(options.input, "", f"a pair is one scan and a map, not {len(scans)} scans", "give --max-scans 1")
    if frames is not None and frames["first"] >= len(scans):
        raise UsageFault(options.input, "", f"--queries begins with scan {frames['first']} of {len(scans)}", "scans count from 0")
    if options.kind == "sequence" and len(scans) < 2:
        raise UsageFault(options.input, "", f"a sequence needs at least 2 scans, found {len(scans)}", "give more scans, or a map")
    if options.kind == "sequence" and frames is not None and frames["first"] == 0:
        raise UsageFault(options.input, "", "--queries begins with scan 0, which has no scan before it", "give 1 or more")
    about = options.description or f"{len(scans)} scans of {options.input.name}"
    table = {"format": 1, "name": options.name, "description": about, "kind": options.kind}
    if map_name:
        table["map"] = map_name
    if options.kind == "sequence" and frames is None:
        frames = {"first": 1, "step": 1}  # the first has none before it
    table["scans"] = [f"scans/*{scans[0].file.suffix}"]
    if options.bin_fields:
        if ".bin" not in (Path(scans[0].origin).suffix.lower(), Path(map_name or "").suffix):
            raise UsageFault("--bin-fields", "", "requires .bin files, and there are no such files", "leave it out")
        if ".bin" in (scans[0].file.suffix, Path(map_name or "").suffix):
            table["bin_fields"] = options.bin_fields
    if options.thin:
        table["scan_density"] = f"{options.thin:g} m"
    if options.resolution:
        table["resolution_m"] = options.resolution
    if frames is not None:
        table["frames"] = frames
    if has_truth:
        table["truth"] = {"file": "poses.tum", "format": "tum", "quality": options.truth_quality, "exact": False,
                          "accuracy_m": options.truth_accuracy}
    sensors = [file for file in ("odometry.tum", "gnss.tum", "imu.csv", "twist.csv") if (work / file).exists()]
    if (work / "times.txt").exists():
        table["times"] = {"file": "times.txt"}
    table |= {file.split(".")[0]: {"file": file} for file in sensors}
    table["guess"] = _guess(work, used, has_truth, options, say)
    scan = {key: value for key, value in {"min_range_m": options.scan_min_range, "max_range_m": options.scan_max_range,
                                          "voxel_leaf_m": options.scan_voxel}.items() if value is not None}
    if scan:
        table["preparation"] = {"scan": scan}
    table["provenance"] = {"licence": options.licence, "source": options.source or str(options.input),
                           "obtain": "converted from files of your own with ndt_convert"}
    return table


def _guess(work, used, has_truth, options, say):
    kind = options.guess or ("odometry" if options.odometry else "noise" if has_truth else "identity")
    if kind == "noise" and not has_truth:
        raise UsageFault(options.input, "", "--guess noise is made around the true poses", "give --poses, or --guess identity")
    if (kind == "odometry") != bool(options.odometry):
        raise UsageFault(options.input, "", "--guess odometry and --odometry FILE go together", "give both or neither")
    if kind == "noise":
        return {"kind": "noise", "seed": 1, "count": 1, "xy_sigma_m": 0.3, "z_sigma_m": 0.05, "roll_pitch_sigma_deg": 0.5,
                "yaw_sigma_deg": 2.0}
    if kind == "identity":
        if not options.guess and not options.keep_frames:  # a localisation, which keeps them, has its own start
            origin = "the scan before" if options.kind == "sequence" else "the map's origin"
            say(f"no true poses: every guess is {origin}, and no errors are known; --poses, --pose-topic or --pose-tf gives them")
        return {"kind": "identity"}
    times, found = poses.read_tum(options.odometry)
    if len(found) != len(used):
        raise Fault(options.odometry, "", f"{len(found)} poses for {len(used)} scans",
                    "give one pose a scan of the dataset, in their order")
    times = stamps.in_seconds(times, options.odometry, say, refuse=False)
    poses.write_tum(work / "odometry.tum", times[used], found[used])
    return {"kind": "odometry", "file": "odometry.tum"}


def write_toml(file, table):
    with open(file, "w", encoding="utf-8") as out:
        out.write("\n".join(_lines(table, "")) + "\n")


def _lines(table, path):
    """Values first, then tables, each under its full name."""
    lines = [f"{key} = {_value(value)}" for key, value in table.items() if not isinstance(value, dict)]
    for key, value in table.items():
        if isinstance(value, dict):
            inner = _lines(value, f"{path}{key}.")
            lines += ["", f"[{path}{key}]", *inner] if any(not isinstance(v, dict) for v in value.values()) else inner
    return lines


def _value(value):
    if isinstance(value, str):  # a path may hold bytes that are not UTF-8
        value = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    if isinstance(value, (bool, str, list)):
        return json.dumps(value, ensure_ascii=False)  # TOML's strings and arrays of strings are JSON's
    return repr(value)
