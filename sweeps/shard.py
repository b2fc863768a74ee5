"""Measures one shard of a plan into a folder, or goes on with it: python3 shard.py BENCH plan.json 2/4 FOLDER"""

import json
import os
import re
import socket
import subprocess
import sys

SOME_FAILED = 4  # measurements that failed are lines with their error, and stand in the report
BAD_INPUT = 2
# A shard of another program cannot be merged with the finished shards, so a differing commit or compiler stays an error.
OTHER_MACHINE = re.compile(r"the run was begun with another (?!commit|compiler)")


def what_is_planned(file):
    with open(file, encoding="utf-8") as stream:
        plan = json.load(stream)
    return {key: value for key, value in plan.items() if key not in ("run_id", "shard")}


def ndt_bench(*words):
    """Its exit code, and its last lines on stderr, which are passed on."""
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, errors="replace")
    last = []
    for line in process.stderr:
        sys.stderr.write(line)
        last = [*last, line][-5:]
    return process.wait(), "".join(last)


def laid_aside(folder):
    """A new name for a folder that this machine may not go on with."""
    number = 1
    while os.path.exists(f"{folder}.begun-elsewhere-{number}"):
        number += 1
    os.rename(folder, f"{folder}.begun-elsewhere-{number}")
    return f"{folder}.begun-elsewhere-{number}"


def measure(bench, plan, shard, folder):
    begin = (bench, "run", "--plan", plan, "--shard", shard, "--yes", "--out", folder)
    own_plan = os.path.join(folder, "plan.json")
    if not os.path.exists(own_plan):
        return ndt_bench(*begin)[0]
    if what_is_planned(own_plan) != what_is_planned(plan):
        sys.exit(f"shard.py: {folder} was measured by another plan than {plan}; give the sweep another --out, or remove the folder")
    code, said = ndt_bench(bench, "run", "--resume", folder)
    if code == BAD_INPUT and OTHER_MACHINE.search(said):
        kept = laid_aside(folder)
        print(f"shard.py: shard {shard} was begun elsewhere, and is begun again on {socket.gethostname()}; what there was is in {kept}",
              file=sys.stderr)
        return ndt_bench(*begin)[0]
    return code


if __name__ == "__main__":
    status = measure(*sys.argv[1:])
    sys.exit(0 if status in (0, SOME_FAILED) else status if status > 0 else 128 - status)
