"""./run localize with a recorded bag, where NDT_DATASETS has one."""

import os
from pathlib import Path

import pytest
from conftest import tum
from test_localize_bags import apart, extras_python, localize  # noqa: F401  # a fixture is found by its name


def test_a_real_bag_and_a_map_are_enough(tmp_path, extras_python):
    if not os.environ.get("NDT_DATASETS"):
        pytest.skip("skipped for want of NDT_DATASETS")
    data = Path(os.environ["NDT_DATASETS"])
    done = localize(extras_python, "--scans", data / "bags/kitti00_zstd.mcap", "--map", data / "kitti00/map_even_020.pcd", "--out", tmp_path,
                    "--scan-voxel-leaf", 1)
    assert "the first scan is searched around the map's origin, since nothing says where it is" in done.stdout
    assert "6 of kitti00_zstd: 6 ok, 0 doubtful, 0 lost" in done.stdout
    assert apart(tum(tmp_path / "poses.tum"), tum(data / "kitti00/poses_scanmatch.tum")) < 0.2
