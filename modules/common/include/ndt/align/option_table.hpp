// Every option of a registration, once. A new one is a member of AlignOptions and a line here; flags, keys,
// help and checks follow.
#pragma once

#include <tuple>

#include "ndt/align/align_options.hpp"
#include "ndt/align/option.hpp"
#include "ndt/core/limits.hpp"

namespace ndt {

/// Every option of a registration, once.
inline constexpr std::tuple kAlignOptions{
    Option{"resolution", &AlignOptions::resolution_m,
           Bounds::closed(Limits::kResolutionLeastM, Limits::kResolutionMostM), "M",
           "voxel edge and neighbour radius"},
    Option{"step", &AlignOptions::step_m, Bounds::above(0, Limits::kStepM), "M",
           "longest step, norm over metres and radians"},
    Option{"epsilon", &AlignOptions::epsilon_m, Bounds::above(0, Limits::kEpsilonM), "M",
           "stop when a step is shorter"},
    Option{"max-iterations", &AlignOptions::max_iterations, Bounds::closed(1, Limits::kIterations), "N",
           "Newton steps at most"},
    Option{"outlier-ratio", &AlignOptions::outlier_ratio, Bounds::between(0, 1), "SHARE",
           "share of outliers"},
    Option{"min-points", &AlignOptions::min_points,
           Bounds::closed(Limits::kVoxelPointsLeast, Limits::kVoxelPointsMost), "N", "points a voxel needs"},
    Option{"eigenvalue-ratio", &AlignOptions::eigenvalue_ratio, Bounds::closed(0, 1), "RATIO",
           "smallest allowed eigenvalue of a voxel's covariance over its largest"},
    Option{"neighbours", &AlignOptions::neighbours, Bounds::none(), "NAME",
           "voxels a point is scored against"},
    Option{"line-search", &AlignOptions::line_search, Bounds::none(), "NAME",
           "how a step's length is chosen"},
    Option{"step-ratios", &AlignOptions::step_ratios, Bounds::none(), "NAME",
           "step lengths that the batched line search tries, as shares of the longest"},
    Option{"covariance-start", &AlignOptions::covariance_start, Bounds::none(), "NAME",
           "start of a voxel's second moments"},
    Option{"newton-step", &AlignOptions::newton_step, Bounds::none(), "NAME",
           "the system that is solved if -H is not positive definite"},
    Option{"hessian", &AlignOptions::hessian, Bounds::none(), "NAME",
           "second derivatives: exact, or with the error of Autoware up to 1.9.0"},
    Option{"step-control", &AlignOptions::step_control, Bounds::none(), "NAME",
           "what bounds and ends the steps"},
    Option{"levels", &AlignOptions::levels, Bounds::closed(Limits::kLevelLeast, Limits::kLevelMost), "LIST",
           "voxel edges over the resolution, coarse to fine"},
    Option{"negative-curvature", &AlignOptions::negative_curvature, Bounds::closed(0, 1), "SHARE",
           "share of the negative curvature in the Hessian before the last steps"},
    Option{"coarse-stride", &AlignOptions::coarse_stride, Bounds::closed(1, Limits::kStride), "N",
           "use every n-th scan point on all levels but the last"},
    Option{"finish", &AlignOptions::finish, Bounds::none(), "NAME",
           "last step: as those before it, or one on overlapping windows"},
    Option{"finish-window", &AlignOptions::finish_window,
           Bounds::closed(Limits::kWindowLeast, Limits::kWindowMost), "SHARE",
           "edge of a window over the resolution"},
    Option{"finish-min-points", &AlignOptions::finish_min_points,
           Bounds::closed(Limits::kVoxelPointsLeast, Limits::kVoxelPointsMost), "N", "points a window needs"},
    Option{"finish-eigenvalue-ratio", &AlignOptions::finish_eigenvalue_ratio, Bounds::closed(0, 1), "RATIO",
           "smallest allowed eigenvalue of a window's covariance over its largest"},
    Option{"reg-scale", &AlignOptions::regularisation_scale, Bounds::closed(0, Limits::kRegularisation),
           "WEIGHT", "weight of the pull towards --reg-x, --reg-y"},
    Option{"tuning", &AlignOptions::tuning, Bounds::none(), "NAME",
           "how a GPU divides a scan's points: for one alignment, or for many at once"},
    Option{"wait", &AlignOptions::wait, Bounds::none(), "NAME",
           "how a thread waits for a GPU; no effect on a CPU"},
    Option{"stream-priority", &AlignOptions::stream_priority, Bounds::none(), "NAME",
           "priority of an alignment's kernels on a GPU; no effect on a CPU"},
    Option{"device", &AlignOptions::device, Bounds::closed(0, Limits::kDevice), "INDEX",
           "CUDA device of the implementations that use one"},
    Option{"devices", &AlignOptions::devices, Bounds::closed(1, Limits::kDevice + 1), "N",
           "CUDA devices that share a batch, from --device on; persistent_cuda and persistent_cluster_cuda"},
    Option{"threads", &AlignOptions::threads, Bounds::closed(0, Limits::kThreads), "N",
           "CPU workers, 0 (default) = one per core", false},
};

}  // namespace ndt
