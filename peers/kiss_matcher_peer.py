"""KISS-Matcher as a peer: global registration of the scan with the map around the prior, or with the whole map. It takes no
guess, heading or seed. Its own defaults, except the voxels."""

import os

import numpy as np
from serve import serve

VOXEL_M = 1.0
INLIERS = 50  # of failed registrations it has fewer, say its authors


def loaded(points, threads):
    """The library takes every core that it may run on when it is loaded, and has no option for it."""
    global kiss_matcher
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    import kiss_matcher

    return points


def around(points, place, radius_m):
    return points[np.hypot(*(points - place)[:, :2].T) < radius_m]


def search(target, source, guess, sigma, seed, threads):
    reach_m = np.linalg.norm(source, axis=1).max() + 3 * max(sigma[:2])
    return anywhere(around(target, guess[:3, 3], reach_m), source, seed, threads)


def anywhere(target, source, seed, threads):
    matcher = kiss_matcher.KISSMatcher(kiss_matcher.KISSMatcherConfig(VOXEL_M))
    found = matcher.estimate(source, target)
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = found.rotation, found.translation
    return pose, bool(found.valid) and matcher.get_num_final_inliers() >= INLIERS


serve(loaded, lambda points, _: points, search=search, anywhere=anywhere)
