"""KISS-ICP as a peer: odometry from the first guess on, without the map and without later guesses. It has voxels of 1 m, as for a range
of 100 m, and registers each scan when it is handed over."""

import numpy as np
from kiss_icp.config import KISSConfig
from kiss_icp.kiss_icp import KissICP
from serve import serve

VOXEL_M = 1.0


def begin(_, threads):
    """The odometry, and a list for its start in the map, which is known at the first guess."""
    global odometry
    config = KISSConfig()
    config.mapping.voxel_size, config.data.deskew, config.registration.max_num_threads = VOXEL_M, False, threads
    odometry = KissICP(config)
    return []


def register(points, _):
    odometry.register_frame(points, np.empty(0))
    return odometry.last_pose


def follow(start, moved, guess, _):
    if not start:
        start.append(guess @ np.linalg.inv(moved))
    return start[0] @ moved, True, None


serve(begin, register, follow=follow)
