// The news that blocks of a grid get about a scan that the host still checks and copies.
#pragma once

#include <cuda/atomic>

#include "ndt/exec/grid_team.cuh"

namespace ndt {

/// Passes news of a scan from one block to the others, which wait for the scan.
class ScanRelay {
 public:
  /// tag: the first of the launch, by which words of other launches are told apart.
  __device__ ScanRelay(GridExchange& exchange, unsigned tag)
      : exchange_(exchange), tag_(std::uint64_t{tag} << 32U) {}

  /// So many points are there.
  __device__ void say(std::int64_t points) const {
    Word(exchange_.scan_points)
        .store(tag_ | static_cast<std::uint64_t>(points), ::cuda::memory_order_release);
  }
  /// All points are there, or the scan will not come. per_metre: as ScanArrival's.
  __device__ void end(double per_metre) const {
    exchange_.scan_per_metre = per_metre;
    Word(exchange_.scan_points).store(tag_ | kEnd, ::cuda::memory_order_release);
  }
  /// Waits for the points before `end`. No bound, because the block that relays has one.
  __device__ void wait_for(int end) const {
    while (said() < static_cast<std::uint64_t>(end)) continue;
  }
  /// Waits for the end, and gives what it told.
  __device__ double wait_for_mean_range() const {
    while (said() < kEnd) continue;
    return exchange_.scan_per_metre;
  }

 private:
  using Word = ::cuda::atomic_ref<std::uint64_t, ::cuda::thread_scope_device>;
  static constexpr std::uint64_t kEnd = 0xFFFFFFFF;

  /// 0 before anything was said in this launch.
  __device__ std::uint64_t said() const {
    const std::uint64_t now = Word(exchange_.scan_points).load(::cuda::memory_order_acquire);
    return (now & ~kEnd) == tag_ ? now & kEnd : 0;
  }

  GridExchange& exchange_;
  std::uint64_t tag_;
};

}  // namespace ndt
