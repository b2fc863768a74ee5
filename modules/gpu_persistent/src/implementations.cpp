#include "ndt/gpu_persistent/implementations.hpp"

#include "aligners.hpp"

namespace ndt::gpu_persistent {
namespace {

std::string always() { return {}; }

constexpr Budget kOneLaunch = {
    .launches = 1, .waits = 1, .bytes_per_iteration = 0, .final_download_bytes = 400, .allocations = 0};

const Implementation kImplementations[] = {
    {.name = "persistent_cuda",
     .runs_on = "GPU",
     .schedule = "the whole Newton loop in one cooperative launch; the blocks exchange partial sums and "
                 "never wait at "
                 "a barrier",
     .unavailable_reason = grid_unavailable_reason,
     .make = make_grid_aligner,
     .auto_rank = 40,
     .batches = true,
     .on_device = true,
     .one_thread = true,
     .search = "batched_persistent",
     .budget = kOneLaunch},
    {.name = "persistent_cpu",
     .runs_on = "CPU threads",
     .schedule = "the persistent kernel's body: the whole Newton loop in one launch on a thread pool",
     .unavailable_reason = always,
     .make = make_cpu_aligner,
     .auto_rank = 20,
     .batches = true,
     .search = "batched_persistent"},
    {.name = "persistent_cluster_cuda",
     .runs_on = "GPU, sm_90 and later",
     .schedule =
         "the same loop in one thread-block cluster, which exchanges sums through distributed shared memory",
     .unavailable_reason = cluster_unavailable_reason,
     .make = make_cluster_aligner,
     .batches = true,
     .on_device = true,
     .one_thread = true,
     .budget = kOneLaunch},
};

}  // namespace

std::span<const Implementation> implementations() { return kImplementations; }

}  // namespace ndt::gpu_persistent
