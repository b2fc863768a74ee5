"""Names beside points: each at a free place, so that none covers another name, a point or the border."""

import math

GAPS = (6, 13, 22, 34, 48, 64, 84, 108, 136)  # between a point and its name, the nearest first
TURNS = (0, 180, 90, 270, 45, 315, 135, 225, 20, 340, 160, 200, 65, 295, 115, 245)  # degrees, counterclockwise from the right
MARKER = 5  # half the side of a point
AIR = 1  # around a name
NEAR = GAPS[1]  # of a wider gap, a line leads to the name


def placed(points, sizes, box) -> list:
    """[(dx, dy, lead)] from each point to the middle of its name, and to the end of the line that must lead there, or None.
    points: (x, y). sizes: (width, height) of names. box: (width, height) of the plot, whose corner is 0, 0. Names overlap least
    where all is taken."""
    taken = [(x - MARKER, y - MARKER, x + MARKER, y + MARKER) for x, y in points]
    out = [None] * len(points)
    for i in sorted(range(len(points)), key=lambda i: (points[i][1], points[i][0])):
        found = min(_candidates(points[i], sizes[i]), key=lambda c: (_covered(c[3], taken) + _outside(c[3], box), c[2]))
        out[i] = (found[0], found[1], _nearest(found, sizes[i]) if found[2] > NEAR else None)
        taken.append(found[3])
    return out


def _candidates(point, size):
    """(dx, dy, gap, corners), the best first."""
    for gap in GAPS:
        for turn in TURNS:
            across, up = math.cos(math.radians(turn)), math.sin(math.radians(turn))
            dx, dy = across * (gap + size[0] / 2), up * (gap + size[1] / 2)
            x, y, wide, high = point[0] + dx, point[1] + dy, size[0] / 2 + AIR, size[1] / 2 + AIR
            yield dx, dy, gap, (x - wide, y - high, x + wide, y + high)


def _nearest(found, size) -> tuple:
    """The place of the name that is nearest to the point."""
    return tuple(math.copysign(max(0, abs(offset) - side / 2), offset) for offset, side in zip(found, size))


def _covered(own, taken) -> float:
    """The area of others that own covers."""
    return sum(max(0, min(own[2], t[2]) - max(own[0], t[0])) * max(0, min(own[3], t[3]) - max(own[1], t[1])) for t in taken)


def _outside(own, box) -> float:
    wide = max(0, -own[0]) + max(0, own[2] - box[0])
    high = max(0, -own[1]) + max(0, own[3] - box[1])
    return wide * (own[3] - own[1]) + high * (own[2] - own[0])
