"""Runs the cases that users reported, and compares each with its expected outcome.

    python3 tests/cases/run_cases.py FOLDER [--bench PATH] [--only NAME ...] [--issue q1|q2|all] [--long] [--json FILE]

FOLDER has a folder a case, with the inputs and a README. The expectations stand in wrong_answers.py (q1: input that gave a
silent wrong answer), formats.py (q2: formats, advice, bounds) and bounds.py (q2: cases without a folder). Cases with bags
require NDT_EXTRAS_PYTHON. --long adds the runs that take minutes. Exit code: 1 if a case fails."""

import argparse
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import bounds
import formats
import wrong_answers
from trial import ROOT, Setup, Trial

CASES = {case.name: case for case in wrong_answers.CASES + formats.CASES + bounds.CASES}


def main():
    options = arguments()
    unknown = set(options.only or []) - set(CASES)
    if unknown:
        sys.exit(f"run_cases: no case '{sorted(unknown)[0]}': choose from {', '.join(CASES)}")
    work = Path(tempfile.mkdtemp(prefix="ndt_cases_"))
    setup = Setup(options.folder.resolve(), options.bench.resolve(), os.environ.get("NDT_EXTRAS_PYTHON"), options.long, work)
    try:
        rows = [row for case in chosen(options) if (row := outcome(case, setup))]
    finally:
        shutil.rmtree(work, ignore_errors=True)
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    failed = sum(row["result"] == "FAIL" for row in rows)
    print(f"\n{len(rows)} cases: {sum(row['result'] == 'pass' for row in rows)} pass, {failed} fail, "
          f"{sum(row['result'] == 'skip' for row in rows)} skipped")
    sys.exit(1 if failed else 0)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bench", type=Path, default=ROOT / "build/release/bin/ndt-bench")
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--issue", choices=("q1", "q2", "all"), default="all")
    parser.add_argument("--long", action="store_true")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


def chosen(options):
    cases = [case for case in CASES.values() if options.issue in (case.issue, "all")]
    return [case for case in cases if not options.only or case.name in options.only]


def outcome(case, setup):
    """Runs the case, removes its files, and prints its row."""
    trial, reason = Trial(setup, case.name), skipped(case, setup)
    if not reason:
        try:
            case.run(trial)
        except Exception as error:  # a defect of one case must not hide the results of all later ones
            trial.check(False, f"ran: {type(error).__name__}: {error}")
    shutil.rmtree(trial.work, ignore_errors=True)
    result = "skip" if reason else "FAIL" if trial.failed else "pass"
    row = {"case": case.name, "issue": case.issue, "expected": case.expected, "seen": reason or "; ".join(trial.seen), "result": result}
    print(f"{result}  {case.name} ({case.issue})\n      expected: {case.expected}\n      seen:     {row['seen']}", flush=True)
    return row


def skipped(case, setup):
    if case.own_input or (setup.cases / case.name).is_dir():
        needs = case.needs_extras and not setup.extras
        return "skipped for want of NDT_EXTRAS_PYTHON" if needs else ""
    return f"skipped for want of the folder {case.name}"


if __name__ == "__main__":
    main()
