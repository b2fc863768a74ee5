"""small_gicp as a peer: gicp, or vgicp with voxels of 1 m. Two more arguments set the leaf of its clouds in metres and the number of
neighbours. Without them they are its own defaults, 0.25 m and 10."""

import sys

import small_gicp
from serve import serve

VOXEL_M = 1.0
LEAF_M, NEIGHBOURS = (float(sys.argv[2]), int(sys.argv[3])) if len(sys.argv) > 2 else (0.25, 10)


def preprocessed(points, threads):
    return small_gicp.preprocess_points(points, LEAF_M, NEIGHBOURS, threads)


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
