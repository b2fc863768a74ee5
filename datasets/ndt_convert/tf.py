"""Frames and how they move, as a bag's tf messages say: where one frame was in another at given times."""

import numpy as np

from . import poses
from .faults import Fault

MESSAGE_TYPES = ("tf2_msgs/msg/TFMessage", "tf/msg/tfMessage")


def plain(frame):
    """ROS 1 wrote /base_link for base_link."""
    return frame.lstrip("/")


class _Edge:
    """parent_from_child, fixed or at times."""

    def __init__(self, parent):
        self.parent, self._fixed, self._at = parent, None, {}

    def add(self, time_s, pose):
        if time_s is None:
            self._fixed = pose
        else:
            self._at.setdefault(time_s, pose)  # repeated: the first stands

    def poses(self, times, longest_gap_s):
        """(poses, which of the times have one)."""
        if self._fixed is not None:
            return np.tile(self._fixed, (len(times), 1, 1)), np.full(len(times), True)
        known = np.array(sorted(self._at))
        return poses.at_times(known, np.array([self._at[time] for time in known]), times, longest_gap_s)


class Tree:
    """Of the bag at `path`, which messages name."""

    def __init__(self, path):
        self._path, self._edges = path, {}

    def add(self, parent, child, time_s, pose):
        """parent_from_child at a time, or for ever if that is None."""
        edge = self._edges.setdefault(plain(child), _Edge(plain(parent)))
        if edge.parent != plain(parent):
            raise Fault(self._path, "tf", f"frame {plain(child)} has two parents, {edge.parent} and {plain(parent)}",
                        "a frame has one; give the poses with --poses or --pose-topic")
        edge.add(time_s, pose)

    def knows(self, target, source):
        """Whether the two are joined."""
        return self._meeting(plain(target), plain(source)) is not None

    def poses(self, target, source, times, longest_gap_s):
        """(target_from_source at the times, which of the times have one)."""
        target, source = plain(target), plain(source)
        meeting = self._meeting(target, source)
        if meeting is None:
            frames = ", ".join(sorted(self._edges.keys() | {edge.parent for edge in self._edges.values()})) or "none"
            raise Fault(self._path, "tf", f"does not join {target} and {source}; its frames are {frames}", "give a frame that it joins")
        first, first_known = self._to(meeting, target, times, longest_gap_s)
        second, second_known = self._to(meeting, source, times, longest_gap_s)
        return np.linalg.inv(first) @ second, first_known & second_known

    def _meeting(self, target, source):
        """The nearest frame that both hang from, or None."""
        above = self._chain(target)
        return next((frame for frame in self._chain(source) if frame in above), None)

    def _chain(self, frame):
        """The frame, its parent, and so on up."""
        chain = [frame]
        while chain[-1] in self._edges:
            chain.append(self._edges[chain[-1]].parent)
            if chain[-1] in chain[:-1]:
                raise Fault(self._path, "tf", f"the frames {' < '.join(chain)} run in a circle", "the recording is damaged")
        return chain

    def _to(self, ancestor, frame, times, longest_gap_s):
        out, known = np.tile(np.eye(4), (len(times), 1, 1)), np.full(len(times), True)
        while frame != ancestor:
            step, covered = self._edges[frame].poses(times, longest_gap_s)
            out, known, frame = step @ out, known & covered, self._edges[frame].parent
        return out, known


def tree_of(bag):
    """Every tf message of an open bag."""
    tree = Tree(bag.path)
    for topic in bag.topics_of(MESSAGE_TYPES):
        for number, (_, message) in enumerate(bag.messages(topic)):
            for transform in message.transforms:
                at, turn = transform.transform.translation, transform.transform.rotation
                stamp = transform.header.stamp
                time_s = None if topic.endswith("tf_static") else (stamp.sec * 10**9 + stamp.nanosec) / 1e9
                where = f"{topic} message {number}"
                pose = poses.checked_pose([at.x, at.y, at.z], [turn.x, turn.y, turn.z, turn.w], bag.path, where)
                tree.add(transform.header.frame_id, transform.child_frame_id, time_s, pose)
    return tree
