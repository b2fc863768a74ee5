"""Messages of ROS 2 out of poses and points, serialised by the library rosbags."""

import math

import numpy as np

from ndt_convert.poses import quaternion_of

LEVELS = {"OK": 0, "WARN": 1, "ERROR": 2}
FLOAT32 = 7  # of PointField
ARROW, ADD, DELETE = 0, 0, 2  # of Marker


class Messages:
    def __init__(self, store):
        self._types = store.types

    def _make(self, kind, **fields):
        return self._types[kind](**fields)

    def header(self, time_ns, frame):
        stamp = self._make("builtin_interfaces/msg/Time", sec=time_ns // 10**9, nanosec=time_ns % 10**9)
        return self._make("std_msgs/msg/Header", stamp=stamp, frame_id=frame)

    def transforms(self, time_ns, parent, children):
        """parent_from_child of each child."""
        return self._make("tf2_msgs/msg/TFMessage", transforms=[
            self._make("geometry_msgs/msg/TransformStamped", header=self.header(time_ns, parent), child_frame_id=child,
                       transform=self._make("geometry_msgs/msg/Transform", translation=self._vector(pose[:3, 3]),
                                            rotation=self._quaternion(pose)))
            for child, pose in children.items()])

    def pose_with_covariance(self, header, pose, covariance):
        return self._make("geometry_msgs/msg/PoseWithCovarianceStamped", header=header, pose=self._with_covariance(pose, covariance))

    def odometry(self, header, child, pose, covariance, velocity):
        """The velocity, m/s and rad/s, is in the child's frame."""
        twist = self._make("geometry_msgs/msg/Twist", linear=self._vector(velocity[:3]), angular=self._vector(velocity[3:]))
        return self._make("nav_msgs/msg/Odometry", header=header, child_frame_id=child, pose=self._with_covariance(pose, covariance),
                          twist=self._make("geometry_msgs/msg/TwistWithCovariance", twist=twist, covariance=np.zeros(36)))

    def path(self, headers, poses):
        stamped = [self.pose_stamped(header, pose) for header, pose in zip(headers, poses)]
        return self._make("nav_msgs/msg/Path", header=headers[0], poses=stamped)

    def pose_stamped(self, header, pose):
        return self._make("geometry_msgs/msg/PoseStamped", header=header, pose=self._pose(pose))

    def number(self, kind, header, value):
        """One of the types that are a time and a number."""
        return self._make(kind, stamp=header.stamp, data=int(value) if "/Int" in kind else float(value))

    def poses(self, header, poses):
        return self._make("geometry_msgs/msg/PoseArray", header=header, poses=[self._pose(pose) for pose in poses])

    def cloud(self, header, points, columns=("x", "y", "z")):
        fields = [self._make("sensor_msgs/msg/PointField", name=name, offset=4 * i, datatype=FLOAT32, count=1) for i, name in enumerate(columns)]
        data = np.ascontiguousarray(points, dtype="<f4").reshape(-1).view(np.uint8)
        return self._make("sensor_msgs/msg/PointCloud2", header=header, height=1, width=len(points), fields=fields, is_bigendian=False,
                          point_step=4 * len(columns), row_step=4 * len(columns) * len(points), data=data, is_dense=True)

    def markers(self, markers):
        return self._make("visualization_msgs/msg/MarkerArray", markers=markers)

    def arrow(self, header, name, number, pose, share, lifetime_s=0):
        """An arrow of 0.3 m, from blue at a share of 0 to red at 1. It stays for ever unless it has a lifetime."""
        share = float(np.clip(share, 0, 1))
        color = self._make("std_msgs/msg/ColorRGBA", r=share, g=0.0, b=1 - share, a=1.0)
        return self._marker(header, name, number, ADD, self._pose(pose), color, lifetime_s)

    def no_marker(self, header, name, number):
        """Removes a marker of an earlier message."""
        color = self._make("std_msgs/msg/ColorRGBA", r=0.0, g=0.0, b=0.0, a=0.0)
        return self._marker(header, name, number, DELETE, self._pose(np.eye(4)), color, 0)

    def _marker(self, header, name, number, action, pose, color, lifetime_s):
        nothing = np.zeros(0, np.uint8)
        image = self._make("sensor_msgs/msg/CompressedImage", header=header, format="", data=nothing)
        lifetime = self._make("builtin_interfaces/msg/Duration", sec=lifetime_s, nanosec=0)
        return self._make("visualization_msgs/msg/Marker", header=header, ns=name, id=number, type=ARROW, action=action, pose=pose,
                          scale=self._vector((0.3, 0.1, 0.1)), color=color, lifetime=lifetime, frame_locked=False, points=[], colors=[],
                          texture_resource="", texture=image, uv_coordinates=[], text="", mesh_resource="",
                          mesh_file=self._make("visualization_msgs/msg/MeshFile", filename="", data=nothing),
                          mesh_use_embedded_materials=False)

    def one_status(self, header, *status):
        return self._make("diagnostic_msgs/msg/DiagnosticArray", header=header, status=[self._status(*status)])

    def diagnostics(self, header, record):
        """The scan's status, and those of its map update and its search for a lost pose, if it had one."""
        of_scan = {key: value for key, value in record.items() if not isinstance(value, (list, dict))}
        status = [self._own("scan_matching_status", record["level"], "; ".join(record["messages"]), of_scan)]
        if (update := record.get("map_update")) is not None:
            status.append(self._own("map_update_status", "OK" if update["in_force"] else "WARN", update["error"], update))
        if (recovery := record.get("recovery")) is not None:
            status.append(self._own("recovery_status", *recovery_state(recovery), recovery))
        return self._make("diagnostic_msgs/msg/DiagnosticArray", header=header, status=status)

    def _own(self, name, level, message, values):
        return self._status(f"localization: {name}", level, message, values, "ndt-bench")

    def _status(self, name, level, message, values, hardware):
        values = [self._make("diagnostic_msgs/msg/KeyValue", key=key, value=_text(value)) for key, value in values.items()]
        return self._make("diagnostic_msgs/msg/DiagnosticStatus", level=LEVELS[level], name=name, message=message or "OK",
                          hardware_id=hardware, values=values)

    def _with_covariance(self, pose, covariance):
        return self._make("geometry_msgs/msg/PoseWithCovariance", pose=self._pose(pose), covariance=np.asarray(covariance, dtype=float))

    def _pose(self, pose):
        x, y, z = map(float, pose[:3, 3])
        return self._make("geometry_msgs/msg/Pose", position=self._make("geometry_msgs/msg/Point", x=x, y=y, z=z),
                          orientation=self._quaternion(pose))

    def _vector(self, xyz):
        x, y, z = map(float, xyz)
        return self._make("geometry_msgs/msg/Vector3", x=x, y=y, z=z)

    def _quaternion(self, pose):
        x, y, z, w = map(float, quaternion_of(pose[:3, :3]))
        return self._make("geometry_msgs/msg/Quaternion", x=x, y=y, z=z, w=w)


def recovery_state(recovery):
    """(level, message) of a search for a lost pose. reliable is None where no limit of the scores is known."""
    if not recovery["found"]:
        return "WARN", f"no pose found in attempt {recovery['attempt']}"
    return ("WARN", "the found pose is not reliable") if recovery["reliable"] is False else ("OK", "")


def velocity_between(first, second, seconds):
    """Returns the body's velocity between two poses, in its own second frame: m/s, then rad/s about one axis."""
    move = np.linalg.inv(first) @ second
    quaternion = quaternion_of(move[:3, :3])
    sine = np.linalg.norm(quaternion[:3])
    turn = np.zeros(3) if sine < 1e-12 else quaternion[:3] / sine * 2 * math.atan2(sine, quaternion[3])
    return np.concatenate([move[:3, :3].T @ move[:3, 3], turn]) / seconds


def _text(value):
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
