// The choice of a launch's team and of its size, and the reasons for which a device has no team of a kind.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "kernels.cuh"
#include "ndt/cuda/buffer.cuh"
#include "ndt/cuda/clusters.cuh"
#include "ndt/cuda/context.cuh"
#include "ndt/cuda/device.hpp"
#include "ndt/cuda/graph.cuh"
#include "ndt/edge/scan_memory.hpp"
#include "ndt/edge/stage_clock.hpp"

namespace ndt::gpu_persistent {
namespace {

constexpr int kLargestCluster = 16;

inline int multiprocessors(const cuda::Context& context) {
  return cuda_state().devices.at(static_cast<std::size_t>(context.device())).multiprocessors;
}

/// Number of blocks of a grid kernel that the GPU holds at once.
inline int resident_blocks(cuda::Context& context, Kernel kernel, unsigned threads) {
  int per_multiprocessor = 0;
  context.call("cudaOccupancyMaxActiveBlocksPerMultiprocessor", [&] {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel,
                                                         static_cast<int>(threads), 0);
  });
  return per_multiprocessor * multiprocessors(context);
}

/// Number of clusters of `blocks` blocks that the GPU holds at once: fewer than its multiprocessors suffice
/// for, because a cluster's blocks run on neighbouring ones.
inline int clusters_at_once(cuda::Context& context, int blocks) {
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(kMostBlockThreads);
  config.attrs = &attribute;
  config.numAttrs = 1;
  int clusters = 0;
  context.call("cudaOccupancyMaxActiveClusters",
               [&] { return cudaOccupancyMaxActiveClusters(&clusters, kernel_on_cluster(false), &config); });
  return clusters;
}

/// Number of blocks of a cluster: one for each group of chunks if the GPU allows clusters of that size,
/// otherwise the size that every GPU with clusters allows.
inline int cluster_size(cuda::Context& context) {
  const auto allow = [&](Kernel kernel) {
    context.call("cudaFuncSetAttribute", [&] {
      return cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    });
  };
  allow(kernel_on_cluster(false)), allow(kernel_on_cluster(true));
  return clusters_at_once(context, kLargestCluster) > 0 ? kLargestCluster : cuda::kPortableCluster;
}

/// Why a device has no team of a kind; empty if it has.
inline std::string grid_reason(int device) {
  const CudaState& state = cuda_state();
  if (!state.unavailable.empty()) return state.unavailable;
  int cooperative = 0;
  if (cudaDeviceGetAttribute(&cooperative, cudaDevAttrCooperativeLaunch, device) != cudaSuccess ||
      cooperative == 0)
    return state.devices.at(static_cast<std::size_t>(device)).name +
           " cannot launch cooperative kernels, whose blocks wait for one another";
  return {};
}
inline std::string cluster_reason(int device) {
  return cuda::why_no_clusters(kernel_on_cluster(false), device);
}

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

/// Starts the kernel of the team that suits the number of poses.
class Launcher {
 public:
  /// team: that of an alignment alone, and of each of a few.
  Launcher(cuda::Context& context, TeamKind team)
      : context_(context),
        team_(team),
        cluster_size_(team == TeamKind::cluster ? cluster_size(context) : 0),
        exchanges_(context) {}

  /// Whether the kernel fetches the scan itself: sooner done than a copy, but only where no block waits for
  /// more than one chunk of it.
  bool fetches(const ChunkPlan& plan, std::size_t poses) {
    return team_ == TeamKind::grid && poses == 1 && plan.groups.chunks <= most_blocks() &&
           !without(Saving::fetch);
  }
  /// Takes the memory of every launch of up to so many poses: the grid's is for few of them only.
  void reserve(std::size_t poses) {
    if (team_ != TeamKind::grid) return;
    reserve_exchanges(std::min(poses, static_cast<std::size_t>(std::max(most_blocks() / 2, 1))));
  }

  /// After a launch that ended without a result: which block did not arrive, as a clause; empty if all did.
  std::string wait_in_vain() {
    if (!grid_.cooperative) return {};
    for (std::size_t team = 0; team < exchanges_.capacity(); ++team) {
      unsigned long long word = 0;
      context_.fetch(&word, &exchanges_.data()[team].in_vain, sizeof word);
      const WaitInVain wait = WaitInVain::of(word, first_tag_);
      if (wait.block < 0) continue;
      tags_.forget();  // and so the words are cleared
      return "block " + std::to_string(wait.block) + " of " + std::to_string(team_blocks_) +
             " did not arrive in exchange " + std::to_string(wait.tag - first_tag_ + 1) +
             " of the launch within " + std::to_string(kBlockPatienceMs) + " ms";
    }
    return {};
  }

  /// Starts the kernel, and returns the team of each pose. Nothing: the device has no room for a grid of so
  /// many blocks, because other programs have a share of it; from now on grids have half as many. Then the
  /// arguments are to be made anew, because fetches() may answer otherwise. Throws where there is no room for
  /// one block.
  [[nodiscard]] std::optional<TeamKind> launch(PersistentArguments& a, std::size_t poses) {
    grid_ = {};
    try {
      return start(a, static_cast<unsigned>(poses));
    } catch (const cuda::Error& error) {
      if (error.code() != cudaErrorCooperativeLaunchTooLarge || grid_.blocks <= 1) throw;
      resident_ = static_cast<int>(grid_.blocks / 2);
      return std::nullopt;
    }
  }

 private:
  static constexpr unsigned kGatheringThreads = 320, kCrewThreads = 64;

  TeamKind start(PersistentArguments& a, unsigned count) {
    if (count == 1 || a.input.scan.size > kMinChunkItems) {
      const unsigned blocks = team_ == TeamKind::grid ? grid_blocks(a, count) : cluster_blocks(count);
      if (count == 1 || blocks > 1) {
        team_ == TeamKind::grid ? launch_grid(a, count, blocks) : launch_clusters(a, count, blocks);
        return team_;
      }
    }
    launch_blocks(a, count);
    return TeamKind::block;
  }

  static unsigned chunk_threads(const PersistentArguments& a) {
    return static_cast<unsigned>(32 * a.plan.chunk_warps);
  }

  /// Threads of a block: enough for as many chunks at once as fit, and for no more than there are.
  static unsigned block_threads(unsigned chunk_threads, unsigned chunks) {
    const unsigned fit = static_cast<unsigned>(kMostBlockThreads) / chunk_threads;
    return std::max(chunk_threads * std::min(chunks, fit), kLeastBlockThreads);
  }

  /// Threads of a grid's block. Those beyond its chunks' sum no points, if there is room for them: two crews,
  /// which are then early, and more that help to gather.
  static unsigned grid_threads(const PersistentArguments& a, unsigned chunks) {
    const unsigned with_crews = block_threads(chunk_threads(a), chunks) + kCrewThreads;
    return std::clamp(with_crews, kGatheringThreads, static_cast<unsigned>(kMostBlockThreads));
  }
  /// Number of blocks of a grid that the GPU holds at once, with either kind of steps, as far as is known.
  int most_blocks() {
    if (resident_ == 0)
      resident_ = std::min(resident_blocks(context_, kernel_on_grid(false), kMostBlockThreads),
                           resident_blocks(context_, kernel_on_grid(true), kMostBlockThreads));
    return resident_;
  }
  /// Blocks for each of `poses` teams, all of which the GPU holds at once.
  unsigned grid_blocks(const PersistentArguments& a, unsigned poses) {
    return std::min(static_cast<unsigned>(a.plan.groups.chunks),
                    static_cast<unsigned>(most_blocks()) / poses);
  }

  /// Number of blocks of an alignment alone, most of which have a chunk. It is rounded up, because most scans
  /// of a drive then have grids of one size.
  unsigned rounded_blocks(unsigned blocks) {
    constexpr unsigned kUnit = 32;
    return std::min((blocks + kUnit - 1) / kUnit * kUnit, static_cast<unsigned>(most_blocks()));
  }
  void reserve_exchanges(std::size_t poses) {
    static_assert(sizeof(GridExchange) <= kExchangeBytes);
    if (poses <= exchanges_.capacity()) return;
    exchanges_.reserve(poses);
    tags_.forget();
  }

  void launch_grid(PersistentArguments& a, unsigned poses, unsigned blocks) {
    const auto chunks = static_cast<unsigned>(a.plan.groups.chunks);
    cuda::Grid grid{blocks * poses, grid_threads(a, (chunks + blocks - 1) / blocks)};
    grid.cooperative = true;
    reserve_exchanges(poses);
    a.exchanges = exchanges_.data();
    a.team_blocks = blocks;
    const auto evaluations =
        (static_cast<std::uint64_t>(a.input.options.max_iterations) + 1) * StepSearch::kMaxTrials;
    a.first_tag = tags_.take(evaluations + kEndingSums + kBarriers, [&] {
      context_.fill_bytes(exchanges_.data(), 0, exchanges_.capacity() * sizeof(GridExchange));
    });
    team_blocks_ = blocks, first_tag_ = a.first_tag;
    const auto kernel = kernel_on_grid(a.trust_region);
    try {
      if (a.fetch.points != nullptr) {
        grid.blocks = rounded_blocks(blocks);
        if (without(Saving::graph))
          context_.launch(kernel, grid_ = grid, a);
        else
          alone_.launch(context_, kernel, grid_ = grid, a);
      } else {
        context_.launch(kernel, grid_ = grid, a);
      }
    } catch (...) {
      tags_.forget();
      throw;
    }
  }
  /// Blocks for each pose: the largest power of two, up to a cluster, of which the GPU holds one for every
  /// pose.
  unsigned cluster_blocks(unsigned poses) {
    if (clusters_.empty())
      for (int blocks = 1; blocks <= cluster_size_; blocks *= 2)
        clusters_.push_back(clusters_at_once(context_, blocks));
    std::size_t power = clusters_.size() - 1;
    while (power > 0 && static_cast<int>(poses) > clusters_[power]) --power;
    return 1U << power;
  }
  void launch_clusters(const PersistentArguments& a, unsigned poses, unsigned blocks) {
    const ChunkGroups& groups = a.plan.groups;
    const unsigned groups_of_a_block = (static_cast<unsigned>(groups.groups) + blocks - 1) / blocks;
    cuda::Grid grid{
        blocks * poses,
        block_threads(chunk_threads(a), groups_of_a_block * static_cast<unsigned>(groups.per_group))};
    grid.cluster = blocks;
    context_.launch(kernel_on_cluster(a.trust_region), grid, a);
  }

  /// Under a plan for throughput with more poses than multiprocessors, blocks are small, so that several
  /// share one: while one solves, the others sum.
  void launch_blocks(const PersistentArguments& a, unsigned poses) {
    const auto chunks = static_cast<unsigned>(a.plan.groups.chunks),
               groups = static_cast<unsigned>(a.plan.groups.groups);
    if (!a.plan.for_throughput())
      return context_.launch(kernel_on_block(a.trust_region),
                             {poses, block_threads(chunk_threads(a), chunks)}, a);
    const bool small = static_cast<int>(poses) > multiprocessors(context_);
    const unsigned most = small ? kSmallBlockThreads : kMostBlockThreads;
    context_.launch(kernel_on_warp_block(a.trust_region, small),
                    {poses, std::clamp(32 * groups, kLeastBlockThreads, most)}, a);
  }

  cuda::Context& context_;
  TeamKind team_;
  int cluster_size_;
  cuda::DeviceBuffer<GridExchange> exchanges_;
  cuda::KernelGraph alone_;
  Tags tags_;
  cuda::Grid grid_;                           ///< of the last launch, if it was a grid
  unsigned team_blocks_ = 0, first_tag_ = 0;  ///< of it
  int resident_ = 0;                          ///< blocks of a grid; 0: not yet asked for
  std::vector<int> clusters_;                 ///< clusters_at_once() of 1, 2, 4, ... blocks, once asked for
};

}  // namespace
}  // namespace ndt::gpu_persistent
