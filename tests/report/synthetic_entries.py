"""Parts of a synthetic run folder: entries of implementations.json and datasets.json,
counts, clouds."""

import numpy as np
from ndt_report.read.kinds import BUDGET_KEYS

REFERENCE = "cpu_pclomp_ref"
IMPLEMENTATIONS = {  # microseconds per evaluation: constant, per point
    "cpu_pclomp_ref": (40.0, 0.70),
    "persistent_cpu": (12.0, 0.17),
    "pcl_ndt": (60.0, 0.9),
    "persistent_cuda": (25.0, 0.004),
}
ONE_LAUNCH = {"launches": 1, "waits": 1, "bytes_per_iteration": 0, "allocations": 0}
BUDGETS = {
    "multikernel_cuda": {"bytes_per_round": 4, "final_download_bytes": 400, "allocations": 0},
    "multikernel_graph_cuda": ONE_LAUNCH,
    "persistent_cuda": ONE_LAUNCH,
    "persistent_cluster_cuda": ONE_LAUNCH,
}


def pose_of(x, y, z, yaw):
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, z], [0, 0, 0, 1.0]])


def implementation(name, available=True):
    peer, gpu = name == "pcl_ndt", name.endswith("_cuda")
    return {
        "name": name, "runs_on": "GPU" if gpu else "CPU, one thread" if peer else "CPU threads",
        "schedule": "the oracle" if name == REFERENCE else "a <schedule> & more", "note": None, "peer": peer,
        "one_thread": peer or gpu,
        "stop_rule": ("stops when the squared step is <= epsilon" if peer else "stops after a step shorter than epsilon"),
        "available": available, "reason": None if available else "no CUDA device", "oracle": name == REFERENCE,
        "budget": dict.fromkeys(BUDGET_KEYS) | BUDGETS[name] if name in BUDGETS else None,
    }


def dataset(name, **changes):
    return {
        "name": name, "kind": "scan_to_map", "description": f"{name}, made up", "frames": 1, "map_points": 100_000,
        "resolution_m": 2.0, "preparation": "voxel leaf 1 m", "truth_quality": "exact: synthetic", "truth_exact": True,
        "truth_accuracy_m": 0, "success_translation_m": 0.2, "success_rotation_deg": 1.0, "licence": "none",
        "source": "https://example.invalid/<b>", "fingerprint": "00ff", "picture": None,
    } | changes


def traffic(name, points, iterations):
    """Counts one alignment: the staged implementation asks the device after every iteration, the others once."""
    asked = iterations if name == "multikernel_cuda" else 0
    counts = {
        "upload_bytes": 12 * points + 64, "uploads": 2, "download_bytes": 344 + 4 * asked, "downloads": 1 + asked,
        "launches": 1 + 14 * asked, "synchronisations": 1 + asked, "allocations": 0,
        "peak_device_bytes": 5_000_000 + 12 * points,
    }
    return counts if name.endswith("_cuda") else dict.fromkeys(counts)


def hash_of(*words) -> int:
    """Hashes the words alone: Python's own hash differs between processes."""
    value = 0
    for char in "|".join(words):
        value = (value * 131 + ord(char)) % (2**31)
    return value


def write_pcd(path, points):
    n = len(points)
    header = (
        f"# .PCD v0.7\nVERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH {n}\nHEIGHT"
        f" 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {n}\nDATA binary\n"
    )
    path.write_bytes(header.encode() + np.asarray(points, "<f4").tobytes())
