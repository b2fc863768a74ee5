// The three bodies of a PCD file. T is float if x, y and z are all float32, else double. Throws ndt::InputError; memory is
// taken only after the declared sizes were found in the file.
#pragma once

#include <cstdint>
#include <vector>

#include "byte_source.hpp"
#include "ndt/core/small_matrix.hpp"
#include "pcd_header.hpp"

namespace ndt::harness {

/// Numbers in rows, one point a row; blank lines are skipped.
template <class T>
std::vector<Vec3<T>> read_pcd_ascii(ByteSource& source, const PcdHeader& header);

/// Records, one after the other.
template <class T>
std::vector<Vec3<T>> read_pcd_binary(ByteSource& source, const PcdHeader& header);

/// Two 32-bit sizes (packed, unpacked), then LZF data that unpacks to all values of the first field, of the second, ...
template <class T>
std::vector<Vec3<T>> read_pcd_compressed(ByteSource& source, const PcdHeader& header);

}  // namespace ndt::harness
