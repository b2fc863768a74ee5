#include "ndt/io/points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/clouds.hpp"
#include "ndt/io/errors.hpp"

namespace ndt::io {
namespace {

/// Asks for huge pages. Memory that is written for the first time costs a fault a page. Most of the time of
/// reading a large cloud is such faults. It is no error if there are no huge pages.
void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(MADV_HUGEPAGE)
  constexpr std::size_t kHugePage = std::size_t{2} << 20;
  if (std::align(kHugePage, kHugePage, memory, bytes) != nullptr)
    (void)::madvise(memory, bytes / kHugePage * kHugePage, MADV_HUGEPAGE);
#endif
}

/// Room for the points of a file: zeros.
template <class T>
std::vector<Vec3<T>> room_for(std::uint64_t points) {
  std::vector<Vec3<T>> room;
  room.reserve(points);
  prefer_huge_pages(room.data(), points * sizeof(Vec3<T>));
  room.resize(points);
  return room;
}

template <class T>
T whole_value(const std::byte* at, std::uint64_t bytes, bool is_signed, std::endian order) {
  switch (bytes) {
    case 1: return is_signed ? T(load<std::int8_t>(at, order)) : T(load<std::uint8_t>(at, order));
    case 2: return is_signed ? T(load<std::int16_t>(at, order)) : T(load<std::uint16_t>(at, order));
    case 4: return is_signed ? T(load<std::int32_t>(at, order)) : T(load<std::uint32_t>(at, order));
    default: return is_signed ? T(load<std::int64_t>(at, order)) : T(load<std::uint64_t>(at, order));
  }
}

template <class T>
T value(const ValueColumn& column, std::uint64_t i, std::endian order) {
  const std::byte* at = column.first + i * column.stride;
  if (column.type != 'F') return whole_value<T>(at, column.bytes, column.type == 'I', order);
  return column.bytes == 4 ? static_cast<T>(load<float>(at, order)) : static_cast<T>(load<double>(at, order));
}

template <class T>
void take(const TextWords& words, const PointLayout& layout, std::uint64_t column, Vec3<T>& point) {
  T* const to[] = {&point.x, &point.y, &point.z};
  bool taken = false;  // times are read as x, y and z of one column
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const CoordinatePlace& place = layout.xyz[axis];
    if (place.column != column) continue;
    *to[axis] = place.bytes == 4 && place.type == 'F' ? static_cast<T>(words.number<float>(column))
                                                      : static_cast<T>(words.number<double>(column));
    taken = true;
  }
  if (taken) return;
  words.number<double>(column);  // skipped, though it must be a number
}

template <class T>
bool read_row(TextWords& words, const PointLayout& layout, Vec3<T>& point) {
  return words.row(layout.columns, [&](std::uint64_t column) { take(words, layout, column, point); });
}

static_assert(std::numeric_limits<float>::is_iec559, "doubles beyond float32 become infinite");

constexpr double kNearM = 1000;
constexpr double kOriginStepM = 1000;

bool finite(const Vec3<double>& p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }
bool near(const Vec3<double>& p) {
  return std::abs(p.x) <= kNearM && std::abs(p.y) <= kNearM && std::abs(p.z) <= kNearM;
}

/// The upper median of one coordinate of the finite points, of which there is at least one.
double median(const std::vector<Vec3<double>>& points, double Vec3<double>::*axis) {
  std::vector<double> values;
  values.reserve(points.size());
  for (const Vec3<double>& p : points)
    if (finite(p)) values.push_back(p.*axis);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double origin(const std::vector<Vec3<double>>& points, double Vec3<double>::*axis, std::string_view file) {
  const double centre = median(points, axis);
  if (std::abs(centre) > Limits::kOriginM)
    throw refusal(file, "",
                  formatted("the points are around {} m, past the limit of {} m", centre, Limits::kOriginM),
                  "export the cloud in metres");
  return std::floor(centre / kOriginStepM) * kOriginStepM + 0.0;  // 0 for -0, of which a median may be either
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
    throw refusal(source.name(), formatted("byte {}", source.position()),
                  formatted("{} points of {} bytes declared, which is {}, but {} bytes follow", layout.points,
                            layout.record_bytes, layout.body_bytes(), source.remaining()),
                  kCutOff);
  std::vector<Vec3<T>> points = room_for<T>(layout.points);
  if (points.empty()) return points;
  const std::uint64_t per_block = std::max<std::uint64_t>(1, Limits::kRecordBytes / layout.record_bytes);
  std::vector<std::byte> block(std::min(per_block, layout.points) * layout.record_bytes);
  std::array<ValueColumn, 3> columns;
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns[axis] = {block.data() + layout.xyz[axis].offset, layout.record_bytes, layout.xyz[axis].bytes,
                     layout.xyz[axis].type};
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

template <class T>
std::vector<Vec3<T>> read_text_points(TextWords& words, const PointLayout& layout, AfterLastPoint after) {
  // A value takes a digit and a separator; the last separator may be missing.
  const std::uint64_t least = layout.points * layout.columns * 2;
  if (least > words.bytes_left() + 1)
    throw words.refused(formatted("{} rows of {} values declared, but only {} bytes follow", layout.points,
                                  layout.columns, words.bytes_left()),
                        kCutOff);
  std::vector<Vec3<T>> points(layout.points);
  std::uint64_t found = 0;
  for (; found < layout.points && read_row(words, layout, points[found]); ++found) {
  }
  if (found < layout.points)
    throw words.refused(formatted("the file ends after {} of {} rows", found, layout.points));
  if (Vec3<T> extra; after == AfterLastPoint::end_of_file && read_row(words, layout, extra))
    throw words.refused(formatted("more rows than the {} declared", layout.points));
  return points;
}

template std::vector<Vec3<float>> read_text_points<float>(TextWords&, const PointLayout&, AfterLastPoint);
template std::vector<Vec3<double>> read_text_points<double>(TextWords&, const PointLayout&, AfterLastPoint);

PointCloud cloud_of(const std::vector<Vec3<double>>& absolute, std::string_view file) {
  PointCloud cloud;
  if (!std::all_of(absolute.begin(), absolute.end(), [](const auto& p) { return !finite(p) || near(p); }))
    cloud.origin = {origin(absolute, &Vec3<double>::x, file), origin(absolute, &Vec3<double>::y, file),
                    origin(absolute, &Vec3<double>::z, file)};
  cloud.points.reserve(absolute.size());
  for (const Vec3<double>& p : absolute) cloud.points.push_back(cast<float>(p - cloud.origin));
  return cloud;
}

}  // namespace ndt::io
