// How wide the records of a cloud without a header are.
#pragma once

#include <optional>

namespace ndt::harness {

/// float32 values of a point in a .bin file, x y z first: 3 to 6; nothing is KITTI's 4.
using BinFields = std::optional<int>;
inline constexpr int kBinFieldsLeast = 3, kBinFieldsMost = 6;

}  // namespace ndt::harness
