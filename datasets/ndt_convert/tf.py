"""Frames and how they move, as a bag's tf messages say: where one frame was in another at given times."""

from collections import Counter

import numpy as np

from . import poses
from .faults import Fault

OTHER_POSES = "give the poses with --poses or --pose-topic"
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
    """The frames of the bag at `path`. Wrong transforms matter only on the way between frames that are asked for."""

    def __init__(self, path):
        self._path, self._edges, self._other_parents = path, {}, {}
        self._bad, self._on_the_way = Counter(), set()

    def add(self, parent, child, time_s, pose):
        """parent_from_child at a time, or for ever if that is None."""
        parent, child = plain(parent), plain(child)
        edge = self._edges.setdefault(child, _Edge(parent))
        if edge.parent == parent:
            edge.add(time_s, pose)
        else:
            self._other_parents.setdefault(child, parent)

    def add_bad(self, child):
        """An invalid transform: not finite, or not a unit quaternion."""
        self._bad[plain(child)] += 1

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

    def wrong(self):
        """A line for each kind of wrong transform that was left out."""
        used = {child: count for child, count in sorted(self._bad.items()) if child in self._on_the_way}
        ignored = [f"{count} transforms of {child} are invalid" for child, count in sorted(self._bad.items()) if child not in used]
        ignored += [f"{child} has two parents, {self._parents(child)}" for child in sorted(self._other_parents)]
        return ([f"tf: {count} transforms of {child} were left out, which are invalid" for child, count in used.items()]
                + ([f"tf: ignored, since nothing needs these frames: {'; '.join(ignored)}"] if ignored else []))

    def _meeting(self, target, source):
        """The nearest frame that both hang from, or None. Refuses what is wrong on the way."""
        above, above_fault = self._chain(target)
        chain, fault = self._chain(source)
        meeting = next((frame for frame in chain if frame in above), None)
        if meeting is None and (fault or above_fault):
            raise fault or above_fault
        return meeting

    def _chain(self, frame):
        """The frame, its parent, and so on up, as far as that is clear; and a Fault that says why it ends, or None at a root."""
        chain = [frame]
        while chain[-1] in self._edges and chain[-1] not in self._other_parents:
            chain.append(self._edges[chain[-1]].parent)
            if chain[-1] in chain[:-1]:
                raise Fault(self._path, "tf", f"the frames {' < '.join(chain)} run in a circle",
                            f"two nodes publish them against each other; {OTHER_POSES}")
        return chain, self._why_it_ends(chain[-1])

    def _why_it_ends(self, frame):
        if frame in self._other_parents:
            return Fault(self._path, "tf", f"frame {frame} has two parents, {self._parents(frame)}", f"a frame has one; {OTHER_POSES}")
        if self._bad[frame]:
            what = f"all {self._bad[frame]} transforms of {frame} are invalid: not finite, or not a unit quaternion"
            return Fault(self._path, "tf", what, OTHER_POSES)
        return None

    def _parents(self, frame):
        return f"{self._edges[frame].parent} and {self._other_parents[frame]}"

    def _to(self, ancestor, frame, times, longest_gap_s):
        out, known = np.tile(np.eye(4), (len(times), 1, 1)), np.full(len(times), True)
        while frame != ancestor:
            self._on_the_way.add(frame)
            step, covered = self._edges[frame].poses(times, longest_gap_s)
            out, known, frame = step @ out, known & covered, self._edges[frame].parent
        return out, known


def tree_of(bag):
    """Every tf message of an open bag that can be read."""
    tree = Tree(bag.path)
    for topic in bag.topics_of(MESSAGE_TYPES):
        bad, good = [], 0
        for good, (number, _, message) in enumerate(bag.messages(topic, bad), 1):
            for transform in message.transforms:
                _add(tree, transform, topic.endswith("tf_static"), bag.path, f"{topic} message {number}")
        bag.tell_bad(topic, bad, good)
    return tree


def _add(tree, transform, fixed, path, where):
    at, turn, stamp = transform.transform.translation, transform.transform.rotation, transform.header.stamp
    time_s = None if fixed else (stamp.sec * 10**9 + stamp.nanosec) / 1e9
    try:
        pose = poses.checked_pose([at.x, at.y, at.z], [turn.x, turn.y, turn.z, turn.w], path, where)
    except Fault:
        tree.add_bad(transform.child_frame_id)
    else:
        tree.add(transform.header.frame_id, transform.child_frame_id, time_s, pose)
