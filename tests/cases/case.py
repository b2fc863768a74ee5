"""The entry of a case: its name is that of its folder."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from trial import Trial


@dataclass
class Case:
    name: str
    issue: str
    expected: str
    run: Callable[[Trial], None]
    needs_extras: bool = False
    own_input: bool = False  # no folder: the case makes its input


def registrar(issue, cases):
    """A decorator that adds a function to the list of cases, under the function's name."""
    def case(expected, name=None, **more):
        def add(run):
            cases.append(Case(name or run.__name__, issue, expected, run, **more))
            return run
        return add
    return case


# The clouds of folder `common`: the scan's true pose, x y z roll pitch yaw, and a guess near it.
TRUE_POSE = np.array([1.0, -1.5, 1.8, 0.01, -0.02, 0.4])
NEAR = ("--guess", "1.2,-1.6,1.85,0,0,0.42")
MAP = ("--map", "../common/map.pcd")


def vehicle(heights=0.0, first=1.0, count=8, metres=0.5):
    """True positions of the small bags: along x from 1 m on, 0.5 m a scan."""
    return [(first + metres * k, -1.5, heights) for k in range(count)]
