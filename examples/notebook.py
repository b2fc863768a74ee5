# %% [markdown]
# # A scan on a map
#
# Editors and Jupyter run the cells of this file one by one; `python3 notebook.py` runs them all. It needs the wheel and matplotlib, and
# beside it the clouds of `ndt-bench export --dataset courtyard --out courtyard`, or your own.

# %%
from pathlib import Path

import matplotlib.pyplot as plt
import ndt
import numpy as np

folder = Path("courtyard")
site, scan = ndt.read_cloud(folder / "map.pcd"), ndt.read_cloud(folder / "scan.pcd")
print(f"map {site.shape}, scan {scan.shape}, {site.dtype}")

# %% [markdown]
# ## Align
# The guess is where the scan was taken, to about a metre and ten degrees.

# %%
yaw = 0.08
guess = np.eye(4)
guess[:2, :2] = [[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]]
guess[:3, 3] = 0.9, -0.7, 0.1
aligner = ndt.Aligner(site, resolution=2.0)
result = aligner.align(scan, guess)
print(f"{result.stop} after {result.iterations} iterations")
print(result.map_from_scan)

# %% [markdown]
# ## Judge
# An alignment may converge at a wrong place. The judge looks beside the pose, and says why it doubts.

# %%
judge = ndt.Judge(aligner, site)
found = judge(aligner, scan, result)
print("verdict", found.verdict, *found.reasons)
print("sigma of x and y [m]", np.sqrt(np.diag(found.covariance)[:2]))

# %% [markdown]
# ## Draw
# The scan over the map, seen from above without the ground, at the guess and where it was aligned.

# %%
figure, axes = plt.subplots(1, 2, figsize=(10, 5.5), layout="constrained")
for axis, title, pose in zip(axes, ("guess", f"aligned: {found.verdict}"), (guess, result.map_from_scan)):
    moved = scan[:, :3] @ pose[:3, :3].T + pose[:3, 3]
    for cloud, size, colour in ((site, 1, "silver"), (moved, 3, "tab:red")):
        x, y, _ = cloud[cloud[:, 2] > 0.3].T
        axis.plot(x, y, ".", markersize=size, color=colour)
    axis.set(title=title, xlabel="x [m]", ylabel="y [m]", aspect="equal")
figure.savefig("aligned.png")
plt.show()
