"""Sequences with a map and true poses, and copies of them with damaged scans, GNSS or stamps."""

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trial import tum

EPOCH_S = 1_700_000_000  # stamps of a recording, not of a simulation that starts at 0
FAR_M = 300.0  # no scanner of the sequences sees so far
SEED = 1


@dataclass
class Sequence:
    name: str
    folder: Path
    map: Path
    scans: list  # files
    truth: np.ndarray  # TUM rows, one a scan
    gnss: np.ndarray  # TUM rows


def sequence(folder):
    """Reads a dataset of kind scan_to_map; a dataset without GNSS gets one made of its truth, as the generator of towns does."""
    description = tomllib.loads((folder / "dataset.toml").read_text())
    truth = tum(folder / description["truth"]["file"])
    scans = sorted(file for pattern in description["scans"] for file in folder.glob(pattern)) if "scans" in description else sorted(
        (folder / "scans").glob("*.pcd"))
    gnss = tum(folder / description["gnss"]["file"]) if "gnss" in description else gnss_of(truth)
    return Sequence(description["name"], folder, folder / description["map"], scans, truth, gnss)


def gnss_of(truth, hertz=5, noise_m=0.3):
    times = np.arange(truth[0, 0], truth[-1, 0], 1 / hertz)
    places = np.column_stack([np.interp(times, truth[:, 0], truth[:, axis]) for axis in (1, 2, 3)])
    places += np.random.default_rng(SEED).normal(0, noise_m, places.shape)
    return np.column_stack([times, places, np.tile([0, 0, 0, 1], (len(times), 1))])


# --- points ---

def zeros(share):
    """Writes 0 0 0 for so many points, as drivers do where nothing came back."""
    def damage(points, random):
        points[random.random(len(points)) < share] = 0
        return points
    return damage


def largest_range(share):
    """Moves so many points along their rays to one range, the scanner's largest."""
    def damage(points, random):
        moved = (random.random(len(points)) < share) & (np.linalg.norm(points, axis=1) > 0.1)
        points[moved] *= FAR_M / np.linalg.norm(points[moved], axis=1, keepdims=True)
        return points
    return damage


def sky(share):
    """Adds rays into the sky at the largest range: so many of all points."""
    def damage(points, random):
        count = int(len(points) * share / (1 - share))
        azimuth, height = random.uniform(-np.pi, np.pi, count), np.radians(random.uniform(5, 60, count))
        rays = np.column_stack([np.cos(azimuth) * np.cos(height), np.sin(azimuth) * np.cos(height), np.sin(height)])
        return random.permutation(np.vstack([points, FAR_M * rays]))
    return damage


def in_second_lidar(points):
    """Places of the first lidar, seen by a lidar that is turned by 180 degrees and sits 0.5 m higher."""
    return points * [-1, -1, 1] - [0, 0, 0.5]


# --- GNSS ---

def offset(metres):
    """Adds a constant along the way from the first to the last pose, where it can pull most."""
    def damage(gnss, truth):
        way = truth[-1, 1:3] - truth[0, 1:3]
        gnss[:, 1:3] += metres * way / np.linalg.norm(way)
        return gnss
    return damage


def drift(gnss, truth):
    """Adds 1 m more to each fix."""
    way = truth[-1, 1:3] - truth[0, 1:3]
    gnss[:, 1:3] += np.arange(len(gnss))[:, None] * way / np.linalg.norm(way)
    return gnss


def swapped(gnss, _):
    gnss[:, [1, 2]] = gnss[:, [2, 1]]
    return gnss


# --- files ---

def read_points(file):
    """x y z of a binary PCD whose fields are all float32."""
    header, _, body = file.read_bytes().partition(b"DATA binary\n")
    fields = next(line for line in header.decode().splitlines() if line.startswith("FIELDS")).split()[1:]
    return np.frombuffer(body, "<f4").reshape(-1, len(fields))[:, :3].astype(float)


def write_points(file, points):
    header = ("VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n"
              f"WIDTH {len(points)}\nHEIGHT 1\nPOINTS {len(points)}\nDATA binary\n")
    file.write_bytes(header.encode() + points.astype("<f4").tobytes())


def write_scans(folder, scans, damage=None):
    """A folder of the scans; one generator for all makes each scan's damage another, and every run's the same."""
    folder.mkdir()
    random = np.random.default_rng(SEED)
    for file in scans:
        if damage:
            write_points(folder / file.name, damage(read_points(file), random))
        else:
            os.symlink(file, folder / file.name)


def write_gnss(file, gnss):
    np.savetxt(file, np.column_stack([EPOCH_S + gnss[:, 0], gnss[:, 1:8]]), fmt="%.9f", header="time_s x_m y_m z_m qx qy qz qw")


def write_stamps(file, times_s, units_a_second=1):
    """Whole numbers of milliseconds, microseconds or nanoseconds; seconds with all digits."""
    nanoseconds = [EPOCH_S * 10**9 + round(time * 1e9) for time in times_s]
    if units_a_second == 1:
        lines = [f"{ns // 10**9}.{ns % 10**9:09d}" for ns in nanoseconds]
    else:
        lines = [str(ns * units_a_second // 10**9) for ns in nanoseconds]
    file.write_text("\n".join(lines) + "\n")

