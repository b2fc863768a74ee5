"""The sections of the page, in its order. A new section is an object of a module and a template in this folder, and a line here."""

from . import accuracy, drives, latency, machine_load, method, poses, results, searches, times, transfers

SECTIONS = [
    results.SECTION,
    accuracy.DENSITY,
    accuracy.PARETO,
    latency.SECTION,
    machine_load.SECTION,
    poses.CONVERGENCE,
    poses.BASIN,
    times.SCALING,
    times.IDLE,
    times.ITERATIONS,
    times.BATCHES,
    searches.SECTION,
    transfers.SECTION,
    drives.TRAJECTORY,
    poses.SCORES,
    drives.PICTURE,
    poses.ANSWERS,
    poses.EQUIVALENCE,
    method.SECTION,
]
