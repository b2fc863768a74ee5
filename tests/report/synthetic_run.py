"""Writes run folders as ndt-bench does, with numbers known beforehand: every kind of row that a preset can make."""

import json

import numpy as np
from ndt_report.kinds import BUDGET_KEYS

REFERENCE = "cpu_pclomp_ref"
IMPLEMENTATIONS = {  # microseconds per evaluation: constant, per point
    "cpu_pclomp_ref": (40.0, 0.70), "persistent_cpu": (12.0, 0.17), "pcl_ndt": (60.0, 0.9), "persistent_cuda": (25.0, 0.004),
}
ONE_LAUNCH = {"launches": 1, "waits": 1, "bytes_per_iteration": 0, "allocations": 0}
BUDGETS = {
    "multikernel_cuda": {"bytes_per_round": 4, "final_download_bytes": 400, "allocations": 0},
    "multikernel_graph_cuda": ONE_LAUNCH, "persistent_cuda": ONE_LAUNCH, "persistent_cluster_cuda": ONE_LAUNCH,
}
GUESS_SIGMA = dict(xy_m=0.3, yaw_deg=2.0)


def pose_of(x, y, z, yaw):
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, z], [0, 0, 0, 1.0]])


def implementation(name, available=True):
    peer, gpu = name == "pcl_ndt", name.endswith("_cuda")
    return {"name": name, "runs_on": "GPU" if gpu else "CPU, one thread" if peer else "CPU threads",
            "schedule": "the oracle" if name == REFERENCE else "a <schedule> & more", "note": None, "peer": peer, "one_thread": peer or gpu,
            "stop_rule": "stops when the squared step is <= epsilon" if peer else "stops after a step shorter than epsilon",
            "available": available, "reason": None if available else "no CUDA device", "oracle": name == REFERENCE,
            "budget": dict.fromkeys(BUDGET_KEYS) | BUDGETS[name] if name in BUDGETS else None}


def dataset(name, **changes):
    return {"name": name, "kind": "scan_to_map", "description": f"{name}, made up", "frames": 1, "map_points": 100_000, "resolution_m": 2.0,
            "preparation": "voxel leaf 1 m", "truth_quality": "exact: synthetic", "truth_exact": True, "truth_accuracy_m": 0,
            "success_translation_m": 0.2, "success_rotation_deg": 1.0, "licence": "none", "source": "https://example.invalid/<b>",
            "fingerprint": "00ff", "picture": None} | changes


def traffic(name, points, iterations):
    """Of one alignment: the staged row asks the device after every iteration, the others once."""
    asked = iterations if name == "multikernel_cuda" else 0
    counts = {"upload_bytes": 12 * points + 64, "uploads": 2, "download_bytes": 344 + 4 * asked, "downloads": 1 + asked,
              "launches": 1 + 14 * asked, "synchronisations": 1 + asked, "allocations": 0, "peak_device_bytes": 5_000_000 + 12 * points}
    return counts if name.endswith("_cuda") else dict.fromkeys(counts)


class SyntheticRun:
    """Rows are added part by part; write() makes the folder."""

    def __init__(self, seed=1, slow=None, drift=1.0, cuda=True):
        self.random = np.random.default_rng(seed)
        self.world = np.random.default_rng(7)  # scenes do not depend on the run's seed, only timings do
        self.slow, self.drift = slow or {}, drift
        self.names = [n for n in IMPLEMENTATIONS if cuda or not n.endswith("_cuda")]
        self.datasets, self.rows, self.clouds, self.left_out, self.job = [], [], {}, [], 0

    def row(self, name, data, frame, guess_name, truth, guess, *, job_factor, threads=1, points=2000, map_points=100_000,
            variant="autoware", timing="settled", success=True, offset=None, has_truth=True, traced=True,
            iterations=None, poses=1, repeats=30):
        peer, gpu = name == "pcl_ndt", name.endswith("_cuda")
        # The scene's own error is common to all; a peer has its own, other schedules differ by rounding.
        scene = np.random.default_rng(abs(hash_of(data, frame, guess_name)) + (1 if peer else 0))
        common = scene.normal(0, 0.008 if peer else 0.004, 3)
        common[2] *= 0.1
        final = truth @ pose_of(*common, scene.normal(0, 1e-4))
        if not success:
            final = guess @ pose_of(0.05, 0.02, 0, 0.001)
        if name != REFERENCE and not peer:
            final = final @ pose_of(*self.world.normal(0, 4e-6, 3), 0)
        iterations = iterations or (int(scene.integers(2, 4)) if peer else int(scene.integers(5, 9)))
        constant, per_point = IMPLEMENTATIONS.get(name, IMPLEMENTATIONS["persistent_cuda"])
        per_evaluation = constant + per_point * points / (1 if gpu else threads**0.9)
        expected = per_evaluation * (iterations + 1) * job_factor * self.slow.get(name, 1.0) * self.drift
        n = repeats if timing != "single" else 1
        nvtl = (3.0 if success else 1.8) + scene.normal(0, 0.15)
        steps = np.linspace(0, 1, iterations + 1) ** 0.5
        errors = [float(np.linalg.norm((guess[:3, 3] * (1 - s) + final[:3, 3] * s) - truth[:3, 3])) for s in steps]
        rotation = abs(float(scene.normal(0, 0.006)))
        self.rows.append({
            "run_id": "20261121T134819Z", "job": self.job, "implementation": name, "dataset": data, "frame": frame, "guess_name": guess_name,
            "variant": variant, "threads": threads, "poses": poses, "resolution_m": 2.0, "points": points, "map_points": map_points, "voxels": map_points // 80,
            "guess": list(guess.ravel()), "guess_offset": offset, "truth": list(truth.ravel()) if has_truth else None,
            "pose": list(final.ravel()), "stop": "converged" if success or peer else "max_iterations", "iterations": iterations,
            "evaluations": iterations + 1, "correspondences": 4 * points, "oscillation_count": 0, "newton_fallbacks": None if peer else 0,
            "score": nvtl * points * 2, "transform_probability": nvtl * 2, "nvtl": nvtl, "build_us": 5.0 + 0.12 * map_points * job_factor,
            "align_us": list(expected * self.random.lognormal(0, 0.01, n)),
            "align_after_idle_us": list(1.05 * expected * self.random.lognormal(0, 0.01, 5)) if n > 1 else [],
            "timing": timing, "calibration_us": 1000.0 * self.drift * self.random.lognormal(0, 0.005), "peak_rss_bytes": 90_000_000,
            **traffic(name, points, iterations), "translation_error_m": errors[-1] if has_truth else None,
            "rotation_error_deg": rotation if has_truth else None,
            "trace": {"score": [float(nvtl * points * 2 * (0.5 + s / 2)) for s in steps], "nvtl": [float(nvtl * (0.5 + s / 2)) for s in steps],
                      "step_m": [0.0] + [float(0.3 * 0.35**i) for i in range(iterations)],
                      "translation_error_m": errors if has_truth else None,
                      "rotation_error_deg": [rotation * 5 * (1.2 - s) for s in steps] if has_truth else None} if traced else None,
            "search": None, "error": None, "error_kind": None})

    def fail(self, kind="crash", said="the child <process> ended by signal 11"):
        """The row added last failed."""
        kept = ("run_id", "job", "implementation", "dataset", "frame", "guess_name", "variant", "threads", "poses", "resolution_m", "guess_offset",
                "truth", "guess", "points")
        self.rows[-1] = {k: v if k in kept else None for k, v in self.rows[-1].items()} | {
            "error": said, "error_kind": kind}

    def threads_of(self, name):
        return (1,) if name == "pcl_ndt" or name.endswith("_cuda") else (1, 2)

    def jobs(self, cells):
        """One job factor per block of cells and row: drift of the machine between child processes."""
        self.job += 1
        return float(self.random.lognormal(0, 0.01)), cells

    def tracking(self, data="town", frames=24, block=4, has_truth=True, variants=("autoware",), kind="scan_to_map", **changes):
        drive = [pose_of(2.0 * i, 6 * np.sin(i / 6), 0, 0.2 * np.cos(i / 6)) for i in range(frames)]
        if kind == "sequence":
            drive = [np.linalg.inv(a) @ b for a, b in zip([np.eye(4)] + drive[:-1], drive)]
        self.datasets.append(dataset(data, kind=kind, frames=frames, **changes, **({} if has_truth else {
            "truth_quality": None, "truth_exact": None, "truth_accuracy_m": None})))
        guesses = [t @ pose_of(*self.world.normal(0, 0.3, 2), 0, self.world.normal(0, 0.03)) for t in drive]
        for variant in variants:
            for name in self.names:
                for threads in self.threads_of(name):
                    for start in range(0, frames, block):
                        factor, _ = self.jobs(block)
                        for i in range(start, min(start + block, frames)):
                            self.row(name, data, f"scans/{i:06d}.bin", "noise0", drive[i], guesses[i], job_factor=factor, threads=threads,
                                     variant=variant, has_truth=has_truth)
        return self

    def basin(self, data="courtyard_basin", side=5):
        if data not in [d["name"] for d in self.datasets]:
            self.datasets.append(dataset(data))
        steps = np.linspace(-2, 2, side)
        offsets = {(x, y, 0.0) for x in steps for y in steps} | {(x, 0.0, yaw) for x in steps for yaw in steps * 15}
        for name in self.names:
            self.job += 1
            for i, (x, y, yaw) in enumerate(sorted(offsets)):
                guess = pose_of(x, y, 0, np.radians(yaw))
                reach = 2.4 if name == "pcl_ndt" else 2.0
                self.row(name, data, "scan", f"grid{i}", np.eye(4), guess, job_factor=1, timing="single", success=np.hypot(x, y) + abs(yaw) / 15 <= reach,
                         offset={"x_m": float(x), "y_m": float(y), "z_m": 0.0, "yaw_deg": float(yaw)}, traced=False)
        return self

    def scaling(self, sizes=(1000, 4000, 16000, 64000)):
        for size in sizes:
            self.datasets.append(dataset(f"courtyard_{size}"))
            for name in self.names:
                for threads in self.threads_of(name):
                    for frame in range(3):
                        factor, _ = self.jobs(1)
                        self.row(name, f"courtyard_{size}", "scan", f"guess{frame}", np.eye(4), pose_of(0.2, 0.1 * frame, 0, 0.01),
                                 job_factor=factor, threads=threads, points=size, traced=False)
        return self

    def iterations(self, sizes=(1000, 4000, 16000), variants=("autoware", "batched", "regularised")):
        """Guesses of one scan in several sizes, each with other iterations, the nearest repeated often; a feature makes its iterations slower."""
        for size in sizes:
            self.datasets.append(dataset(f"town_points_{size}"))
            for variant in variants:
                for name in self.names:
                    factor = {"batched": 2.0, "regularised": 1.01}.get(variant, 1.0)
                    self.job += 1
                    for i in (2, 6, 16):
                        self.row(name, f"town_points_{size}", "scan", f"x{i}", np.eye(4), pose_of(0.1 * i, 0, 0, 0), job_factor=factor,
                                 points=size, variant=variant, iterations=i, traced=False, repeats=1000 if i == 2 else 30)
        return self

    def batches(self, points=1000, poses=(1, 10, 100)):
        """Batches of one guess; the largest is skipped on a CPU."""
        if f"town_points_{points}" not in [d["name"] for d in self.datasets]:
            self.datasets.append(dataset(f"town_points_{points}"))
        for name in [n for n in self.names if n.startswith("persistent")]:
            self.job += 1
            for count in poses:
                self.row(name, f"town_points_{points}", "scan", "near", np.eye(4), pose_of(0.3, 0, 0, 0), job_factor=1, points=points,
                         variant="iterations20", iterations=20 * count, poses=count, traced=False)
                if count == max(poses) and not name.endswith("_cuda"):
                    self.fail("skipped", "skipped: 100 poses are more than 1 s")
        return self

    def picture(self, data="town", frame="scans/000003.bin"):
        points = np.random.default_rng(3)
        angle, height = points.uniform(0, 2 * np.pi, 4000), points.uniform(0, 3, 4000)
        scan = np.c_[12 * np.cos(angle), 8 * np.sign(np.sin(angle)), height].astype("<f4")
        entry = next(d for d in self.datasets if d["name"] == data)
        truth = next(np.array(r["truth"]).reshape(4, 4) for r in self.rows if r["dataset"] == data and r["frame"] == frame)
        self.clouds = {"clouds/map.pcd": scan @ truth[:3, :3].T + truth[:3, 3], "clouds/scan.pcd": scan}
        entry["picture"] = {"frame": frame, "map": "clouds/map.pcd", "scan": "clouds/scan.pcd"}
        return self

    def cuda(self):
        devices = [{"name": "Made-up <GPU>", "compute_capability": "9.0", "multiprocessors": 132, "memory_bytes": 150754820096}]
        there = any(name.endswith("_cuda") for name in self.names)
        return {"unavailable": None if there else "no CUDA device", "driver": "13.0", "driver_release": None, "runtime": "12.8",
                "devices": 2 * devices if there else []}

    def planned_jobs(self, planned):
        """As many rows as there are, or as many as the test says were planned."""
        counts = {}
        for row in self.rows:
            counts[row["job"]] = counts.get(row["job"], 0) + 1
        jobs = [{"job": job, "row_count": count} for job, count in counts.items()]
        if planned is not None:
            jobs.append({"job": self.job + 1, "row_count": planned - len(self.rows)})
        return jobs

    def implementations(self):
        """Those of the run after the oracle, which is always known, and one for a GPU, be there one or not."""
        missing = [] if "persistent_cuda" in self.names else [implementation("persistent_cuda", False)]
        return [implementation(n) for n in dict.fromkeys((REFERENCE, *self.names))] + missing

    def write(self, folder, planned=None):
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in {
            "implementations.json": self.implementations(),
            "datasets.json": self.datasets,
            "plan.json": {"run_id": "20261121T134819Z", "preset": "synthetic", "description": "made up for the tests", "seed": 1,
                          "timing": {"samples": 30, "spread": 0.05, "cap_s": 0.5, "idle_samples": 3}, "limits": {"measurement_s": 60.0, "memory_mib": 6144},
                          "left_out": self.left_out, "jobs": self.planned_jobs(planned)},
            "environment.json": {"run_id": "20261121T134819Z", "date_utc": "2026-11-21T13:48:19Z", "commit": "3723fa6-dirty",
                                 "command_line": "ndt-bench run --preset synthetic --out 'a b'", "compiler": "GNU 12.2.0", "flags": "-O3", "build_type": "Release",
                                 "sanitizers": "", "cpu_model": "Some <CPU>", "cores": 2, "os": "Debian", "versions": {"ndt": "0.1.0"},
                                 "cuda": self.cuda(), "load_average_1_min": 0.2, "variables": {}},
        }.items():
            (folder / name).write_text(json.dumps(content, indent=1))
        (folder / "results.jsonl").write_text("".join(json.dumps(r) + "\n" for r in self.rows))
        for name, points in self.clouds.items():
            (folder / name).parent.mkdir(exist_ok=True)
            write_pcd(folder / name, points)
        return folder


def hash_of(*words) -> int:
    """Of the words alone: Python's own hash differs between processes."""
    value = 0
    for char in "|".join(words):
        value = (value * 131 + ord(char)) % (2**31)
    return value


def write_pcd(path, points):
    n = len(points)
    header = (f"# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {n}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\n"
              f"POINTS {n}\nDATA binary\n")
    path.write_bytes(header.encode() + np.asarray(points, "<f4").tobytes())


def every_kind(**options) -> SyntheticRun:
    """Rows of all presets: truth and none, a chained sequence, variants, a basin, sizes, a picture, errors, a missing oracle."""
    run = SyntheticRun(**options)
    run.tracking("town", variants=("autoware", "direct7")).picture("town")
    run.tracking("streets", frames=12, has_truth=False)
    run.tracking("handheld", frames=12, kind="sequence", truth_quality="estimate: another SLAM", truth_exact=False, truth_accuracy_m=0.02)
    run.basin().scaling().iterations().batches()
    names, run.names = run.names, [n for n in run.names if n != REFERENCE]
    run.tracking("orphan", frames=4, block=2)
    run.names = names
    origin = pose_of(0, 0, 0, 0)
    run.datasets.append(dataset("broken"))
    for name in run.names:
        for frame in ("a", "b"):
            run.job += 1
            run.row(name, "broken", frame, "g", origin, origin, job_factor=1)
            if name == "persistent_cpu":
                run.fail("timeout" if frame == "a" else "crash")
    return run
