"""Does the covariance say how wrong a pose is? If it does, the normalised estimation error squared,
NEES = e' P^-1 e, follows a chi-square distribution, with as many degrees of freedom as e has numbers.
[Bar-Shalom, Li and Kirubarajan 2001, Estimation with Applications to Tracking and Navigation, section 5.4]"""

import math

import numpy as np
import pandas as pd

from .errors import rotation_errors_rad
from .frames import VARIANCES

POSITION, POSE = 2, 6  # degrees of freedom: x and y; position and rotation
TAIL = 0.025  # on each side
NEES = ["freedom", "frames", "mean", "low", "high", "inside_share", "finding"]
CITED = "Bar-Shalom, Li and Kirubarajan 2001, section 5.4"
CONSISTENT, TOO_SURE, TOO_CAUTIOUS = "consistent", "too sure", "too cautious"


def with_nees(frames: pd.DataFrame, poses, truth) -> pd.DataFrame:
    """Adds nees_2 and nees_6, NaN where an error or a variance is missing or the covariance is not positive
    definite."""
    xy = frames[["error_x_m", "error_y_m"]].to_numpy(float)
    full = np.hstack([frames[["error_x_m", "error_y_m", "error_z_m"]].to_numpy(float), rotation_errors_rad(poses, truth)])
    xx, cross, yy, *rest = frames[VARIANCES].to_numpy(float).T
    covariance = np.zeros((len(frames), 6, 6))
    covariance[:, 0, 0], covariance[:, 1, 1] = xx, yy
    covariance[:, 0, 1] = covariance[:, 1, 0] = cross
    for i, variance in enumerate(rest, 2):
        covariance[:, i, i] = variance
    return frames.assign(nees_2=_nees(xy, covariance[:, :2, :2]), nees_6=_nees(full, covariance))


def _nees(errors, covariances) -> np.ndarray:
    out = np.full(len(errors), np.nan)
    known = np.isfinite(errors).all(axis=1) & np.isfinite(covariances).all(axis=(1, 2))
    known[known] = (np.linalg.eigvalsh(covariances[known]) > 0).all(axis=1)
    solved = np.linalg.solve(covariances[known], errors[known][:, :, None])[:, :, 0]
    out[known] = np.einsum("ni,ni->n", errors[known], solved)
    return out


def nees_table(frames: pd.DataFrame) -> pd.DataFrame:
    """Returns for each number of degrees of freedom the mean NEES of the frames, its interval, and the share of frames
    within their own. The interval holds the mean in 95 % of runs with right covariances and independent errors."""
    rows = []
    for freedom in (POSITION, POSE):
        values = frames[f"nees_{freedom}"].dropna()
        n = len(values)
        if not n:
            continue
        low, high = (chi_square_quantile(p, n * freedom) / n for p in (TAIL, 1 - TAIL))
        within = values.between(*interval(freedom))
        mean = float(values.mean())
        finding = TOO_SURE if mean > high else TOO_CAUTIOUS if mean < low else CONSISTENT
        rows.append(dict(zip(NEES, [freedom, n, mean, low, high, float(within.mean()), finding])))
    return pd.DataFrame(rows, columns=NEES)


def interval(freedom: int) -> tuple:
    """Returns the bounds of one frame's NEES."""
    return chi_square_quantile(TAIL, freedom), chi_square_quantile(1 - TAIL, freedom)


def chi_square_quantile(p: float, freedom: int) -> float:
    """Finds the quantile by halving, for an even number of degrees of freedom: there the distribution is a sum of Poisson's."""
    if freedom % 2 or freedom < 2:
        raise ValueError(f"chi_square_quantile: {freedom} degrees of freedom, give an even number")
    terms = np.arange(freedom // 2)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(terms[1:]))])
    low, high = 0.0, freedom + 20 * math.sqrt(2 * freedom) + 100
    for _ in range(80):
        middle = (low + high) / 2
        above = float(np.exp(terms * math.log(middle / 2) - middle / 2 - factorials).sum())
        low, high = (middle, high) if 1 - above < p else (low, middle)
    return (low + high) / 2
