// What a row on a device moved and asked for, counted where it calls CUDA. Rows on the CPU have none.
#pragma once

#include <cstdint>

namespace ndt {

/// Totals since an aligner was made. One alignment's are the difference of two.
struct Traffic {
  std::int64_t upload_bytes = 0, uploads = 0;      ///< host to device: bytes and copies
  std::int64_t download_bytes = 0, downloads = 0;  ///< device to host
  std::int64_t launches = 0;          ///< kernels and graphs started by the host; what a graph starts itself is none
  std::int64_t synchronisations = 0;  ///< times the host waited for the device
  std::int64_t allocations = 0;       ///< of device and pinned memory
  std::int64_t device_bytes = 0;      ///< device memory held now, the most so far in peak_device_bytes
  std::int64_t peak_device_bytes = 0;
};

}  // namespace ndt
