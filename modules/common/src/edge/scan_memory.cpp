#include "ndt/edge/scan_memory.hpp"

#include <algorithm>

#include "ndt/edge/loop_aligner.hpp"
#include "ndt/exec/chunks.hpp"
#include "ndt/score/derivative_sums.hpp"
#include "ndt/solve/loop_state.hpp"

namespace ndt {
namespace {

constexpr std::uint64_t kPartials = 2 * kMaxChunks * 320, kSmallParts = std::uint64_t{64} << 10;

/// The runs of a batch, and poses relative to the map's origin.
std::uint64_t run_bytes(std::size_t poses) { return poses * (sizeof(LoopRun) + sizeof(Transform)); }

}  // namespace

ScanMemory host_scan_memory(std::size_t points, std::size_t poses) {
  return {points * sizeof(Point) + run_bytes(poses) + poses * sizeof(Transform) + kPartials + kSmallParts, 0,
          0};
}

ScanMemory device_scan_memory(std::size_t points, std::size_t poses) {
  constexpr std::uint64_t kStart = 512, kChunkScore = 16;  // what travels with a pose, and a chunk's score
  static_assert(sizeof(LoopStart) <= kStart);
  const std::uint64_t travels = points * sizeof(Point) + poses * kStart + 256;
  ScanMemory out;
  out.pinned = travels + poses * (sizeof(LoopOutcome) + sizeof(PoseScore)) + kSmallParts;
  out.host = out.pinned + run_bytes(poses) + poses * kStart + kSmallParts;
  out.device = travels + poses * (kMaxChunks * kChunkScore + sizeof(PoseScore)) +
               std::min(poses, kMostExchanges) * kExchangeBytes;
  return out;
}

}  // namespace ndt
