"""The sender of a message: the frame of its header and, for odometry, the frame of the body. Two senders on one topic are two sensors."""

from typing import NamedTuple

from .faults import UsageFault
from .tf import plain


class Sender(NamedTuple):
    frame: str
    child: str  # empty where the type of the message has none

    def __str__(self):
        return f"{self.frame} > {self.child}" if self.child else self.frame or "(no name)"

    def has(self, names):
        return all(name in self for name in names)

    def contradicts(self, other):
        """True if both name a frame, and not the same one; an empty name says nothing."""
        return any(a and b and a != b for a, b in zip(self, other))


def sender_of(message):
    return Sender(plain(message.header.frame_id), plain(getattr(message, "child_frame_id", "")))


def require_one(path, topic, counts):
    """Refuses two senders in a Counter of them."""
    if any(a.contradicts(b) for a in counts for b in counts):
        raise UsageFault(path, topic, f"has {len(counts)} senders: {listed(counts)}", "pick one by the name of its frame: --frame NAME")


def listed(counts):
    return ", ".join(f"{sender} ({count} messages)" for sender, count in sorted(counts.items()))
