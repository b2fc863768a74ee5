"""Scans of several lidars as one. The first topic is the clock: the nearest scan of every other topic joins its scan, moved by tf."""

import numpy as np

from . import tf
from .clouds import seconds_of, write_pcd
from .faults import Fault
from .library import no_returns, read_points

ALONE_S = 0.05  # the distance in time that is allowed to a single scan


def join(bag, topics, scans, times, frames, options, say):
    """Adds scans of the other topics to the files of the scans, at the times, of the first topic. `frames` are those of the bag."""
    half_s = np.median(np.diff(times)) / options.every / 2 if len(times) > 1 else ALONE_S
    left = sum(_clean(scan, options) for scan in scans)
    for topic in topics[1:]:
        left += _join(bag, topic, scans, times, half_s, frames, options, say)
    if left:
        say(f"{left} points of {', '.join(topics)} were left out as no returns; --keep-no-returns keeps them")


def _clean(scan, options):
    """Takes the no-returns out of the file, where they can still be told, and returns how many they are."""
    points, seconds = read_points(scan.file), seconds_of(scan.file)
    kept = _returns(points, options)
    if not kept.all():
        write_pcd(scan.file, points[kept], seconds=None if seconds is None else seconds[kept])
    return int(len(kept) - kept.sum())


def _returns(points, options):
    """Mask of the points that stay; all stay where none would."""
    if options.keep_no_returns:
        return np.full(len(points), True)
    kept = no_returns(points) == 0
    return kept if kept.any() else ~kept


def _join(bag, topic, scans, times, half_s, frames, options, say):
    """Joins one topic. Returns the number of no-returns that were left out."""
    places = _nearest(bag.stamps(topic, options.receive_time), times, half_s)
    if not places:
        raise Fault(bag.path, topic, f"no scan lies within {half_s:.3f} s of one of the first topic",
                    "check that both have one clock, or use --receive-time")
    frame, joined, unplaced, left, bad = tf.plain(bag.frame_of(topic) or ""), 0, 0, 0, []
    for timed in bag.scans(topic, 1, options.receive_time, bad, places.keys()):
        place = places[timed.number]
        points, _, seconds = timed.value
        mount, known = frames.tree.poses(frames.scan, frame, np.array([timed.stamp_s]), frames.longest_gap_s)
        if not known[0]:
            unplaced += 1
            continue
        kept = _returns(points, options)
        _append(scans[place], points[kept] @ mount[0, :3, :3].T + mount[0, :3, 3],
                None if seconds is None else seconds[kept] + (timed.stamp_s - times[place]))
        joined, left = joined + 1, left + int(len(kept) - kept.sum())
    bag.tell_bad(topic, bad, joined)
    missing = {f"have no partner within {half_s:.3f} s": len(scans) - len(places), "have a partner whose stamp tf does not cover": unplaced}
    say("; ".join([f"{topic}: joined {joined} of {len(scans)} scans", *(f"{count} {why}" for why, count in missing.items() if count)]))
    return left


def _nearest(stamps, times, half_s):
    """{number of a message: the scan that it joins}, of the messages (number, stamp): the nearest within the time allowed."""
    best = {}
    for number, stamp_s in stamps:
        place = int(np.abs(times - stamp_s).argmin())
        apart = abs(times[place] - stamp_s)
        if apart <= half_s and apart < best.get(place, (np.inf,))[0]:
            best[place] = apart, number
    return {number: place for place, (_, number) in best.items()}


def _append(scan, points, seconds):
    """The file keeps the times of points where both clouds have them."""
    first, of_first = read_points(scan.file), seconds_of(scan.file)
    both = None if seconds is None or of_first is None else np.concatenate([of_first, seconds])
    write_pcd(scan.file, np.concatenate([first, points.astype(first.dtype)]), seconds=both)
