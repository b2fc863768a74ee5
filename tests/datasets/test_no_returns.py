"""The rule of no-return points, on clouds made by formulas, so that a test in C++ can make the same ones."""

import pytest
from conftest import np
from ndt_convert import no_returns

N = 2000
FLT_MAX = np.finfo(np.float32).max
INDEX = np.arange(N)


def directions(n=N):
    """Unit vectors all around, evenly: a Fibonacci lattice from the zenith down."""
    i = np.arange(n)
    z = 1 - (2 * i + 1) / n
    radius, angle = np.sqrt(1 - z * z), 2.399963229728653 * i
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle), z])


def street():
    """(points, mask of the sky): ground 2 m below, walls at |x| = 10 and |y| = 7 that end 6 m above; the sky is at 120 m."""
    d = directions()
    wall = 1 / np.maximum(np.abs(d[:, 0]) / 10, np.abs(d[:, 1]) / 7)
    ranges = np.minimum(wall, np.where(d[:, 2] < 0, 2 / np.maximum(-d[:, 2], 1e-9), np.inf))
    sky = ranges * d[:, 2] > 6
    return d * np.where(sky, 120, ranges)[:, None], sky


def closed_street():
    """The street with a roof 6 m above."""
    points, sky = street()
    return np.where(sky[:, None], points * (6 / np.where(sky, points[:, 2], 1))[:, None], points)


def with_share(percent, value):
    """The closed street; so many of each hundred points are the value."""
    points = closed_street()
    points[INDEX * 37 % 100 < percent] = value
    return points


def at_range(percent, range_m):
    """The closed street; so many of each hundred points are at the range."""
    return np.where((INDEX * 37 % 100 < percent)[:, None], directions() * range_m, closed_street())


def copies(n):
    """The closed street with n points at 1 2 3."""
    return np.concatenate([closed_street()[n:], np.full((n, 3), (1, 2, 3))])


def noisy_sphere():
    """A tank of 30 m with a bell-shaped noise of 2 cm."""
    noise = sum(INDEX * step % 1 for step in (0.6180339887, 0.4142135624, 0.7320508076, 0.2360679775)) - 2
    return directions() * (30 + 0.035 * noise)[:, None]


def dome():
    """A dome of 20 m around the scanner, over ground 1.5 m below."""
    d = directions()
    return d * np.minimum(20, np.where(d[:, 2] < 0, 1.5 / np.maximum(-d[:, 2], 1e-9), 20))[:, None]


def nines():
    """10 x (9999, 9999, 9999), 10 x (-99999, -99999, -99999), and 10 x (9999, 9999, 0), which is no sentinel."""
    points = closed_street()
    points[:10], points[10:20], points[20:30] = 9999, -99999, (9999, 9999, 0)
    return points


def every_cause():
    """100 zeros, 100 x (FLT_MAX, 0, 0), 100 x (1, 2, 3), and 100 points at 120 m."""
    points = closed_street()
    points[:100], points[100:200], points[200:300] = 0, (FLT_MAX, 0, 0), (1, 2, 3)
    points[INDEX[300:2000:17]] = directions()[300:2000:17] * 120
    return points


def with_nan():
    """2000 points of which 200 are not finite, and 19 of the 1800 others at 1 2 3: more than 1 % of these."""
    points = copies(19)
    points[:200, 1] = np.nan
    return points


# name: (cloud, number of no returns by cause)
CASES = {
    "a street under a roof": (closed_street(), {}),
    "5 % zeros": (with_share(5, 0), {"zero": 100}),
    "41 % zeros": (with_share(41, 0), {"zero": 820}),
    "60 % zeros with signs": (with_share(60, -0.0), {"zero": 1200}),
    "one zero": (np.concatenate([closed_street(), [(0, 0, -0.0)]]), {"zero": 1}),
    "FLT_MAX": (with_share(10, FLT_MAX), {"sentinel": 200}),
    "1e7 m in one coordinate": (with_share(10, (0, -1e7, 1)), {"sentinel": 200}),
    "below 1e7 m": (np.concatenate([closed_street(), [(9.9e6, 1, 1)]]), {}),
    "9999": (nines(), {"sentinel": 20}),
    "21 identical of 2000": (copies(21), {"identical": 21}),
    "20 identical of 2000": (copies(20), {}),
    "5 % at the maximum range": (at_range(5, 120), {"max_range": 100}),
    "60 % at the maximum range": (at_range(60, 120), {"max_range": 1200}),
    "1 % at the maximum range": (at_range(1, 120), {}),
    "sky above houses": (street()[0], {"max_range": int(street()[1].sum())}),
    "sphere": (directions() * 30, {}),
    "sphere with noise": (noisy_sphere(), {}),
    "sphere with 5 % zeros": (np.where((INDEX % 20 == 0)[:, None], 0, directions() * 30), {"zero": 100}),
    "dome over ground": (dome(), {}),
    "every point twice": (np.repeat(closed_street(), 2, axis=0), {}),
    "every cause": (every_cause(), {"zero": 100, "sentinel": 100, "identical": 100, "max_range": 100}),
    "points that are not finite": (with_nan(), {"identical": 19}),
    "4 identical of 4": (np.full((4, 3), 1.5), {}),
    "5 identical of 8": (np.concatenate([np.full((5, 3), 1.5), [(3, 0, 0), (0, 2, 0), (0, 0, 1)]]), {"identical": 5}),
    "no point": (np.empty((0, 3)), {}),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("kind", ["<f4", "<f8"])
def test_no_returns_are_counted_by_cause(name, kind):
    points, expected = CASES[name]
    counts = np.bincount(no_returns.causes(points.astype(kind)), minlength=5)
    assert dict(zip(no_returns.CAUSES, counts[1:].tolist())) == {cause: expected.get(cause, 0) for cause in no_returns.CAUSES}
    assert counts.sum() == len(points)


def test_the_points_that_are_dropped_are_the_ones():
    points, sky = street()
    assert ((no_returns.causes(points.astype("<f4")) == 4) == sky).all() and 100 < sky.sum() < 1000
    marked = INDEX * 37 % 100 < 41
    assert ((no_returns.causes(with_share(41, 0).astype("<f4")) == 1) == marked).all()


def test_a_rotated_and_shuffled_cloud_has_the_same_causes():
    shuffled = np.random.default_rng(1).permutation(N)
    for points in (street()[0], dome(), noisy_sphere()):
        turned = points[shuffled][:, [1, 2, 0]].astype("<f4")
        assert (no_returns.causes(turned) == no_returns.causes(points.astype("<f4"))[shuffled]).all()
