"""Runs of every preset, made up: tracking, basin, sizes, iterations, batches, a picture."""

import numpy as np
from synthetic_entries import REFERENCE, dataset, pose_of
from synthetic_folder import SyntheticFolder


class SyntheticRun(SyntheticFolder):
    """Parts are added one after the other; write() makes the folder."""

    def tracking(self, data="town", frames=24, block=4, has_truth=True, variants=("autoware",), kind="scan_to_map", **changes):
        drive = [pose_of(2.0 * i, 6 * np.sin(i / 6), 0, 0.2 * np.cos(i / 6)) for i in range(frames)]
        if kind == "sequence":
            drive = [np.linalg.inv(a) @ b for a, b in zip([np.eye(4)] + drive[:-1], drive)]
        self.datasets.append(
            dataset(
                data, kind=kind, frames=frames, **changes,
                **({} if has_truth else {"truth_quality": None, "truth_exact": None, "truth_accuracy_m": None}),
            )
        )
        guesses = [t @ pose_of(*self.world.normal(0, 0.3, 2), 0, self.world.normal(0, 0.03)) for t in drive]
        for variant in variants:
            for name in self.names:
                for threads in self.threads_of(name):
                    for start in range(0, frames, block):
                        factor, _ = self.jobs(block)
                        for i in range(start, min(start + block, frames)):
                            self.measurement(
                                name, data, f"scans/{i:06d}.bin", "noise0", drive[i], guesses[i], job_factor=factor,
                                threads=threads, variant=variant, has_truth=has_truth,
                            )
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
                self.measurement(
                    name, data, "scan", f"grid{i}", np.eye(4), guess, job_factor=1, timing="single",
                    success=np.hypot(x, y) + abs(yaw) / 15 <= reach,
                    offset={"x_m": float(x), "y_m": float(y), "z_m": 0.0, "yaw_deg": float(yaw)}, traced=False,
                )
        return self

    def scaling(self, sizes=(1000, 4000, 16000, 64000)):
        for size in sizes:
            self.datasets.append(dataset(f"courtyard_{size}"))
            for name in self.names:
                for threads in self.threads_of(name):
                    for frame in range(3):
                        factor, _ = self.jobs(1)
                        self.measurement(
                            name, f"courtyard_{size}", "scan", f"guess{frame}", np.eye(4), pose_of(0.2, 0.1 * frame, 0, 0.01),
                            job_factor=factor, threads=threads, points=size, traced=False,
                        )
        return self

    def iterations(self, sizes=(1000, 4000, 16000), variants=("autoware", "batched", "regularised")):
        """Guesses of one scan in several sizes, each with other iterations, the nearest repeated often; a
        feature makes its iterations slower."""
        for size in sizes:
            self.datasets.append(dataset(f"town_points_{size}"))
            for variant in variants:
                for name in self.names:
                    factor = {"batched": 2.0, "regularised": 1.01}.get(variant, 1.0)
                    self.job += 1
                    for i in (2, 6, 16):
                        self.measurement(
                            name, f"town_points_{size}", "scan", f"x{i}", np.eye(4), pose_of(0.1 * i, 0, 0, 0),
                            job_factor=factor, points=size, variant=variant, iterations=i, traced=False,
                            repeats=1000 if i == 2 else 30,
                        )
        return self

    def batches(self, points=1000, poses=(1, 10, 100)):
        """Batches of one guess; the largest is skipped on a CPU."""
        if f"town_points_{points}" not in [d["name"] for d in self.datasets]:
            self.datasets.append(dataset(f"town_points_{points}"))
        for name in [n for n in self.names if n.startswith("persistent")]:
            self.job += 1
            for count in poses:
                self.measurement(
                    name, f"town_points_{points}", "scan", "near", np.eye(4), pose_of(0.3, 0, 0, 0), job_factor=1,
                    points=points, variant="iterations20", iterations=20 * count, poses=count, traced=False,
                )
                if count == max(poses) and not name.endswith("_cuda"):
                    self.fail("skipped", "skipped: 100 poses are more than 1 s")
        return self

    def picture(self, data="town", frame="scans/000003.bin"):
        points = np.random.default_rng(3)
        angle, height = points.uniform(0, 2 * np.pi, 4000), points.uniform(0, 3, 4000)
        scan = np.c_[12 * np.cos(angle), 8 * np.sign(np.sin(angle)), height].astype("<f4")
        entry = next(d for d in self.datasets if d["name"] == data)
        truth = next(
            np.array(r["truth"]).reshape(4, 4) for r in self.measurements if r["dataset"] == data and r["frame"] == frame
        )
        self.clouds = {"clouds/map.pcd": scan @ truth[:3, :3].T + truth[:3, 3], "clouds/scan.pcd": scan}
        entry["picture"] = {"frame": frame, "map": "clouds/map.pcd", "scan": "clouds/scan.pcd"}
        return self


def every_kind(**options) -> SyntheticRun:
    """Measurements of all presets: truth and none, a chained sequence, variants, a basin, sizes, a picture,
    errors, a missing oracle."""
    run = SyntheticRun(**options)
    run.tracking("town", variants=("autoware", "direct7")).picture("town")
    run.tracking("streets", frames=12, has_truth=False)
    run.tracking(
        "handheld", frames=12, kind="sequence", truth_quality="estimate: another SLAM", truth_exact=False, truth_accuracy_m=0.02
    )
    run.basin().scaling().iterations().batches()
    names, run.names = run.names, [n for n in run.names if n != REFERENCE]
    run.tracking("orphan", frames=4, block=2)
    run.names = names
    origin = pose_of(0, 0, 0, 0)
    run.datasets.append(dataset("broken"))
    for name in run.names:
        for frame in ("a", "b"):
            run.job += 1
            run.measurement(name, "broken", frame, "g", origin, origin, job_factor=1)
            if name == "persistent_cpu":
                run.fail("timeout" if frame == "a" else "crash")
    return run
