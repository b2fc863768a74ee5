"""The answers of Nsight Compute (ncu) about every launch of a program's kernels."""

import csv
import shutil
import subprocess
import tempfile
from pathlib import Path

MICROSECONDS = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1, "ms": 1e3, "msecond": 1e3, "s": 1e6, "second": 1e6}


class NothingMeasured(Exception):
    """Carries the words of Nsight Compute."""


def number(text):
    """None where Nsight Compute has no value (`n/a` and the like)."""
    try:
        return float(text.replace(",", ""))
    except (AttributeError, ValueError):
        return None


def launches(report, metrics):
    """Reads the output of `ncu --csv --page raw`: the `kernel` and the metrics of every launch, times in µs."""
    rows = list(csv.DictReader(line for line in report.splitlines() if line.startswith('"')))
    units = next((row for row in rows if not row["ID"]), {})

    def value(row, metric):
        found = number(row.get(metric))
        return found if found is None else found * MICROSECONDS.get(units.get(metric), 1)

    return [{"kernel": row["Kernel Name"], **{metric: value(row, metric) for metric in metrics}} for row in rows if row["ID"]]


def measure(program, metrics, *flags):
    """The launches of a program, with these metrics; None for one that this GPU does not have."""
    if not shutil.which("ncu"):
        raise NothingMeasured("ncu is not on PATH; it comes with the CUDA toolkit")
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "ncu.csv"
        words = ["ncu", "--csv", "--page", "raw", *flags, "--metrics", ",".join(metrics), "--log-file", str(log)]
        done = subprocess.run([*words, *program], capture_output=True, text=True)
        report = log.read_text() if log.exists() else ""
    errors = [line for text in (report, done.stdout, done.stderr) for line in text.splitlines() if line.startswith("==ERROR==")]
    refused = [metric for metric in metrics if any(metric in line for line in errors)]
    if 0 < len(refused) < len(metrics):
        known = measure(program, [metric for metric in metrics if metric not in refused], *flags)
        return [dict.fromkeys(refused) | launch for launch in known]
    found = launches(report, metrics)
    if done.returncode != 0 or all(launch[metric] is None for launch in found for metric in metrics):
        said = "\n".join(errors) or report or done.stderr
        raise NothingMeasured(f"Nsight Compute measured nothing: {said.strip()[-500:]}")
    return found
