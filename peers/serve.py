"""The protocol of docs/peers.md for peers in Python: reads requests, takes the time of the work, answers."""

import json
import os
import sys
import time

import numpy as np


def serve(prepare_map, prepare_scan, align=None, search=None, anywhere=None, follow=None):
    """prepare_map and prepare_scan(points, threads) return what align and follow(map, scan, guess, threads),
    search(map, scan, guess, sigma, seed, threads) and anywhere(map, scan, seed, threads) are given. align and follow return the
    pose, whether it converged, and the iterations or None. search and anywhere return the pose, and whether it is reliable or None."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)  # libraries print; answers have stdout to themselves
    work = {"align": align, "follow": follow, "search": search, "anywhere": anywhere}
    prepare = {"map": prepare_map, "scan": prepare_scan}
    prepared = {}
    for line in sys.stdin:
        request = json.loads(line)
        what, answer = request["do"], {}
        if what in prepare:
            points = np.fromfile(request["file"], np.float32).reshape(-1, 3).astype(np.float64)
            begin = time.perf_counter()
            prepared[what] = prepare[what](points, request["threads"])
            answer["us"] = 1e6 * (time.perf_counter() - begin)
        elif what in work:
            given = [prepared["map"], prepared["scan"]]
            if what != "anywhere":
                given.append(np.array(request["guess"]).reshape(4, 4))
            if what == "search":
                given.append(request["sigma"])
            if what in ("search", "anywhere"):
                given.append(request["seed"])
            begin = time.perf_counter()
            pose, *found = work[what](*given, request["threads"])
            answer["us"] = 1e6 * (time.perf_counter() - begin)
            answer["pose"] = np.asarray(pose).ravel().tolist()
            answer |= dict(zip(("reliable",) if what in ("search", "anywhere") else ("converged", "iterations"), found))
        answers.write(json.dumps(answer) + "\n")
