"""Small frames by hand: measurements of a run with everything at a default that a test does not care for, and searches."""

import numpy as np
import pandas as pd
from ndt_report.judge.accuracy import add_success
from ndt_report.judge.reference import add_reference_errors
from ndt_report.read.columns import REQUIRED
from synthetic_entries import dataset, implementation, pose_of

REFERENCE, OWN, PEER, CUDA = "cpu_pclomp_ref", "persistent_cpu", "pcl_ndt", "persistent_cuda"


BLANK = {column.name: np.nan if column.kind in ("int", "number") else None for column in REQUIRED}
USUAL = BLANK | {
    "run_id": "r", "job": 0, "dataset": "toy", "frame": "f0", "guess_name": "g", "variant": "autoware", "threads": 1, "poses": 1,
    "resolution_m": 2.0, "points": 1000.0, "map_points": 1e5, "voxels": 1e3, "guess": np.eye(4), "stop": "converged",
    "iterations": 5.0, "evaluations": 6.0, "correspondences": 4000.0, "oscillation_count": 0.0, "newton_fallbacks": 0.0,
    "score": 100.0, "transform_probability": 3.0, "nvtl": 3.0, "build_us": 1000.0, "align_after_idle_us": np.array([]),
    "timing": "settled", "calibration_us": 100.0, "peak_rss_bytes": 1e8,
}  # fmt: skip
OF_A_RESULT = ("pose", "stop", "iterations", "align_us", "align_after_idle_us", "timing", "translation_error_m", "build_us",
               "rotation_error_deg", "score", "nvtl", "correspondences", "evaluations")  # fmt: skip


def measurement(implementation=REFERENCE, x=0.0, *, ms=(1.0,), true_x=None, **columns):
    """One measurement: its pose is x metres along x, its repeats took ms."""
    own = {"implementation": implementation, "pose": pose_of(x, 0, 0, 0), "align_us": np.array(ms, float) * 1000}
    if true_x is not None:
        own |= {"truth": pose_of(true_x, 0, 0, 0), "translation_error_m": abs(x - true_x), "rotation_error_deg": 0.0}
    return USUAL | own | columns


def failed(implementation, **columns):
    nothing = {name: BLANK[name] for name in OF_A_RESULT}
    return measurement(implementation, **columns) | nothing | {"error": "it crashed", "error_kind": "crash"}


def implementations(*names):
    return pd.DataFrame([implementation(n) for n in names or (REFERENCE, OWN, PEER, CUDA)]).set_index("name", drop=False)


def datasets(*names, **changes):
    return pd.DataFrame([dataset(n, **changes) for n in names or ("toy",)]).set_index("name", drop=False)


def judged(measurements, **changes):
    """With errors against the oracle, and success."""
    frame = pd.DataFrame(measurements)
    known = datasets(*dict.fromkeys(frame.dataset), **changes)
    return add_success(add_reference_errors(frame, REFERENCE), known, REFERENCE)


# --- searches ---

NEAR, FAR = (0.2, 1.0), (3.0, 1.0)  # errors of a best particle: m, deg


def best(particle, us, metres, degrees=0.0):
    errors = {"translation_error_m": metres, "rotation_error_deg": degrees}
    return {"particle": particle, "us": us, "nvtl": 1.0 + particle} | errors


def setting(name, **changes):
    strategy = name.split(" ")[0]
    own = strategy in ("random", "grid")
    return {
        "name": name, "strategy": "batched" if own else strategy, "method": strategy if own else "tpe", "particles": 200,
        "startup": 100, "at_once": 1, "seed": 0, "sigma": [5, 5, 0.1, 0.02, 0.02], "best_particle": 7, "reliable": True,
        "ambiguous": False, "runner_up_ratio": None, "runner_up_pose": None,
        "improvements": [best(0, 100.0, 9.0), best(7, 900.0, 0.2)], "paths": None,
    } | changes  # fmt: skip


def search(implementation=CUDA, name="batched_persistent q16", ms=10.0, errors=NEAR, seed=0, columns=None, **changes):
    if name.startswith("batched_persistent"):
        changes = {"at_once": 16} | changes
    made = {"ms": [ms], "true_x": 0, "timing": "single", "guess_name": f"seed{seed}", "iterations": 1000.0}
    made |= {"translation_error_m": errors[0], "rotation_error_deg": errors[1], "search": setting(name, seed=seed, **changes)}
    return measurement(implementation, **made | (columns or {}))


def some(implementation, name, successes, n=20, **changes):
    return [search(implementation, name, seed=i, errors=NEAR if i < successes else FAR, **changes) for i in range(n)]
