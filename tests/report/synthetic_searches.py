"""Searches for the initial pose as ndt-bench writes them: particles that end in the true pose, in a second
mode, or where they began."""

import numpy as np
from synthetic_entries import dataset, pose_of
from synthetic_run import SyntheticRun

SIGMA = [5.0, 5.0, 0.1, 0.02, 0.02]
RELIABLE_NVTL = 2.3
SECOND_MODE = (4.0, -6.0)  # from the truth, metres
# name: strategy, method, at_once
SETTINGS = {
    "sequential": ("sequential", "tpe", 1),
    "batched": ("batched", "tpe", 1),
    "batched_persistent q16": ("batched_persistent", "tpe", 16),
    "random": ("batched", "random", 1),
    "grid": ("batched", "grid", 1),
}
US_PER_PARTICLE = {"cpu_pclomp_ref": 2500.0, "persistent_cpu": 700.0, "persistent_cuda": 110.0}
AT_ONCE_GAIN = 0.06  # time of a particle in a large batch on a GPU, of its time alone


def particles_of(random, method, particles, startup, at_once, hard):
    """(starts [n, 3], ends [n, 3], nvtl [n]) about a truth at the origin."""
    starts, ends, nvtl = (np.zeros((particles, k)) for k in (3, 3, 1))
    for i in range(particles):
        start = np.r_[random.normal(0, SIGMA[0], 2), random.uniform(-np.pi, np.pi)]
        round_start = startup + (i - startup) // at_once * at_once
        if method == "tpe" and i >= startup and random.random() < 0.7:
            best = starts[np.argsort(nvtl[:round_start, 0])[-max(1, round_start // 10) :]]
            start = best[random.integers(len(best))] + np.r_[random.normal(0, 0.8, 2), random.normal(0, 0.25)]
        reach = random.uniform(0.8, 2.2) / (2.0 if hard else 1.0)
        starts[i], ends[i], nvtl[i] = start, *end_of(random, start, reach, hard)
    return starts, ends, nvtl[:, 0]


def end_of(random, start, reach, hard):
    for centre, high in (((0.0, 0.0), 3.1), (SECOND_MODE, 3.0 if hard else 2.1)):
        if np.hypot(*(start[:2] - centre)) < reach and abs(start[2]) < 0.35 * reach:
            return np.r_[centre + random.normal(0, 0.03, 2), random.normal(0, 0.004)], random.normal(high, 0.05)
    near = np.exp(-np.hypot(*start[:2]) / 5) * (1 + np.cos(start[2])) / 2  # what guides
    return start + np.r_[random.normal(0, 0.5, 2), random.normal(0, 0.15)], random.normal(1.2 + 1.1 * near, 0.08)


def add_searches(run: SyntheticRun, data="plaza", seeds=20, particles=200, startup=100, settings=None, hard=False, traced=1):
    """Adds for every setting and implementation `seeds` searches of one scan. traced: how many have paths."""
    if data not in [d["name"] for d in run.datasets]:
        run.datasets.append(dataset(data))
    truth = pose_of(30, 12, 0, 0.4)
    guess = truth @ pose_of(1.5, -1.0, 0, 0.5)
    for name in [n for n in run.names if n in US_PER_PARTICLE]:
        for setting, (strategy, method, at_once) in (settings or SETTINGS).items():
            if strategy == "batched_persistent" and not name.startswith("persistent"):
                continue
            run.job += 1
            for seed in range(seeds):
                random = np.random.default_rng([seed, at_once, len(method)])
                walk = particles_of(random, method, particles, startup, at_once, hard)
                us = times(run, name, strategy, particles, startup if method == "tpe" else particles, at_once)
                kept = improvements(walk, us)
                _add_measurement(run, name, data, truth, guess, seed, walk, us, kept)
                run.measurements[-1]["search"] = {
                    "name": setting, "strategy": strategy, "method": method, "particles": particles, "startup": startup,
                    "at_once": at_once, "seed": seed, "sigma": SIGMA, **answer(walk, kept),
                    "paths": paths(walk, truth) if seed < traced else None,
                }
    return run


def add_ladder(run: SyntheticRun, data="plaza", seeds=5, sigmas=(1.0, 5.0, 20.0)):
    """The searches of SETTINGS under names of their own from priors of these widths, and method anywhere from them and in the
    whole map."""
    for sigma_m in (*sigmas, None):
        begun = len(run.measurements)
        settings = {} if sigma_m is None else {f"{name} {sigma_m:g} m": setting for name, setting in SETTINGS.items()}
        settings[f"anywhere {'map' if sigma_m is None else f'{sigma_m:g} m'}"] = ("batched_persistent", "anywhere", 1)
        add_searches(run, data, seeds, particles=40, startup=20, settings=settings, traced=0)
        for measurement in run.measurements[begun:]:
            search = measurement["search"]
            search["sigma"] = [0.0] * 3 + SIGMA[3:] if sigma_m is None else [sigma_m] * 2 + SIGMA[2:]
            search["prior"] = "map" if sigma_m is None else None
            if search["method"] == "anywhere":
                search |= {"place_cell_m": 1.0, "pyramid_us": 9e4, "pyramid_bytes": 1 << 20}
                search |= {"coarse_us": 500.0, "coverage": 1.0, "places": 7}
    return run


def times(run, name, strategy, particles, startup, at_once):
    """When the round of every particle ends, microseconds since the search's start."""
    alone = US_PER_PARTICLE[name] * run.random.lognormal(0, 0.05, particles)
    rounds = np.arange(particles)
    if strategy != "sequential":
        rounds = np.where(rounds < startup, 0, startup + (rounds - startup) // at_once)
    gain = AT_ONCE_GAIN if name.endswith("_cuda") else 0.9
    lengths = {r: alone[rounds == r] for r in np.unique(rounds)}
    ends = np.cumsum([v.sum() if len(v) == 1 else v.mean() + gain * v.sum() for v in lengths.values()])
    return ends[np.searchsorted(list(lengths), rounds)]


def errors_of(end):
    return float(np.hypot(*end[:2])), float(abs(np.degrees((end[2] + np.pi) % (2 * np.pi) - np.pi)))


def improvements(walk, us):
    _, ends, nvtl = walk
    best, out = -np.inf, []
    for i in range(len(ends)):
        if nvtl[i] > best:
            best = nvtl[i]
            metres, degrees = errors_of(ends[i])
            errors = {"translation_error_m": metres, "rotation_error_deg": degrees}
            out.append({"particle": i, "us": float(us[i]), "nvtl": float(best)} | errors)
    return out


def answer(walk, kept):
    _, ends, nvtl = walk
    far = np.hypot(*(ends - ends[kept[-1]["particle"]])[:, :2].T) > 2
    ratio = float(nvtl[far].max() / nvtl.max()) if far.any() else None
    return {
        "best_particle": kept[-1]["particle"], "reliable": bool(nvtl.max() > RELIABLE_NVTL),
        "ambiguous": ratio is not None and ratio > 0.95, "runner_up_ratio": ratio,
        "runner_up_pose": None if ratio is None else list(pose_of(0, 0, 0, 0).ravel()), "improvements": kept,
    }


def paths(walk, truth):
    starts, ends, nvtl = walk
    yaw = np.arctan2(truth[1, 0], truth[0, 0])
    placed = [np.c_[p[:, :2] @ truth[:2, :2].T + truth[:2, 3], p[:, 2] + yaw] for p in (starts, ends)]
    return [[float(v) for v in row] for row in np.c_[placed[0], placed[1], nvtl]]


def _add_measurement(run, name, data, truth, guess, seed, walk, us, kept):
    best = walk[1][kept[-1]["particle"]]
    run.measurement(
        name, data, "scans/000000.bin", f"seed{seed}", truth, guess, job_factor=1, timing="single", traced=False,
        iterations=6 * len(us),
    )
    run.measurements[-1] |= {
        "pose": list((truth @ pose_of(best[0], best[1], 0, best[2])).ravel()), "align_us": [float(us[-1])],
        "nvtl": kept[-1]["nvtl"], "translation_error_m": kept[-1]["translation_error_m"],
        "rotation_error_deg": kept[-1]["rotation_error_deg"], "guess_offset": None,
    }


def plaza(points=6000):
    """A map of walls around the scene of add_searches(), as [n, 3]."""
    random = np.random.default_rng(5)
    walls = []
    corners = [(5, -10, 55, -10), (5, 32, 55, 32), (5, -10, 5, 32), (24, 17, 40, 17)]
    for x0, y0, x1, y1 in [*corners, (24, 17, 24, 32), (37, -10, 37, 8), (37, 8, 55, 8)]:
        t = random.uniform(0, 1, points // 7)
        walls.append(
            np.c_[x0 + t * (x1 - x0), y0 + t * (y1 - y0), random.uniform(0, 3, len(t))] + random.normal(0, 0.05, (len(t), 3))
        )
    return np.concatenate(walls)


def add_map_picture(run: SyntheticRun, data="plaza"):
    entry = next(d for d in run.datasets if d["name"] == data)
    run.clouds |= {"clouds/plaza_map.pcd": plaza(), "clouds/plaza_scan.pcd": plaza(700)}
    entry["picture"] = {"frame": "scans/000000.bin", "map": "clouds/plaza_map.pcd", "scan": "clouds/plaza_scan.pcd"}
    return run
