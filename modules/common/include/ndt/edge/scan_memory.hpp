// The memory that alignments take beside their map: known before Aligner::reserve() takes it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ndt {

/// Bytes, at most.
struct ScanMemory {
  std::uint64_t host = 0;    ///< of the CPU, or beside a device
  std::uint64_t pinned = 0;  ///< of these such that a device copies from and to
  std::uint64_t device = 0;
};

// Upper bounds for an aligner and batches of so many poses of scans of so many points, for persistent_cpu and
// persistent_cuda; multikernel_* take more: up to 256 MiB on the CPU and 1 GiB on a device. Not counted: the
// stacks of threads, what a CUDA driver takes for itself (some 500 MB), traces, and what allocators add.

/// On the CPU: the points that an aligner copies, a run and two poses for each pose, the partial sums of
/// threads.
ScanMemory host_scan_memory(std::size_t points, std::size_t poses);
/// On a device: the points and the starts of poses, here and there; an outcome and a score for each pose;
/// scores of chunks, and what blocks exchange while few poses share the device.
ScanMemory device_scan_memory(std::size_t points, std::size_t poses);

/// Number of bytes of the sums that the blocks of one pose exchange, and the most poses that have such sums.
inline constexpr std::uint64_t kExchangeBytes = 106528;
inline constexpr std::size_t kMostExchanges = 512;

}  // namespace ndt
