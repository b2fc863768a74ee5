// Points in binary. T is float if x, y and z are all float32, else double.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "io/byte_source.hpp"
#include "io/point_layout.hpp"
#include "ndt/core/small_matrix.hpp"

namespace ndt::harness {

/// The bytes at `at` as a value, turned round if they are stored in the other order.
template <class T>
T load(const std::byte* at, std::endian order) {
  std::array<std::byte, sizeof(T)> bytes;
  std::memcpy(bytes.data(), at, sizeof(T));
  if (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

/// Values of one coordinate in memory: first, first + stride, ...
struct ValueColumn {
  const std::byte* first = nullptr;
  std::uint64_t stride = 0, bytes = 4;
};

template <class T>
void gather(const std::array<ValueColumn, 3>& columns, std::endian order, std::span<Vec3<T>> out);

/// Reads layout.points records, one after the other. Throws ndt::InputError; memory is taken only after the declared size
/// was found in the file.
template <class T>
std::vector<Vec3<T>> read_point_records(ByteSource& source, const PointLayout& layout, std::endian order);

}  // namespace ndt::harness
