#include "ndt/gpu_multikernel/implementations.hpp"

#include "aligners.hpp"

namespace ndt::gpu_multikernel {
namespace {

std::string always() { return {}; }
std::string cuda_unavailable_reason() { return cuda_state().unavailable; }

// The outcome of an alignment is 400 bytes (solve/loop_outcome.hpp), the flag of a round 4.
const Implementation kImplementations[] = {
    {.name = "multikernel_cuda",
     .runs_on = "GPU",
     .schedule = "15 steps, a kernel or a library call each (CUB sums, cuSOLVER solves); one 4-byte flag per "
                 "iteration "
                 "comes back",
     .unavailable_reason = cuda_unavailable_reason,
     .make = make_cuda_aligner,
     .batches = true,
     .on_device = true,
     .one_thread = true,
     .solver = cuda_solver,
     .search = "batched",
     .budget = {.bytes_per_round = 4, .final_download_bytes = 400, .allocations = 0}},
    {.name = "multikernel_cpu",
     .runs_on = "CPU threads",
     .schedule = "the same steps as loops on a thread pool: the host twin of multikernel_cuda",
     .unavailable_reason = always,
     .make = make_cpu_aligner,
     .batches = true,
     .search = "batched"},
    {.name = "multikernel_graph_cuda",
     .runs_on = "GPU",
     .schedule = "fused kernels in one CUDA graph with a WHILE node: one launch, nothing moves until it ends",
     .unavailable_reason = graph_unavailable_reason,
     .make = make_graph_aligner,
     .auto_rank = 30,
     .batches = true,
     .on_device = true,
     .one_thread = true,
     .budget = {.launches = 1,
                .waits = 1,
                .bytes_per_iteration = 0,
                .final_download_bytes = 400,
                .allocations = 0}},
    {.name = "multikernel_transfers_cuda",
     .runs_on = "GPU",
     .schedule = "the steps of multikernel_cuda, with the sums and the solves on the host: every point's "
                 "terms come down in every iteration",
     .unavailable_reason = cuda_unavailable_reason,
     .make = make_transfers_aligner,
     .batches = true,
     .on_device = true,
     .one_thread = true,
     .not_for_use = true,
     .budget = {.allocations = 0},
     .note = "a study of what zero transfer buys, not for use; a run measures it where it is named"},
};

}  // namespace

std::span<const Implementation> implementations() { return kImplementations; }

}  // namespace ndt::gpu_multikernel
