#include "io/point_rows.hpp"

#include <fmt/format.h>

#include "base/refusal.hpp"

namespace ndt::harness {
namespace {

template <class T>
void take(const TextWords& words, const PointLayout& layout, std::uint64_t column, Vec3<T>& point) {
  T* const to[] = {&point.x, &point.y, &point.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const CoordinatePlace& place = layout.xyz[axis];
    if (place.column != column) continue;
    *to[axis] =
        place.bytes == 4 ? static_cast<T>(words.number<float>(column)) : static_cast<T>(words.number<double>(column));
    return;
  }
  words.number<double>(column);  // skipped, but it has to be a number
}

template <class T>
bool read_row(TextWords& words, const PointLayout& layout, Vec3<T>& point) {
  return words.row(layout.columns, [&](std::uint64_t column) { take(words, layout, column, point); });
}

}  // namespace

template <class T>
std::vector<Vec3<T>> read_point_rows(TextWords& words, const PointLayout& layout, AfterLastPoint after) {
  // A value takes a digit and a separator; the last separator may be missing.
  const std::uint64_t least = layout.points * layout.columns * 2;
  if (least > words.bytes_left() + 1)
    throw words.refused(fmt::format("{} rows of {} values declared, but only {} bytes follow", layout.points,
                                    layout.columns, words.bytes_left()),
                        kCutOff);
  std::vector<Vec3<T>> points(layout.points);
  std::uint64_t found = 0;
  for (; found < layout.points && read_row(words, layout, points[found]); ++found) {
  }
  if (found < layout.points)
    throw words.refused(fmt::format("the file ends after {} of {} rows", found, layout.points));
  if (Vec3<T> extra; after == AfterLastPoint::end_of_file && read_row(words, layout, extra))
    throw words.refused(fmt::format("more rows than the {} declared", layout.points));
  return points;
}

template std::vector<Vec3<float>> read_point_rows<float>(TextWords&, const PointLayout&, AfterLastPoint);
template std::vector<Vec3<double>> read_point_rows<double>(TextWords&, const PointLayout&, AfterLastPoint);

}  // namespace ndt::harness
