// Points as files hold them, in any format: their layout, records of bytes, rows of text, and the cloud made
// of them. T is float if x, y and z are all float32, else double.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "ndt/core/point_cloud.hpp"
#include "ndt/core/small_matrix.hpp"
#include "ndt/io/byte_source.hpp"
#include "ndt/io/text.hpp"

namespace ndt::io {

inline constexpr std::array kAxes{'x', 'y', 'z'};

/// Returns the index of the first field named x (or y, z). If there is none, the capital letter is looked
/// for, which PDAL and others write.
template <class Fields, class Name>
std::optional<std::size_t> coordinate_index(const Fields& fields, Name name, char axis) {
  for (const char letter : {axis, static_cast<char>(axis - 'x' + 'X')}) {
    const auto found = std::ranges::find(fields, std::string_view(&letter, 1), name);
    if (found != std::ranges::end(fields))
      return static_cast<std::size_t>(found - std::ranges::begin(fields));
  }
  return std::nullopt;
}

/// The place of x, y or z, a float of 4 or 8 bytes, or of another number.
struct CoordinatePlace {
  std::uint64_t offset = 0;  ///< bytes before it in a record
  std::uint64_t column = 0;  ///< numbers before it in a row of text
  std::uint64_t bytes = 4;
  char type = 'F';  ///< I and U: whole numbers, signed and not
};

struct PointLayout {
  std::array<CoordinatePlace, 3> xyz;
  std::uint64_t points = 0;        ///< <= Limits::kPoints
  std::uint64_t record_bytes = 0;  ///< of one point, all fields; <= Limits::kRecordBytes
  std::uint64_t columns = 0;       ///< numbers per row of text

  /// At most 2^47: no overflow within the limits.
  std::uint64_t body_bytes() const { return points * record_bytes; }
  bool all_float32() const { return xyz[0].bytes == 4 && xyz[1].bytes == 4 && xyz[2].bytes == 4; }
};

/// Returns the bytes at `at` as a value, reversed if they are stored in the other order.
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
  char type = 'F';  ///< as CoordinatePlace has it
};

template <class T>
void gather(const std::array<ValueColumn, 3>& columns, std::endian order, std::span<Vec3<T>> out);

/// Reads layout.points records, one after the other. Throws ndt::InputError; memory is taken only after the
/// declared size was found in the file.
template <class T>
std::vector<Vec3<T>> read_point_records(ByteSource& source, const PointLayout& layout, std::endian order);

enum class AfterLastPoint { end_of_file, other_rows };

/// Reads layout.points rows; blank lines are skipped. Throws ndt::InputError, also for further rows where the
/// file has to end. Memory is taken only after the declared rows were found to fit into the file.
template <class T>
std::vector<Vec3<T>> read_text_points(TextWords& words, const PointLayout& layout, AfterLastPoint after);

}  // namespace ndt::io
