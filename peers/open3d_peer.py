"""Open3D as a peer: point-to-plane ICP, or generalized ICP. One thread; clouds are thinned to 0.25 m."""

import os
import sys

# Open3D takes every core that it may run on, and has no option for it.
os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import open3d as o3d
from serve import serve

LEAF_M = 0.25
NEIGHBOURS = 10
NEAR_M = 1.0
registration = o3d.pipelines.registration


def thinned(points, _):
    cloud = o3d.geometry.PointCloud(o3d.utility.Vector3dVector(points)).voxel_down_sample(LEAF_M)
    cloud.estimate_normals(o3d.geometry.KDTreeSearchParamKNN(NEIGHBOURS))
    return cloud


def with_covariances(points, threads):
    cloud = thinned(points, threads)
    cloud.estimate_covariances(o3d.geometry.KDTreeSearchParamKNN(NEIGHBOURS))
    return cloud


def outcome(result):
    # The library does not say how it ended, nor after how many iterations.
    return result.transformation, result.fitness > 0, None


def icp(target, source, guess, _):
    plane = registration.TransformationEstimationPointToPlane()
    return outcome(registration.registration_icp(source, target, NEAR_M, guess, plane))


def gicp(target, source, guess, _):
    return outcome(registration.registration_generalized_icp(source, target, NEAR_M, guess))


if sys.argv[1] == "icp":
    serve(thinned, thinned, icp)
else:
    serve(with_covariances, with_covariances, gicp)
