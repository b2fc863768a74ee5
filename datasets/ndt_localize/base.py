"""The vehicle's base: poses of the scanner become those of the base frame, where the bag's tf joins the two."""

import numpy as np

from ndt_convert.faults import Fault
from ndt_convert.poses import write_tum

FILE = "poses_base.tum"


def moved(results, wanted, usual, frames, out, say):
    """(results, the name of their body). The results are of the base frame, and poses_base.tum has its poses, where the bag's tf knows it.
    They stay the scanner's where it does not. wanted: --base-frame, or None for the usual one. frames: those of the bag, or None."""
    (out / FILE).unlink(missing_ok=True)  # of an earlier localisation
    base = (wanted or usual).lstrip("/")
    if frames is None or base == frames.scan:
        return results, base
    mounts, known = _mounts(frames, base, np.array([result.stamp_s for result in results]), say)
    if not known.any():
        name = wanted or frames.scan or usual
        say(f"tf does not say where {frames.scan or 'the scanner'} is on {base}: poses are the scanner's, called {name}")
        return results, name
    out_of = "" if known.all() else f"; {(~known).sum()} of {len(known)} scans are left out, at whose times tf does not say where it is"
    say(f"poses are moved from {frames.scan} to {base} by tf, in {FILE} and in recordings{out_of}")
    results = [_on_base(result, mount) for result, mount, is_known in zip(results, mounts, known) if is_known]
    write_tum(out / FILE, [result.stamp_s for result in results], [result.map_from_body for result in results])
    return results, base


def _mounts(frames, base, times, say):
    """(base_from_scan at the times, which of them have one)."""
    try:
        if frames.tree.knows(base, frames.scan):
            return frames.tree.poses(base, frames.scan, times, frames.longest_gap_s)
    except Fault as fault:  # what is wrong with tf must not cost the localisation
        say(str(fault))
    return np.tile(np.eye(4), (len(times), 1, 1)), np.full(len(times), False)


def _on_base(result, base_from_scan):
    scan_from_base = np.linalg.inv(base_from_scan)
    covariance = None if result.covariance is None else moved_covariance(result.covariance, result.map_from_body, scan_from_base)
    return result._replace(map_from_body=result.map_from_body @ scan_from_base, predicted=result.predicted @ scan_from_base,
                           covariance=covariance, body_from_scan=base_from_scan)


def moved_covariance(covariance, map_from_scan, scan_from_base):
    """36 numbers of x y z roll pitch yaw of the base, of those of the scanner: to first order, J C Jt."""
    lever = map_from_scan[:3, :3] @ scan_from_base[:3, 3]
    turn = _turn_of_angles(map_from_scan[:3, :3])
    jacobian = np.eye(6)
    jacobian[:3, 3:] = -_cross(lever) @ turn
    jacobian[3:, 3:] = np.linalg.solve(_turn_of_angles(map_from_scan[:3, :3] @ scan_from_base[:3, :3]), turn)
    return (jacobian @ np.reshape(covariance, (6, 6)) @ jacobian.T).reshape(-1)


def _turn_of_angles(rotation):
    """d(turn about the axes of the map) / d(roll, pitch, yaw) of R = Rx Ry Rz: the axes of the three turns."""
    pitch = np.arcsin(np.clip(rotation[0, 2], -1, 1))
    roll = np.arctan2(-rotation[1, 2], rotation[2, 2])
    (sr, cr), (sp, cp) = ((np.sin(angle), np.cos(angle)) for angle in (roll, pitch))
    return np.array([[1, 0, sp], [0, cr, -sr * cp], [0, sr, cr * cp]])


def _cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
