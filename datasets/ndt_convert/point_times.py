"""Times of points as seconds after the scan's stamp. Drivers differ in the name of the field, its unit and its reference:

Ouster      t           uint32   ns after the stamp
Velodyne    time        float32  s after the stamp; negative where the stamp is that of the last packet
Hesai       timestamp   float64  s, absolute; so has Robosense, whose stamp is that of the last packet
Livox       timestamp   float64  ns, absolute; offset_time, uint32, is ns after the stamp
Nebula      time_stamp  uint32   ns after the stamp; float64, s, absolute in older versions
"""

import re
from typing import NamedTuple

import numpy as np

from .stamps import UNITS

NAMES = ("t", "time", "timestamp", "time_stamp", "offset_time", "time_offset", "point_time_offset")
FIELD = re.compile(f"({'|'.join(NAMES)})(_({'|'.join(UNITS)}))?")  # a suffix names the unit
SWEEP_S = (0.005, 0.5)  # the length of a scan; the units are farther apart
NEAR_S = 0.1  # the stamp is in the sweep, or not farther away


class Rule(NamedTuple):
    """How times are meant."""

    unit: str
    absolute: bool  # on the clock of the stamp, instead of after it


class Times(NamedTuple):
    """The values of a message's field."""

    field: str
    values: np.ndarray
    rule: object = None  # the Rule where the type of the message has one


class PointTimes:
    """The times of the points of one topic. The first message that tells the rule decides."""

    def __init__(self, topic, say):
        self._topic, self._say, self._rule, self._told = topic, say, None, False

    def seconds(self, times, stamp_s, number):
        """Returns float32 seconds after the stamp, or None where there are no times or their rule is unknown, which is said once."""
        if times is None or not len(times.values):
            return None
        values = times.values.astype(np.float64)
        if times.rule:
            return _seconds(values, times.rule, stamp_s).astype(np.float32)
        low, high = values.min(), values.max()
        self._rule = self._rule or _rule_of(times.field, low, high, stamp_s)
        if self._rule and _is_near(_seconds(low, self._rule, stamp_s), _seconds(high, self._rule, stamp_s)):
            return _seconds(values, self._rule, stamp_s).astype(np.float32)
        if not self._told:
            self._told = True
            self._say(f"{self._topic}: the points' times in {times.field} are left out where their unit or reference is unclear: "
                      f"{low:.15g} to {high:.15g} in message {number}, stamped {stamp_s:.6f} s; a sweep of {SWEEP_S[0]} to {SWEEP_S[1]} s "
                      "near the stamp is expected")
        return None


def field_of(names):
    """The name of the field that has the times of points, or None."""
    return next((name for name in names if FIELD.fullmatch(name.lower())), None)


def _rule_of(field, low, high, stamp_s):
    """The only Rule by which the times are a sweep near the stamp, or None."""
    unit = FIELD.fullmatch(field.lower())[3]
    rules = [Rule(one, absolute) for one in ([unit] if unit else UNITS) for absolute in (False, True)]
    ends = [(rule, _seconds(low, rule, stamp_s), _seconds(high, rule, stamp_s)) for rule in rules]
    fitting = [rule for rule, first, last in ends if last - first >= SWEEP_S[0] and _is_near(first, last)]
    return fitting[0] if len(fitting) == 1 else None


def _seconds(values, rule, stamp_s):
    return values / UNITS[rule.unit] - (stamp_s if rule.absolute else 0)


def _is_near(first_s, last_s):
    """True if no sweep is longer, and the stamp is near; False for what is not a number."""
    return last_s - first_s <= SWEEP_S[1] and max(first_s, -last_s) <= NEAR_S
