"""Registers a scan onto a map, both from files, and prints the pose: align_files.py MAP SCAN"""

import sys

import ndt
import numpy as np

map_file, scan_file = sys.argv[1:]
aligner = ndt.Aligner(ndt.read_cloud(map_file), resolution=2.0)
guess = np.eye(4)
guess[:3, 3] = 0.3, -0.2, 0.1
result = aligner.align(ndt.read_cloud(scan_file), guess)
for row in result.map_from_scan.tolist():
    print(*map(repr, row))
sys.exit(not result.converged)
