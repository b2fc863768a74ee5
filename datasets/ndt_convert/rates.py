"""Angular velocities, accelerations and speeds of a bag, turned into the frame of the scanner: for ndt-bench localize."""

import numpy as np

from . import tf
from .bags import Timed, stamp_s
from .faults import Fault

IMU_TYPES = ("sensor_msgs/msg/Imu",)
IMU_HEADING = "time_s,wx_rad_s,wy_rad_s,wz_rad_s,ax_m_s2,ay_m_s2,az_m_s2"
TWIST_HEADING = "time_s,vx_m_s,vy_m_s,vz_m_s,wx_rad_s,wy_rad_s,wz_rad_s"


def _xyz(vector):
    return [vector.x, vector.y, vector.z]


def _of_twist(twist):
    return _xyz(twist.linear) + _xyz(twist.angular)


def _of_report(m):
    """Autoware's wheels: metres a second ahead and to the left, and the yaw rate."""
    return [m.longitudinal_velocity, m.lateral_velocity, 0.0, 0.0, 0.0, m.heading_rate]


TWIST_TYPES = {"geometry_msgs/msg/TwistStamped": lambda m: _of_twist(m.twist),
               "geometry_msgs/msg/TwistWithCovarianceStamped": lambda m: _of_twist(m.twist.twist),
               "nav_msgs/msg/Odometry": lambda m: _of_twist(m.twist.twist),
               "autoware_vehicle_msgs/msg/VelocityReport": _of_report, "autoware_auto_vehicle_msgs/msg/VelocityReport": _of_report}


def imu(bag, topic, mount):
    """(n, 7): times and, in the scanner's axes, angular velocity and acceleration. `mount` gives body_from_scan."""
    rows = _rows(bag, topic, dict.fromkeys(IMU_TYPES, lambda m: _xyz(m.angular_velocity) + _xyz(m.linear_acceleration)))
    turn = mount(bag.frame_of(topic), topic, rows[0, 0])[:3, :3]
    return np.column_stack([rows[:, 0], rows[:, 1:4] @ turn, rows[:, 4:] @ turn])


def twists(bag, topic, mount):
    """(n, 7): times, and the velocity of the scanner in its own frame, by the lever arm of the body that the twists are of."""
    rows = _rows(bag, topic, TWIST_TYPES)
    body_from_scan = mount(bag.frame_of(topic), topic, rows[0, 0])
    turn, arm = body_from_scan[:3, :3], body_from_scan[:3, 3]
    linear, angular = rows[:, 1:4], rows[:, 4:]
    return np.column_stack([rows[:, 0], (linear + np.cross(angular, arm)) @ turn, angular @ turn])


def mounts(bag, scan_frame, tree, say):
    """Returns the mount of a body: body_from_scan at a time, or the identity, which is said, where tf does not join them."""
    def mount(body, topic, time_s):
        if not body or tf.plain(body) == tf.plain(scan_frame):
            return np.eye(4)
        if not tree().knows(body, scan_frame):
            say(f"{topic}: measurements of {body} are taken as those of {scan_frame}, since tf does not join them")
            return np.eye(4)
        found, known = tree().poses(body, scan_frame, np.array([time_s]), np.inf)
        if not known.any():
            raise Fault(bag.path, topic, f"tf does not say where {scan_frame} is on {body}", "record /tf_static, or leave the topic out")
        say(f"{topic}: moved from {body} to {scan_frame}, as tf has it")
        return found[0]
    return mount


def write(file, heading, rows):
    with open(file, "w", encoding="ascii") as out:
        out.write(f"# {heading}\n")
        out.writelines(",".join(map(repr, row)) + "\n" for row in rows.tolist())


def _rows(bag, topic, numbers_of):
    kind, found, bad = bag.kind_of(topic), [], []
    if kind not in numbers_of:
        raise Fault(bag.path, topic, f"is of type {kind}", "choose a topic of " + ", ".join(numbers_of))
    for number, time_ns, message in bag.of_one_sender(topic, bad):
        row = numbers_of[kind](message)
        if np.isfinite(row).all():
            found.append(Timed(number, stamp_s(message, time_ns, False), time_ns / 1e9, row))
        else:
            bad.append(Fault(bag.path, f"{topic} message {number}", f"{row}: not finite", "leave the topic out"))
    bag.tell_bad(topic, bad, len(found))
    found = [timed for timed, keep in zip(found, bag.in_order(topic, found)) if keep]
    if not found:
        raise Fault(bag.path, topic, "contains no measurement", "choose another topic, or leave it out")
    return np.array([[timed.stamp_s, *timed.value] for timed in found])
