"""Units of times: a driver's stamps may be milliseconds, microseconds or nanoseconds."""

import numpy as np

from .faults import Fault

UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}  # of them in a second; the largest unit first
STEP_S = (1e-3, 60)  # the median step between scans lies within
LARGEST_S = 1e11  # |time|, in the year 5138
EPOCH_S, KEYFRAMES_S = (5e8, 5e9), 3600  # seconds since 1970 from 1985 to 2128, and the longest step of keyframes
OVERRIDE = "--stamp-unit s, ms, us or ns decides"


def in_seconds(times, file, say, unit=None, refuse=True):
    """The times in seconds; says so if they were in another unit. The unit given decides, then unit_of. Times that fit no unit are refused,
    or stay as they are."""
    unit = unit or unit_of(times)
    if unit is None and refuse:
        step = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
        raise Fault(file, "", f"its times, the largest {np.abs(times).max():g} and the median step {step:g}, fit no unit: in seconds the step is "
                    f"{STEP_S[0]:g} to {STEP_S[1]} s; the nearest unit is {_nearest(step)}", f"check the times; {OVERRIDE}")
    if unit is None:
        say(f"{file}: its times fit no unit and are taken as seconds; {OVERRIDE}")
    if unit in (None, "s"):
        return times
    say(f"{file}: its times are taken as {unit} and multiplied by {1 / UNITS[unit]:g} to get seconds; {OVERRIDE}")
    return times / UNITS[unit]


def unit_of(times):
    """The largest unit that fits, None if none does. ndt-bench has the same rule.

    A unit fits if it makes the median step STEP_S and the largest |time| less than LARGEST_S. A single time is judged by its size alone.
    Seconds since 1970 with a fraction stay seconds up to steps of KEYFRAMES_S: they are of keyframes far apart.
    """
    largest, steps = np.abs(times).max(initial=0), np.diff(times)
    sizes = {unit: parts for unit, parts in UNITS.items() if largest / parts < LARGEST_S}
    if not len(steps):
        return next(iter(sizes), None)
    step = np.median(steps)
    if EPOCH_S[0] <= largest < EPOCH_S[1] and STEP_S[1] < step <= KEYFRAMES_S and (times % 1).any():
        return "s"
    return next((unit for unit, parts in sizes.items() if STEP_S[0] <= step / parts <= STEP_S[1]), None)


def _nearest(step):
    """The unit in which the step is least far from STEP_S."""
    if step <= 0:
        return "s"
    return min(UNITS, key=lambda unit: max(STEP_S[0] * UNITS[unit] / step, step / UNITS[unit] / STEP_S[1]))
