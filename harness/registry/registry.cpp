#include "registry/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "ndt/cpu_pclomp_ref/aligner.hpp"
#include "ndt/gpu_multikernel/aligner.hpp"
#include "ndt/gpu_persistent/aligner.hpp"
#include "ndt/pcl_ndt/aligner.hpp"

namespace ndt::harness {
namespace {

std::string always() { return {}; }

std::string without_pcl() {
  const std::string_view why = build_info().pcl_left_out;
  return why.empty() ? "" : fmt::format("built without PCL: {}", why);
}

/// The library's reason, and why CUDA was left out if it was.
std::string with_build(const std::string& reason) {
  const std::string_view why = build_info().cuda_left_out;
  return reason.empty() || why.empty() ? reason : fmt::format("{}: {}", reason, why);
}
std::string without_cuda() { return with_build(gpu_multikernel::cuda_unavailable_reason()); }
std::string without_grids() { return with_build(gpu_persistent::grid_unavailable_reason()); }
std::string without_clusters() { return with_build(gpu_persistent::cluster_unavailable_reason()); }
std::string without_cuda_graphs() { return with_build(gpu_multikernel::graph_unavailable_reason()); }

constexpr AlignerEntry kAligners[] = {
    {"cpu_pclomp_ref", "CPU threads", "the oracle: the reference's own arithmetic, one parallel loop per evaluation",
     always, [](const AlignOptions& options) { return cpu_pclomp_ref::make_aligner(options); }},
    {"multikernel_cuda", "GPU",
     "15 steps, a kernel or a library call each (CUB sums, cuSOLVER solves); one 4-byte flag per iteration comes back",
     without_cuda,
     [](const AlignOptions& options) -> std::unique_ptr<Aligner> {
       return gpu_multikernel::make_cuda_aligner(options);
     },
     true},
    {"multikernel_cpu", "CPU threads", "the same steps as loops on a thread pool: the host twin of multikernel_cuda",
     always,
     [](const AlignOptions& options) -> std::unique_ptr<Aligner> {
       return gpu_multikernel::make_cpu_aligner(options);
     }},
    {"multikernel_graph_cuda", "GPU",
     "fused kernels in one CUDA graph with a WHILE node: one launch, nothing moves until it ends", without_cuda_graphs,
     [](const AlignOptions& options) -> std::unique_ptr<Aligner> {
       return gpu_multikernel::make_graph_aligner(options);
     },
     true},
    {"persistent_cuda", "GPU",
     "the whole Newton loop in one cooperative launch; the blocks exchange partial sums and never wait at a barrier",
     without_grids,
     [](const AlignOptions& options) -> std::unique_ptr<Aligner> { return gpu_persistent::make_grid_aligner(options); },
     true},
    {"persistent_cpu", "CPU threads",
     "the persistent kernel's body: the whole Newton loop in one launch on a thread pool", always,
     [](const AlignOptions& options) -> std::unique_ptr<Aligner> { return gpu_persistent::make_cpu_aligner(options); }},
    {"persistent_cluster_cuda", "GPU, sm_90 and later",
     "the same loop in one thread-block cluster, which exchanges sums through distributed shared memory",
     without_clusters,
     [](const AlignOptions& options) -> std::unique_ptr<Aligner> {
       return gpu_persistent::make_cluster_aligner(options);
     },
     true},
    {"pcl_ndt", "CPU, one thread", "pcl::NormalDistributionsTransform, a peer: PCL's own algorithm from end to end",
     without_pcl, [](const AlignOptions& options) { return pcl_ndt::make_aligner(options); }, true, true,
     "stops after a step of at most epsilon m and at most epsilon rad; line search, covariance start: PCL's own",
     "compares the squared translation of a step with its transformation epsilon and the cosine of its rotation with "
     "its "
     "rotation epsilon; given epsilon^2 and cos(epsilon) here, so it stops at epsilon m and epsilon rad: given epsilon "
     "as "
     "it is, every alignment with the default options would end after one step (0.1^2 <= 0.01)"},
};

/// Fastest first, on scans of a thousand points and more.
constexpr std::string_view kBySpeed[] = {"persistent_cuda", "multikernel_graph_cuda", "persistent_cpu",
                                         "cpu_pclomp_ref"};

const AlignerEntry* lookup(std::string_view name, std::span<const AlignerEntry> table) {
  const auto found = std::ranges::find(table, name, &AlignerEntry::name);
  return found == table.end() ? nullptr : &*found;
}

const AlignerEntry& fastest(std::span<const AlignerEntry> table) {
  for (const std::string_view name : kBySpeed)
    if (const AlignerEntry* entry = lookup(name, table); entry && entry->unavailable_reason().empty()) return *entry;
  throw NoDeviceError("auto: no implementation can run on this machine; ndt-bench list says why");
}

}  // namespace

std::span<const AlignerEntry> aligners() { return kAligners; }

const AlignerEntry& find_aligner(std::string_view name, std::span<const AlignerEntry> table) {
  if (const AlignerEntry* entry = lookup(name, table)) return *entry;
  std::vector<std::string> names{std::string(kAuto)};
  for (const AlignerEntry& entry : table) names.emplace_back(entry.name);
  throw unknown_name("implementation", name, names);
}

const AlignerEntry& choose_aligner(std::string_view name, std::span<const AlignerEntry> table) {
  if (name == kAuto) return fastest(table);
  const AlignerEntry& entry = find_aligner(name, table);
  if (const std::string reason = entry.unavailable_reason(); !reason.empty())
    throw NoDeviceError(fmt::format("{} cannot run here: {}", name, reason));
  return entry;
}

}  // namespace ndt::harness
