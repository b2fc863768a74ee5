// What the readers of point clouds say besides the cloud.
#pragma once

#include <cstdint>

namespace ndt::harness {

/// What a reader noticed and accepted.
struct CloudInfo {
  std::uint64_t trailing_bytes =
      0;  ///< bytes after the last point of a binary body that nothing in the header declares
};

}  // namespace ndt::harness
