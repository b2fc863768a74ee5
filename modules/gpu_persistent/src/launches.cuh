// The choice of a launch's team and of its size, and the reasons for which a device has no team of a kind.
#pragma once

#include <string>

#include "ndt/cuda/buffer.cuh"
#include "ndt/cuda/clusters.cuh"
#include "ndt/cuda/context.cuh"
#include "ndt/cuda/device.hpp"
#include "persistent_kernels.cuh"

namespace ndt::gpu_persistent {
namespace {

constexpr int kLargestCluster = 16;

inline int multiprocessors(const cuda::Context& context) {
  return cuda_state().devices.at(static_cast<std::size_t>(context.device())).multiprocessors;
}

/// Number of blocks of a grid kernel that the GPU holds at once.
template <class Kernel>
int resident_blocks(cuda::Context& context, Kernel kernel, unsigned threads) {
  int per_multiprocessor = 0;
  context.call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel,
                                                         static_cast<int>(threads), 0);
  });
  return per_multiprocessor * multiprocessors(context);
}

/// Whether a cluster of `blocks` blocks fits the GPU.
inline bool cluster_fits(cuda::Context& context, int blocks) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(kMostBlockThreads);
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  context.call("cudaOccupancyMaxActiveClusters", [&] {
    return cudaOccupancyMaxActiveClusters(&clusters, cluster_kernel<ClampedSteps>, &config);
  });
  return clusters > 0;
}

/// Number of blocks of a cluster: one for each group of chunks if the GPU allows clusters of that size,
/// otherwise the size that every GPU with clusters allows.
inline int cluster_size(cuda::Context& context) {
  const auto allow = [&](auto kernel) {
    context.call("cudaFuncSetAttribute", [&] {
      return cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    });
  };
  allow(cluster_kernel<ClampedSteps>), allow(cluster_kernel<TrustRegion>);
  return cluster_fits(context, kLargestCluster) ? kLargestCluster : cuda::kPortableCluster;
}

inline std::string grid_reason() {
  const CudaState& state = cuda_state();
  if (!state.unavailable.empty()) return state.unavailable;
  int cooperative = 0;
  if (cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, 0) != cudaSuccess ||
      cooperative == 0)
    return state.devices.front().name +
           " cannot launch cooperative kernels, whose blocks wait for one another";
  return {};
}

inline std::string cluster_reason() { return cuda::why_no_clusters(cluster_kernel<ClampedSteps>); }

/// Hands out tags, so that each sum has one that no earlier sum used. When they are used up, the exchange is
/// cleared to tag 0, which no sum uses.
class Tags {
 public:
  /// Returns the first of `count` tags. Calls `clear` if the tags begin anew.
  template <class F>
  unsigned take(std::uint64_t count, F&& clear) {
    if (next_ == 0 || next_ + count > TaggedPartial::kTags) {
      clear();
      next_ = 1;
    }
    const auto first = static_cast<unsigned>(next_);
    next_ += count;
    return first;
  }
  /// Begins anew with the next take(), after a launch that may not have used its tags as planned.
  void forget() { next_ = 0; }

 private:
  std::uint64_t next_ = 0;
};

enum class Team { grid, cluster, block };

/// Starts the kernel of the team that suits the number of poses.
class Launcher {
 public:
  /// alone: the team for an alignment outside a batch.
  Launcher(cuda::Context& context, Team alone)
      : context_(context),
        alone_(alone),
        cluster_size_(cluster_reason().empty() ? cluster_size(context) : 0),
        exchange_(context, alone == Team::grid ? 1 : 0) {}

  void launch(PersistentArguments& a, std::size_t poses) {
    const auto chunk_threads = static_cast<unsigned>(32 * a.plan.chunk_warps);
    const ChunkGroups& groups = a.plan.groups;
    switch (team_for(a.input.scan.size, poses)) {
      case Team::grid: return launch_grid(a, chunk_threads, groups.chunks);
      case Team::cluster: {
        const auto blocks = static_cast<unsigned>(blocks_of_a_pose(poses));
        const unsigned groups_of_a_block = (static_cast<unsigned>(groups.groups) + blocks - 1) / blocks;
        cuda::Grid grid{
            blocks * static_cast<unsigned>(poses),
            block_threads(chunk_threads, groups_of_a_block * static_cast<unsigned>(groups.per_group))};
        grid.cluster = blocks;
        return context_.launch(a.trust_region ? cluster_kernel<TrustRegion> : cluster_kernel<ClampedSteps>,
                               grid, a);
      }
      case Team::block:
        return context_.launch(a.trust_region ? block_kernel<TrustRegion> : block_kernel<ClampedSteps>,
                               {static_cast<unsigned>(poses),
                                block_threads(chunk_threads, static_cast<unsigned>(groups.chunks))},
                               a);
    }
  }

 private:
  static constexpr unsigned kGatheringThreads = 320;

  Team team_for(int points, std::size_t poses) const {
    if (poses == 1) return alone_;
    return blocks_of_a_pose(poses) > 1 && points > kMinChunkItems ? Team::cluster : Team::block;
  }
  /// Blocks for each pose: the largest power of two, up to a cluster, with which all poses fit the GPU's
  /// multiprocessors.
  int blocks_of_a_pose(std::size_t poses) const {
    const int places = multiprocessors(context_);
    int blocks = cluster_size_;
    while (blocks > 1 && static_cast<int>(poses) * blocks > places) blocks /= 2;
    return blocks;
  }
  /// Threads of a block: enough for as many chunks at once as fit, and for no more than there are.
  static unsigned block_threads(unsigned chunk_threads, unsigned chunks) {
    const unsigned fit = static_cast<unsigned>(kMostBlockThreads) / chunk_threads;
    return chunk_threads * (chunks < fit ? chunks : fit);
  }

  void launch_grid(PersistentArguments& a, unsigned chunk_threads, int chunks) {
    // Threads beyond a chunk's sum no points; they help to gather.
    const unsigned threads = chunk_threads < kGatheringThreads ? kGatheringThreads : chunk_threads;
    const auto kernel = a.trust_region ? grid_kernel<TrustRegion> : grid_kernel<ClampedSteps>;
    const int resident = known_resident_blocks(kernel, threads);
    cuda::Grid grid{static_cast<unsigned>(chunks < resident ? chunks : resident), threads};
    grid.cooperative = true;
    a.exchange = exchange_.data();
    const auto evaluations =
        (static_cast<std::uint64_t>(a.input.options.max_iterations) + 1) * StepSearch::kMaxTrials;
    a.first_tag = tags_.take(evaluations + kEndingSums, [&] {
      context_.fill_bytes(exchange_.data(), 0, sizeof(GridExchange));
    });
    try {
      context_.launch(kernel, grid, a);
    } catch (...) {
      tags_.forget();
      throw;
    }
  }
  template <class Kernel>
  int known_resident_blocks(Kernel kernel, unsigned threads) {
    int& known = resident_[threads / 32];
    if (known == 0) known = resident_blocks(context_, kernel, threads);
    return known;
  }

  cuda::Context& context_;
  Team alone_;
  int cluster_size_;
  cuda::DeviceBuffer<GridExchange> exchange_;
  Tags tags_;
  int resident_[kMostBlockThreads / 32 + 1] = {};
};

}  // namespace
}  // namespace ndt::gpu_persistent
