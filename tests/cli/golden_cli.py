"""Golden results of the reference through files, command line and JSON, as a user would get them.

Every case runs with the oracle, which is held against the golden numbers, and with persistent_cpu, which is held against the
oracle. Needs the standard library only. Real clouds are added if NDT_GOLDEN_DIR is set. Prints the worst of each quantity.
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BENCH = os.environ["NDT_BENCH"]
GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "courtyard.json"
ORACLE, SHARED_CORE = "cpu_pclomp_ref", "persistent_cpu"

# The bounds, and why they are what they are: epsilon is 10 mm, and users need 1 cm and 0.1 degrees.
SCORE, GRADIENT, HESSIAN, HESSIAN_FAR = 1e-9, 1e-9, 1e-9, 1e-6  # of the largest entry
POSE_MM, POSE_DEG, POSE_SHARE = 0.01, 0.0005, 0.95
WORST_MM, WORST_DEG = 0.5, 0.005  # two builds of the reference differ by 0.14 mm at worst
FAR_MM = 20.0  # one float32 step is 7.8 mm at 80 km
# The shared core works in float32 per point. Its gradient is bounded by the sum of absolute contributions, which the command
# line does not print; the largest gradient entry is smaller, so this is stricter, and useless only where the gradient is 0.
CORE_SCORE, CORE_GRADIENT, CORE_HESSIAN = 1e-6, 5e-5, 1e-5
CORE_MM, CORE_DEG, CORE_SHARE = 1.0, 0.01, 0.99


class Worst:
    """Largest value of each quantity, where it was, and what its bound says."""

    def __init__(self):
        self.rows = {}
        self.shares = {}

    def add(self, quantity, value, bound, where):
        worst, _, _, n = self.rows.get(quantity, (-1.0, bound, "", 0))
        value = math.inf if math.isnan(value) else value
        self.rows[quantity] = (value, bound, where, n + 1) if value > worst else (worst, bound, self.rows[quantity][2], n + 1)

    def share(self, quantity, good, least):
        met, n, _ = self.shares.get(quantity, (0, 0, least))
        self.shares[quantity] = (met + bool(good), n + 1, least)

    def report(self):
        """Prints the table; True if every bound is met."""
        ok = True
        print(f"{'quantity':<44} {'n':>4} {'worst':>10} {'bound':>10}      where")
        for quantity, (value, bound, where, n) in self.rows.items():
            ok &= value <= bound
            print(f"{quantity:<44} {n:>4} {value:>10.3g} {bound:>10.3g} {'ok' if value <= bound else 'BAD':<4} {where}")
        for quantity, (met, n, least) in self.shares.items():
            ok &= met >= least * n
            print(f"{quantity:<44} {n:>4} {met / n:>10.4f} {least:>10.3g} {'ok' if met >= least * n else 'BAD'}")
        return ok


def bench(*args):
    done = subprocess.run([BENCH, *map(str, args)], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode}: {' '.join(map(str, args))}\n{done.stderr}")
    return done.stdout


def pose_difference(a, b):
    """Distance in mm and angle of the relative rotation in degrees."""
    ra, rb = ([m[4 * i + j] for i in range(3) for j in range(3)] for m in (a, b))
    r = [sum(ra[3 * i + k] * rb[3 * j + k] for k in range(3)) for i in range(3) for j in range(3)]
    sine = math.hypot(r[7] - r[5], r[2] - r[6], r[3] - r[1])
    return 1000 * math.dist(a[3:12:4], b[3:12:4]), math.degrees(math.atan2(sine, r[0] + r[4] + r[8] - 1))


def relative(a, b):
    """Largest difference over the largest entry of b."""
    return max(abs(x - y) for x, y in zip(a, b, strict=True)) / max(map(abs, b))


def block_error(a, b):
    """Largest difference of a 3x3 block of the 6x6 over that block's Frobenius norm."""
    worst = 0.0
    for bi in (0, 3):
        for bj in (0, 3):
            at = [6 * (bi + i) + bj + j for i in range(3) for j in range(3)]
            worst = max(worst, math.sqrt(sum((a[k] - b[k]) ** 2 for k in at)) / math.sqrt(sum(b[k] ** 2 for k in at)))
    return worst


class Case:
    """One golden record and the command line that reproduces it."""

    def __init__(self, record, command, name, map_file, scan_file, transform):
        self.golden, self.command = record, command
        self.far = name.endswith(("_far", "_mgrs"))
        regularisation = record.get("regularization")
        self.name = f"{name} {record.get('guess') or record.get('pose_id')} {record['resolution']} m"
        self.args = ["--map", map_file, "--scan", scan_file, "--resolution", record["resolution"], "--threads", 1, "--json",
                     "--guess" if command == "align" else "--pose", ",".join(map(repr, transform))]
        if regularisation:
            self.name += " regularised"
            self.args += ["--reg-scale", regularisation["scale"], "--reg-x", regularisation["x"], "--reg-y",
                          regularisation["y"]]

    def run(self):
        self.oracle, self.core = (
            json.loads(bench(self.command, *self.args, "--implementation", name)) for name in (ORACLE, SHARED_CORE))
        return self


def courtyard_cases(folder):
    golden = json.loads(GOLDEN.read_text())
    for name in ("courtyard", "courtyard_far"):
        bench("export", "--dataset", name, "--out", folder / name)
    for command, records in (("align", golden["runs"]), ("evaluate", golden["evaluations"])):
        for record in records:
            name = record["map"].replace("_map", "")
            guesses = golden["guesses_far" if name.endswith("_far") else "guesses"]
            transform = guesses[record["guess"]] if command == "align" else record["pose"]
            yield Case(record, command, name, folder / name / "map.pcd", folder / name / "scan.pcd", transform)


def real_cases(folder):
    golden = json.loads((folder / "alignments.json").read_text())
    evaluations = json.loads((folder / "evaluations.json").read_text())
    for command, records in (("align", golden["runs"]), ("evaluate", evaluations)):
        for record in records:
            entry = golden["cases"][record["case"]]
            transform = entry["guesses"][record["guess"]] if command == "align" else record["pose"]
            yield Case(record, command, record["case"], folder / entry["map"], folder / entry["scan"], transform)


def check_evaluation(case, worst):
    golden, oracle, core, far = case.golden, case.oracle, case.core, " (far)" if case.far else ""
    worst.add("oracle score, relative", relative([oracle["score"]], [golden["score"]]), SCORE, case.name)
    worst.add("oracle gradient, of largest entry", relative(oracle["gradient"], golden["gradient"]), GRADIENT, case.name)
    worst.add(f"oracle Hessian, of largest entry{far}", relative(oracle["hessian"], golden["hessian"]),
              HESSIAN_FAR if case.far else HESSIAN, case.name)
    worst.add("oracle NVTL, relative", relative([oracle["nvtl"]], [golden["nvtl"]]), SCORE, case.name)
    worst.add("oracle transform probability, relative",
              relative([oracle["transform_probability"]], [golden["tp"]]), SCORE, case.name)
    worst.add("oracle point-voxel pairs, difference",
              abs(oracle["correspondences"] - golden["n_point_voxel_pairs"]), 0, case.name)
    worst.add("oracle points with voxels, difference",
              abs(oracle["points_with_voxels"] - golden["n_points_with_voxels"]), 0, case.name)
    if case.far:
        return  # the oracle rounds to float32 in map coordinates there; the shared core does not
    worst.add("shared core score, relative", relative([core["score"]], [oracle["score"]]), CORE_SCORE, case.name)
    worst.add("shared core gradient, of largest entry", relative(core["gradient"], oracle["gradient"]), CORE_GRADIENT,
              case.name)
    worst.add("shared core Hessian, of each block's norm", block_error(core["hessian"], oracle["hessian"]), CORE_HESSIAN,
              case.name)


def check_alignment(case, worst):
    golden, oracle, core = case.golden, case.oracle, case.core
    mm, deg = pose_difference(oracle["matrix"], golden["pose"])
    worst.add("oracle iterations, difference", abs(oracle["iterations"] - golden["iterations"]), 0, case.name)
    if case.far:
        worst.add("oracle pose, mm (far)", mm, FAR_MM, case.name)
        return
    worst.add("oracle pose, mm", mm, WORST_MM, case.name)
    worst.add("oracle pose, deg", deg, WORST_DEG, case.name)
    worst.share(f"oracle pose within {POSE_MM} mm, {POSE_DEG} deg", mm <= POSE_MM and deg <= POSE_DEG, POSE_SHARE)
    equal = core["iterations"] == oracle["iterations"]
    worst.share("shared core iterations equal", equal, CORE_SHARE)
    if equal:
        mm, deg = pose_difference(core["matrix"], oracle["matrix"])
        worst.add("shared core pose, mm", mm, CORE_MM, case.name)
        worst.add("shared core pose, deg", deg, CORE_DEG, case.name)
    else:
        print(f"iterations differ: {case.name}: {core['iterations']} against {oracle['iterations']}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        cases = list(courtyard_cases(Path(folder)))
        if os.environ.get("NDT_GOLDEN_DIR"):
            cases += real_cases(Path(os.environ["NDT_GOLDEN_DIR"]))
        else:
            print("NDT_GOLDEN_DIR is not set: golden results on real clouds not checked")
        with ThreadPoolExecutor(max_workers=2) as pool:
            done = list(pool.map(Case.run, cases))
    worst = Worst()
    for case in done:
        (check_alignment if case.command == "align" else check_evaluation)(case, worst)
    return 0 if worst.report() else 1


if __name__ == "__main__":
    sys.exit(main())
