"""small_gicp as a peer: GICP, or VGICP with voxels of 1 m. Its own defaults; clouds are thinned to 0.25 m, as it does."""

import sys

import small_gicp
from serve import serve

VOXEL_M = 1.0
LEAF_M = 0.25


def preprocessed(points, threads):
    return small_gicp.preprocess_points(points, downsampling_resolution=LEAF_M, num_threads=threads)


def voxels(points, threads):
    cloud, _ = preprocessed(points, threads)
    voxel_map = small_gicp.GaussianVoxelMap(VOXEL_M)
    voxel_map.insert(cloud)
    return voxel_map


def outcome(result):
    return result.T_target_source, result.converged, result.iterations


def gicp(target, source, guess, threads):
    cloud, tree = target
    return outcome(small_gicp.align(cloud, source[0], tree, guess, num_threads=threads))


def vgicp(target, source, guess, threads):
    return outcome(small_gicp.align(target, source[0], guess, num_threads=threads))


if sys.argv[1] == "gicp":
    serve(preprocessed, preprocessed, gicp)
else:
    serve(voxels, preprocessed, vgicp)
