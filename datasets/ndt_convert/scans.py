"""Puts scans into a dataset: without no-return points, and without scans that cannot be used. What is left out is counted and named."""

import hashlib
import os
import shutil
from itertools import groupby

import numpy as np

from . import live_line
from .clouds import KEPT_FORMATS, finite, seconds_of, write_part, write_pcd
from .faults import Fault
from .library import CAUSES, FAR_M, no_returns, read_points
from .map_frame import moved_back
from .recording import Scan
from .voxel_map import centroids

DENSE = 30_000  # points of a scan
FROZEN = 3  # scans in a row with the same points


class AllNoReturns(Fault):
    """A scan without a return, as some drivers begin a recording with."""


def put(scans, folder, keep, poses, options, say):
    """Puts those of the scans that the mask keeps into the folder, numbered, and takes from the mask those that cannot be used. Returns
    the scans there. poses: (n, 4, 4) of the scanner where its points are in the map's frame, else None. Refuses the recording if more than
    half cannot be used, or the first, unless it merely has no returns."""
    counts = np.zeros(len(CAUSES) + 1, np.int64)
    faults, digests, sizes, out, given = [], [], [], [], np.count_nonzero(keep)
    for i in live_line.counted(np.flatnonzero(keep), "checking scans"):
        try:
            points, found = _examined(scans[i], None if poses is None else poses[i], options)
        except Fault as fault:
            faults.append((i, fault))
            if (i == 0 and not isinstance(fault, AllNoReturns)) or 2 * len(faults) > given:
                raise faults[0][1] from None
            keep[i] = False
            continue
        counts += np.bincount(found[np.isfinite(points).all(axis=1)], minlength=len(counts))
        sizes.append(np.count_nonzero(found == 0))
        digests.append((_digest(points), f"scan {i} ({scans[i].origin})"))
        file = _placed(scans[i].file, folder / f"{len(out):06d}", points, found == 0, poses is not None, options)
        out.append(Scan(file, scans[i].origin))
    _remove_all_but(out, folder)
    _say_faults(faults, say)
    _say_no_returns(counts, say)
    _say_frozen(digests, say)
    _say_dense(sizes, options, say)
    return out


def _examined(scan, pose, options):
    """(its points in the scanner's frame, the cause of each by no_returns). Refuses a scan without a point that could be a return."""
    points = read_points(scan.file, options.bin_fields)
    if pose is not None:
        points = moved_back(points, pose)
    returned = finite(points)
    if len(returned) and (np.abs(returned) >= FAR_M).any(axis=1).all():
        raise Fault(scan.origin, "", f"all its {len(returned)} points are {FAR_M:g} m away or farther", "record it again")
    if options.keep_no_returns:
        return points, np.zeros(len(points), np.uint8)
    found = no_returns(points)
    if len(returned) and np.count_nonzero(found) == len(returned):
        raise AllNoReturns(scan.origin, "", f"all its {len(returned)} points are no returns", "give --keep-no-returns if they are real")
    return points, found


def _placed(source, place, points, kept, moved, options):
    """Puts the source there, with its ending, and returns the file: the source itself where nothing of it is changed."""
    kind = source.suffix.lower()
    if moved or options.thin:
        file = place.with_suffix(".pcd")
        write_pcd(file, *_thinned(points[kept], _times(source, kept), options.thin))
    elif kind not in KEPT_FORMATS or not kept.all():
        file = place.with_suffix(kind if kind in KEPT_FORMATS else ".pcd")
        write_part(source, file, points, kept, options.bin_fields)
    else:
        file = place.with_suffix(kind)
        _link(source, file)
    return file


def _times(source, kept):
    seconds = seconds_of(source) if source.suffix.lower() == ".pcd" else None
    return None if seconds is None else seconds[kept]


def _thinned(points, seconds, edge_m):
    """Returns what write_pcd takes of the points: where an edge is given, the mean of the points in each cube of it."""
    if not edge_m:
        return points, None, seconds
    columns = centroids(points if seconds is None else np.column_stack([points, seconds]), edge_m)
    return columns[:, :3], None, None if seconds is None else columns[:, 3]


def _link(source, file):
    """Makes the file a second name of the source, or a copy where the file system has no such names."""
    if source.parent == file.parent:
        source.rename(file)
        return
    try:
        os.link(source.resolve(), file)
    except OSError:
        shutil.copyfile(source, file)


def _remove_all_but(scans, folder):
    """Removes the scans of a bag that were left out."""
    for file in set(folder.iterdir()) - {scan.file for scan in scans}:
        file.unlink()


def _digest(points):
    """None for an empty scan."""
    return hashlib.sha256(points.tobytes()).digest() if len(points) else None


def _say_faults(faults, say):
    if faults:
        more = f" (and {len(faults) - 1} more)" if len(faults) > 1 else ""
        say(f"{len(faults)} unusable scan{'s' if len(faults) > 1 else ''} left out: scan {faults[0][0]}{more}: {faults[0][1]}")


def _say_no_returns(counts, say):
    if counts[1:].any():
        share = 100 * counts[1:].sum() / counts.sum()
        causes = ", ".join(f"{count:,} {cause}" for cause, count in zip(CAUSES, counts[1:]) if count)
        say(f"left out {f'{share:.0f}' if share >= 1 else 'less than 1'} % of the points as no returns: {causes}; --keep-no-returns keeps them")


def _say_frozen(digests, say):
    runs = [[name for _, name in run] for digest, run in groupby(digests, key=lambda scan: scan[0]) if digest]
    frozen = [run for run in runs if len(run) >= FROZEN]
    if frozen:
        more = f"; this happens {len(frozen)} times" if len(frozen) > 1 else ""
        say(f"{len(frozen[0])} scans in a row hold the same points, from {frozen[0][0]} on: a frozen sensor? they were kept{more}")


def _say_dense(sizes, options, say):
    """A localisation has its own filters, and says so itself."""
    if sizes and np.median(sizes) > DENSE and not (options.thin or options.scan_voxel or options.keep_frames):
        say(f"scans have {np.median(sizes):.0f} points (median); --scan-voxel 1 thins them at every alignment, which is several times faster")
