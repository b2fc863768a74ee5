"""A run folder as ndt-bench writes it, with numbers known beforehand: measurements are added one by one."""

import json

import numpy as np
from synthetic_entries import IMPLEMENTATIONS, REFERENCE, hash_of, implementation, pose_of, traffic, write_pcd

RUN_ID = "20261121T134819Z"


def trace_of(steps, score, nvtl, errors, rotation, has_truth):
    """Returns what an iteration is said to have found, at each step from the guess (0) to the end (1)."""
    return {
        "score": [float(score * (0.5 + s / 2)) for s in steps],
        "nvtl": [float(nvtl * (0.5 + s / 2)) for s in steps],
        "step_m": [0.0] + [float(0.3 * 0.35**i) for i in range(len(steps) - 1)],
        "translation_error_m": errors if has_truth else None,
        "rotation_error_deg": [rotation * 5 * (1.2 - s) for s in steps] if has_truth else None,
    }


class SyntheticFolder:
    """Measurements are added part by part; write() makes the folder."""

    def __init__(self, seed=1, slow=None, drift=1.0, cuda=True):
        self.random = np.random.default_rng(seed)
        self.world = np.random.default_rng(7)  # scenes do not depend on the run's seed, only timings do
        self.slow, self.drift = slow or {}, drift
        self.names = [n for n in IMPLEMENTATIONS if cuda or not n.endswith("_cuda")]
        self.datasets, self.measurements, self.clouds, self.left_out, self.job = [], [], {}, [], 0

    def measurement(
        self, name, data, frame, guess_name, truth, guess, *, job_factor, threads=1, points=2000, map_points=100_000,
        variant="autoware", timing="settled", success=True, offset=None, has_truth=True, traced=True, iterations=None,
        poses=1, repeats=30,
    ):  # fmt: skip
        peer, gpu = name == "pcl_ndt", name.endswith("_cuda")
        scene = np.random.default_rng(abs(hash_of(data, frame, guess_name)) + (1 if peer else 0))
        final = self._end(scene, name, truth, guess, success)
        iterations = iterations or (int(scene.integers(2, 4)) if peer else int(scene.integers(5, 9)))
        constant, per_point = IMPLEMENTATIONS.get(name, IMPLEMENTATIONS["persistent_cuda"])
        per_evaluation = constant + per_point * points / (1 if gpu else threads**0.9)
        expected = per_evaluation * (iterations + 1) * job_factor * self.slow.get(name, 1.0) * self.drift
        n = repeats if timing != "single" else 1
        after_idle = 5 if n > 1 else 0
        nvtl = (3.0 if success else 1.8) + scene.normal(0, 0.15)
        steps = np.linspace(0, 1, iterations + 1) ** 0.5
        errors = [float(np.linalg.norm((guess[:3, 3] * (1 - s) + final[:3, 3] * s) - truth[:3, 3])) for s in steps]
        rotation = abs(float(scene.normal(0, 0.006)))
        score = nvtl * points * 2
        who = {"run_id": RUN_ID, "job": self.job, "implementation": name, "dataset": data, "frame": frame, "guess_name": guess_name}
        given = {
            "variant": variant, "threads": threads, "poses": poses, "resolution_m": 2.0, "points": points, "guess_offset": offset,
            "guess": list(guess.ravel()), "truth": list(truth.ravel()) if has_truth else None,
        }  # fmt: skip
        found = {
            "map_points": map_points, "voxels": map_points // 80, "pose": list(final.ravel()),
            "stop": "converged" if success or peer else "max_iterations", "iterations": iterations, "evaluations": iterations + 1,
            "correspondences": 4 * points, "oscillation_count": 0, "newton_fallbacks": None if peer else 0, "score": score,
            "transform_probability": nvtl * 2, "nvtl": nvtl, "translation_error_m": errors[-1] if has_truth else None,
            "rotation_error_deg": rotation if has_truth else None,
            "trace": trace_of(steps, score, nvtl, errors, rotation, has_truth) if traced else None,
        }  # fmt: skip
        times = {
            "build_us": 5.0 + 0.12 * map_points * job_factor,
            "align_us": list(expected * self.random.lognormal(0, 0.01, n)),
            "align_after_idle_us": list(1.05 * expected * self.random.lognormal(0, 0.01, after_idle)),
            "timing": timing,
            "calibration_us": 1000.0 * self.drift * self.random.lognormal(0, 0.005),
            "peak_rss_bytes": 90_000_000,
        }
        nothing = dict.fromkeys(("search", "error", "error_kind"))
        self.measurements.append(who | given | found | times | traffic(name, points, iterations) | nothing)
        self.given = set(who | given)

    def _end(self, scene, name, truth, guess, success):
        """Returns where an alignment ends. The scene's own error is common to all; a peer has its own, other
        schedules differ by rounding."""
        common = scene.normal(0, 0.008 if name == "pcl_ndt" else 0.004, 3)
        common[2] *= 0.1
        final = truth @ pose_of(*common, scene.normal(0, 1e-4))
        if not success:
            final = guess @ pose_of(0.05, 0.02, 0, 0.001)
        if name not in (REFERENCE, "pcl_ndt"):
            final = final @ pose_of(*self.world.normal(0, 4e-6, 3), 0)
        return final

    def fail(self, kind="crash", said="the child <process> ended by signal 11"):
        """The measurement added last failed."""
        kept = {key: value if key in self.given else None for key, value in self.measurements[-1].items()}
        self.measurements[-1] = kept | {"error": said, "error_kind": kind}

    def threads_of(self, name):
        return (1,) if name == "pcl_ndt" or name.endswith("_cuda") else (1, 2)

    def jobs(self, cells):
        """One job factor per block of cells and implementation: the machine drifts between processes."""
        self.job += 1
        return float(self.random.lognormal(0, 0.01)), cells

    def cuda(self):
        device = {"name": "Made-up <GPU>", "compute_capability": "9.0", "multiprocessors": 132, "memory_bytes": 150754820096}
        there = any(name.endswith("_cuda") for name in self.names)
        versions = {"driver": "13.0", "driver_release": None, "runtime": "12.8"}
        return {"unavailable": None if there else "no CUDA device", **versions, "devices": 2 * [device] if there else []}

    def planned_jobs(self, planned):
        """As many measurements as there are, or as many as the test says were planned."""
        counts = {}
        for measurement in self.measurements:
            counts[measurement["job"]] = counts.get(measurement["job"], 0) + 1
        jobs = [{"job": job, "row_count": count} for job, count in counts.items()]
        if planned is not None:
            jobs.append({"job": self.job + 1, "row_count": planned - len(self.measurements)})
        return jobs

    def implementations(self):
        """Returns those of the run after the oracle, which is always known, and one for a GPU, available or not."""
        missing = [] if "persistent_cuda" in self.names else [implementation("persistent_cuda", False)]
        return [implementation(n) for n in dict.fromkeys((REFERENCE, *self.names))] + missing

    def write(self, folder, planned=None):
        folder.mkdir(parents=True, exist_ok=True)
        plan = {
            "run_id": RUN_ID, "preset": "synthetic", "description": "made up for the tests", "seed": 1,
            "timing": {"samples": 30, "spread": 0.05, "cap_s": 0.5, "idle_samples": 3},
            "limits": {"measurement_s": 60.0, "memory_mib": 6144}, "left_out": self.left_out, "jobs": self.planned_jobs(planned),
        }  # fmt: skip
        environment = {
            "run_id": RUN_ID, "date_utc": "2026-11-21T13:48:19Z", "commit": "3723fa6-dirty",
            "command_line": "ndt-bench run --preset synthetic --out 'a b'", "compiler": "GNU 12.2.0", "flags": "-O3",
            "build_type": "Release", "sanitizers": "", "cpu_model": "Some <CPU>", "cores": 2, "os": "Debian",
            "versions": {"ndt": "0.1.0"}, "cuda": self.cuda(), "load_average_1_min": 0.2, "variables": {},
        }  # fmt: skip
        files = {"implementations": self.implementations(), "datasets": self.datasets, "plan": plan, "environment": environment}
        for name, content in files.items():
            (folder / f"{name}.json").write_text(json.dumps(content, indent=1))
        (folder / "results.jsonl").write_text("".join(json.dumps(r) + "\n" for r in self.measurements))
        for name, points in self.clouds.items():
            (folder / name).parent.mkdir(exist_ok=True)
            write_pcd(folder / name, points)
        return folder
