// Transfers, launches, waits and allocations of an implementation on a device, counted where it calls CUDA,
// and how often the blocks of its kernels met. Implementations on the CPU have none.
#pragma once

#include <cstdint>
#include <optional>

namespace ndt {

/// How often the blocks of one alignment met inside kernels, of which the host sees nothing.
struct Meetings {
  std::int64_t exchanges = 0;  ///< sums that the blocks put together from a part of each
  std::int64_t barriers = 0;   ///< times that all blocks of a grid or a cluster waited for one another
};

/// Totals since an aligner or a resident map was made. The counts of one alignment are the difference of two
/// totals.
struct Traffic {
  std::int64_t upload_bytes = 0, uploads = 0;      ///< host to device: bytes and copies
  std::int64_t download_bytes = 0, downloads = 0;  ///< device to host
  std::int64_t launches = 0;           ///< kernels and graphs started by the host, not the kernels in a graph
  std::int64_t synchronisations = 0;   ///< times the host waited for the device
  std::int64_t allocations = 0;        ///< allocations of device and pinned memory
  std::int64_t device_bytes = 0;       ///< device memory held now; peak_device_bytes is the most so far
  std::int64_t peak_device_bytes = 0;  ///< most device memory held so far
  std::optional<Meetings> meetings = Meetings{};  ///< of all alignments; nothing if one's are not known
};

/// Adds a part to a total, which is not known if one of its parts is not.
inline void add(const std::optional<Meetings>& part, std::optional<Meetings>& total) {
  if (!part || !total) {
    total.reset();
    return;
  }
  total->exchanges += part->exchanges, total->barriers += part->barriers;
}

}  // namespace ndt
