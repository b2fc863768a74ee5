// The body of a binary_compressed PCD file. T is float if x, y and z are all float32, else double.
#pragma once

#include <vector>

#include "io/byte_source.hpp"
#include "io/point_layout.hpp"
#include "ndt/core/small_matrix.hpp"

namespace ndt::harness {

/// Two 32-bit sizes (packed, unpacked), then LZF data that unpacks to all values of the first field, of the second, ...
/// Throws ndt::InputError; memory is taken only after the declared sizes were found in the file.
template <class T>
std::vector<Vec3<T>> read_pcd_compressed(ByteSource& source, const PointLayout& layout);

}  // namespace ndt::harness
