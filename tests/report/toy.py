"""Small frames by hand: measurements of a run with everything at a default that a test does not care for."""

import numpy as np
import pandas as pd
from ndt_report.judge.accuracy import add_success
from ndt_report.judge.reference import add_reference_errors
from synthetic_entries import dataset, implementation, pose_of

REFERENCE, OWN, PEER, CUDA = "cpu_pclomp_ref", "persistent_cpu", "pcl_ndt", "persistent_cuda"


def measurement(implementation=REFERENCE, x=0.0, *, ms=(1.0,), true_x=None, **columns):
    """One measurement: its pose is x metres along x, its repeats took ms."""
    pose = columns.pop("pose", pose_of(x, 0, 0, 0))
    truth = None if true_x is None else pose_of(true_x, 0, 0, 0)
    return {
        "run_id": "r",
        "job": 0,
        "implementation": implementation,
        "dataset": "toy",
        "frame": "f0",
        "guess_name": "g",
        "variant": "autoware",
        "threads": 1,
        "poses": 1,
        "resolution_m": 2.0,
        "points": 1000.0,
        "map_points": 1e5,
        "voxels": 1e3,
        "guess": np.eye(4),
        "guess_offset": None,
        "truth": truth,
        "pose": pose,
        "stop": "converged",
        "iterations": 5.0,
        "evaluations": 6.0,
        "correspondences": 4000.0,
        "oscillation_count": 0.0,
        "newton_fallbacks": 0.0,
        "score": 100.0,
        "transform_probability": 3.0,
        "nvtl": 3.0,
        "build_us": 1000.0,
        "align_us": np.array(ms, float) * 1000,
        "align_after_idle_us": np.array([]),
        "timing": "settled",
        "calibration_us": 100.0,
        "peak_rss_bytes": 1e8,
        "upload_bytes": np.nan,
        "uploads": np.nan,
        "download_bytes": np.nan,
        "downloads": np.nan,
        "launches": np.nan,
        "synchronisations": np.nan,
        "allocations": np.nan,
        "peak_device_bytes": np.nan,
        "translation_error_m": np.nan if truth is None else abs(x - true_x),
        "rotation_error_deg": np.nan if truth is None else 0.0,
        "trace": None,
        "search": None,
        "error": None,
        "error_kind": None,
    } | columns


def failed(implementation, **columns):
    nothing = {
        "pose": None,
        "stop": None,
        "iterations": np.nan,
        "align_us": None,
        "align_after_idle_us": None,
        "timing": None,
        "translation_error_m": np.nan,
        "build_us": np.nan,
        "rotation_error_deg": np.nan,
        "score": np.nan,
        "nvtl": np.nan,
        "correspondences": np.nan,
        "evaluations": np.nan,
    }
    return measurement(implementation, **columns) | nothing | {"error": "it crashed", "error_kind": "crash"}


def implementations(*names):
    return pd.DataFrame([implementation(n) for n in names or (REFERENCE, OWN, PEER, CUDA)]).set_index(
        "name", drop=False
    )


def datasets(*names, **changes):
    return pd.DataFrame([dataset(n, **changes) for n in names or ("toy",)]).set_index("name", drop=False)


def judged(measurements, **changes):
    """With errors against the oracle, and success."""
    frame = pd.DataFrame(measurements)
    known = datasets(*dict.fromkeys(frame.dataset), **changes)
    return add_success(add_reference_errors(frame, REFERENCE), known, REFERENCE)
