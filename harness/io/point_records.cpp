#include "io/point_records.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/refusal.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::harness {
namespace {

template <class T>
T value(const ValueColumn& column, std::uint64_t i, std::endian order) {
  const std::byte* at = column.first + i * column.stride;
  return column.bytes == 4 ? static_cast<T>(load<float>(at, order)) : static_cast<T>(load<double>(at, order));
}

}  // namespace

template <class T>
void gather(const std::array<ValueColumn, 3>& columns, std::endian order, std::span<Vec3<T>> out) {
  for (std::uint64_t i = 0; i < out.size(); ++i)
    out[i] = {value<T>(columns[0], i, order), value<T>(columns[1], i, order), value<T>(columns[2], i, order)};
}

template <class T>
std::vector<Vec3<T>> read_point_records(ByteSource& source, const PointLayout& layout, std::endian order) {
  if (layout.body_bytes() > source.remaining())
    throw refusal(source.name(), fmt::format("byte {}", source.position()),
                  fmt::format("{} points of {} bytes declared, which is {}, but {} bytes follow", layout.points,
                              layout.record_bytes, layout.body_bytes(), source.remaining()),
                  kCutOff);
  std::vector<Vec3<T>> points(layout.points);
  if (points.empty()) return points;
  const std::uint64_t per_block = std::max<std::uint64_t>(1, Limits::kRecordBytes / layout.record_bytes);
  std::vector<std::byte> block(std::min(per_block, layout.points) * layout.record_bytes);
  std::array<ValueColumn, 3> columns;
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns[axis] = {block.data() + layout.xyz[axis].offset, layout.record_bytes, layout.xyz[axis].bytes};
  for (std::uint64_t done = 0; done < layout.points; done += per_block) {
    const std::uint64_t now = std::min(per_block, layout.points - done);
    source.read(std::span(block).first(now * layout.record_bytes));
    gather<T>(columns, order, std::span(points).subspan(done, now));
  }
  return points;
}

template void gather<float>(const std::array<ValueColumn, 3>&, std::endian, std::span<Vec3<float>>);
template void gather<double>(const std::array<ValueColumn, 3>&, std::endian, std::span<Vec3<double>>);
template std::vector<Vec3<float>> read_point_records<float>(ByteSource&, const PointLayout&, std::endian);
template std::vector<Vec3<double>> read_point_records<double>(ByteSource&, const PointLayout&, std::endian);

}  // namespace ndt::harness
