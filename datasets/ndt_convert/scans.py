"""Puts scans into a dataset: without no-return points, and without scans that cannot be used. What is left out is counted and named."""

import hashlib
import shutil
from itertools import groupby

import numpy as np

from . import no_returns
from .clouds import read_points, write_part
from .faults import Fault
from .recording import Scan

FROZEN = 3  # scans in a row with the same points


class AllNoReturns(Fault):
    """A scan without a return, as some drivers begin a recording with."""


def put(scans, folder, keep, options, say):
    """Puts those of the scans that the mask keeps into the folder, numbered, and takes from the mask those that cannot be used. Returns
    the scans there. Refuses the recording if more than half cannot be used, or the first, unless it merely has no returns."""
    counts = np.zeros(len(no_returns.CAUSES) + 1, np.int64)
    faults, digests, out, given = [], [], [], np.count_nonzero(keep)
    for i in np.flatnonzero(keep):
        try:
            points, found = _examined(scans[i], options)
        except Fault as fault:
            faults.append((i, fault))
            if (i == 0 and not isinstance(fault, AllNoReturns)) or 2 * len(faults) > given:
                raise faults[0][1] from None
            keep[i] = False
            continue
        counts += np.bincount(found[np.isfinite(points).all(axis=1)], minlength=len(counts))
        digests.append((_digest(points), f"scan {i} ({scans[i].origin})"))
        out.append(_placed(scans[i], folder / f"{len(out):06d}{scans[i].file.suffix.lower()}", points, found == 0, options))
    _remove_all_but(out, folder)
    _say_faults(faults, say)
    _say_no_returns(counts, say)
    _say_frozen(digests, say)
    return out


def _examined(scan, options):
    """(its points, the cause of each by no_returns). Refuses a scan without a point that could be a return."""
    points = read_points(*scan, options.bin_fields)
    finite = points[np.isfinite(points).all(axis=1)]
    if len(finite) and (np.abs(finite) >= no_returns.FAR_M).any(axis=1).all():
        raise Fault(scan.origin, "", f"all its {len(finite)} points are {no_returns.FAR_M:g} m away or farther", "record it again")
    if options.keep_no_returns:
        return points, np.zeros(len(points), np.uint8)
    found = no_returns.causes(points)
    if len(finite) and np.count_nonzero(found) == len(finite):
        raise AllNoReturns(scan.origin, "", f"all its {len(finite)} points are no returns", "give --keep-no-returns if they are real")
    return points, found


def _placed(scan, file, points, kept, options):
    """The scan as that file: its own where all points are kept."""
    if not kept.all():
        write_part(scan.file, file, points, kept, options.bin_fields)
    elif scan.file.parent == file.parent:
        scan.file.rename(file)
    else:
        shutil.copyfile(scan.file, file)
    return Scan(file, scan.origin)


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
        causes = ", ".join(f"{count:,} {cause}" for cause, count in zip(no_returns.CAUSES, counts[1:]) if count)
        say(f"left out {f'{share:.0f}' if share >= 1 else 'less than 1'} % of the points as no returns: {causes}; --keep-no-returns keeps them")


def _say_frozen(digests, say):
    runs = [[name for _, name in run] for digest, run in groupby(digests, key=lambda scan: scan[0]) if digest]
    frozen = [run for run in runs if len(run) >= FROZEN]
    if frozen:
        more = f"; this happens {len(frozen)} times" if len(frozen) > 1 else ""
        say(f"{len(frozen[0])} scans in a row hold the same points, from {frozen[0][0]} on: a frozen sensor? they were kept{more}")
