"""The covariance of a position in x and y: 2x2 matrices, m^2."""

import numpy as np

UNKNOWN = 0  # NavSatFix.position_covariance_type


def of_fix(message):
    """The covariance of east and north, or None."""
    return None if message.position_covariance_type == UNKNOWN else _checked(message.position_covariance, 3)


def of_pose(message):
    """The covariance of x and y in the frame of the header, or None."""
    return _checked(getattr(message.pose, "covariance", ()), 6)


def moved(covariances, axes):
    """The covariances in axes that are linear functions of the present ones."""
    return axes @ covariances @ np.swapaxes(axes, -1, -2)


def _checked(values, columns):
    """The upper left corner, or None unless it is a covariance: drivers write 0 or NaN for unknown."""
    if len(values) != columns**2:
        return None
    xx, xy, yy = float(values[0]), float(values[1]), float(values[columns + 1])
    good = np.isfinite([xx, xy, yy]).all() and xx > 0 and yy > 0 and xy * xy < xx * yy
    return np.array([[xx, xy], [xy, yy]]) if good else None
