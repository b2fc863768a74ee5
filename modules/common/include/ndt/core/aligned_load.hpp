// Reading records of whole 16-byte rows: a device thread that reads member by member asks its cache once for each.
#pragma once

#include <cstring>

#include "ndt/core/hd.hpp"

namespace ndt {

/// A copy of *from, which no kernel writes while another reads it.
template <class T>
NDT_HD inline T load_rows(const T* from) {
#if defined(__CUDA_ARCH__)
  static_assert(alignof(T) >= sizeof(float4) && sizeof(T) % sizeof(float4) == 0);
  constexpr int kRows = sizeof(T) / sizeof(float4);
  float4 rows[kRows];
  NDT_UNROLL
  for (int i = 0; i < kRows; ++i) rows[i] = __ldg(reinterpret_cast<const float4*>(from) + i);
  T out;
  memcpy(&out, rows, sizeof out);
  return out;
#else
  return *from;
#endif
}

}  // namespace ndt
