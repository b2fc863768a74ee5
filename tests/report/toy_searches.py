"""Small searches by hand, as toy.py has alignments."""

from toy import CUDA, measurement

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
