
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "ndt/align/option.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/byte_source.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/cloud_output.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/points.hpp"

namespace ndt::io {
namespace {

// Values of one column are like each other and unlike those of the next. Split by the true width, the columns
// therefore explain a part of the variance (0.4 to 0.7 in scans). Split by another width, every class holds a
// bit of each column, and they explain nothing (1e-4). Only finite values count.
class Columns {
 public:
  static constexpr std::size_t kPlaces = 60;  ///< a multiple of every width that is looked for

  void add(std::size_t place, float value) {
    if (!std::isfinite(value)) return;
    Sums& sums = of_place_[place % kPlaces];
    const double with_sign = std::asinh(static_cast<double>(value));  // far points do not outweigh the rest
    sums.count += 1;
    sums.negative += value < 0 ? 1 : 0;
    sums.zero += value == 0 ? 1 : 0;
    sums.value[0] += with_sign;
    sums.value[1] += std::abs(with_sign);
    sums.squares += with_sign * with_sign;
  }

  double count() const { return of_width(1)[0].count; }
  /// True if the fourth number is always 0, as without intensities; another width would mix in coordinates.
  bool fourth_is_zero() const {
    const Sums fourth = of_width(4)[3];
    return fourth.zero == fourth.count;
  }
  double negative_share_of_fourth() const {
    const Sums fourth = of_width(4)[3];
    return fourth.count > 0 ? fourth.negative / fourth.count : 0;
  }
  /// The part of the variance, of values or of magnitudes, that `width` columns explain.
  double explained(std::size_t width) const {
    const Sums all = of_width(1)[0];
    double most = 0;
    for (int feature = 0; feature < 2 && all.count > 0; ++feature) {
      const double mean_part = all.value[feature] * all.value[feature] / all.count;
      double between = -mean_part;
      for (const Sums& column : of_width(width))
        if (column.count > 0) between += column.value[feature] * column.value[feature] / column.count;
      const double total = all.squares - mean_part;
      if (total > 1e-9 * all.squares) most = std::max(most, between / total);
    }
    return most;
  }

 private:
  struct Sums {
    double count = 0, negative = 0, zero = 0, value[2] = {}, squares = 0;
  };
  std::vector<Sums> of_width(std::size_t width) const {
    std::vector<Sums> columns(width);
    for (std::size_t place = 0; place < kPlaces; ++place) {
      const Sums& from = of_place_[place];
      Sums& to = columns[place % width];
      to.count += from.count;
      to.negative += from.negative;
      to.zero += from.zero;
      for (int feature = 0; feature < 2; ++feature) to.value[feature] += from.value[feature];
      to.squares += from.squares;
    }
    return columns;
  }

  std::array<Sums, kPlaces> of_place_;
};

/// Looks at four stretches of the file, evenly spread, or at all of a small one.
Columns columns_of(const std::filesystem::path& file) {
  constexpr std::uint64_t kStep = Columns::kPlaces * sizeof(float), kStretches = 4, kStretch = 1000 * kStep;
  ByteSource source(file);
  Columns columns;
  std::vector<std::byte> bytes;
  for (std::uint64_t k = 0; k < kStretches; ++k) {
    const std::uint64_t from = std::max(source.position(), source.size() / kStretches * k / kStep * kStep);
    source.skip(from - source.position());
    bytes.resize(std::min(kStretch, source.remaining()) / sizeof(float) * sizeof(float));
    source.read(bytes);
    for (std::size_t place = 0; place < bytes.size() / sizeof(float); ++place)
      columns.add(place, load<float>(bytes.data() + place * sizeof(float), std::endian::little));
  }
  return columns;
}

/// The width that explains clearly more than `fields` does, if one does. What repeats after 3 also does after
/// 6, in scans of alternating beams a little better.
std::optional<std::size_t> other_width(const Columns& columns, std::size_t fields) {
  constexpr std::size_t kWidths[] = {3, 4, 5, 6};
  const double chance = 40 / columns.count();  // random values explain up to this much
  double most = 0;
  for (const std::size_t width : kWidths) most = std::max(most, columns.explained(width));
  if (!(most > 2 * columns.explained(fields) + 0.05 + chance)) return std::nullopt;
  return *std::ranges::find_if(kWidths, [&](auto width) { return columns.explained(width) > 0.5 * most; });
}

/// True where the fourth value has both signs as a coordinate has, and the columns do not differ.
bool fourth_is_a_coordinate(const Columns& columns) {
  constexpr double kEnough = 1200;
  const double negative = columns.negative_share_of_fourth();
  return columns.count() >= kEnough && columns.explained(4) < 0.01 && negative > 0.1 && negative < 0.9;
}

/// Throws InputError for a file whose values repeat with another width than `fields` float32 (3 to 6). Throws
/// it also if the fourth value of four is a coordinate. The message names the width that it looks like. A
/// file of few points passes, and so does one whose values say nothing about its width or repeat with a
/// divisor of `fields`.
void require_records_of(std::size_t fields, const std::filesystem::path& file) {
  const Columns columns = columns_of(file);
  if (fields == 4 && columns.fourth_is_zero()) return;
  std::string what, advice;
  if (const auto width = other_width(columns, fields)) {
    what = formatted("looks like records of {} float32; they would be read as {}{}", *width, fields,
                     fields == 4 ? " (x y z intensity)" : "");
    advice = formatted(
        "give --bin-fields {0} (in a dataset.toml: bin_fields = {0}), or write it as .pcd or .ply", *width);
  } else if (fields == 4 && fourth_is_a_coordinate(columns)) {
    what = formatted(
        "the fourth float32 of a record is negative in {:.0f} % of them and varies like the other three, "
        "unlike an intensity; it looks like records of 3 or 5 float32",
        100 * columns.negative_share_of_fourth());
    advice = "give --bin-fields (in a dataset.toml: bin_fields), or write it as .pcd or .ply";
  }
  if (!what.empty()) throw refusal(printable_name(file.native()), "", what, advice);
}

constexpr int kKittiFields = 4;

PointLayout layout_of(const ByteSource& source, int fields) {
  const std::uint64_t record_bytes = static_cast<std::uint64_t>(fields) * sizeof(float);
  const std::uint64_t points = source.size() / record_bytes, rest = source.size() % record_bytes;
  if (rest != 0)
    throw refusal(
        source.name(), formatted("byte {}", source.size() - rest),
        formatted("{} bytes after the last whole record of {} ({})", rest, record_bytes,
                  fields == kKittiFields ? "float32 x y z intensity"
                                         : formatted("{} float32, x y z first", fields)),
        "the file is cut off or of another kind: export the cloud again, or give --bin-fields if its points "
        "have another number of values");
  if (points > Limits::kPoints)
    throw refusal(source.name(), "", formatted("holds {} points, the limit is {}", points, Limits::kPoints),
                  "split the cloud into smaller files");
  return {{{{0, 0, 4}, {4, 1, 4}, {8, 2, 4}}}, points, record_bytes, static_cast<std::size_t>(fields)};
}

}  // namespace

PointCloud read_kitti_bin(const std::filesystem::path& file, CloudInfo* info, BinFields given) {
  const int fields = given.value_or(kKittiFields);
  require_whole("bin-fields", fields, kBinFieldsLeast, kBinFieldsMost);
  ByteSource source(file);
  const PointLayout layout = layout_of(source, fields);
  require_records_of(static_cast<std::size_t>(fields), file);
  PointCloud cloud{{}, read_point_records<float>(source, layout, std::endian::little)};
  if (info) *info = {};
  return cloud;
}

void write_kitti_bin(const std::filesystem::path& file, const PointCloud& cloud) {
  static_assert(std::endian::native == std::endian::little, "records are copied as they are");
  require_readable_count(file, "points", cloud.size(), Limits::kPoints);
  if (has_origin(cloud))
    throw refusal(printable_name(file.native()), "",
                  formatted("the points are offsets from ({}, {}, {}) m, which float32 x y z cannot carry",
                            cloud.origin.x, cloud.origin.y, cloud.origin.z),
                  "write .pcd or .ply");
  write_file(file, [&](std::ostream& out) {
    for (const Point& p : cloud.points) {
      const float record[] = {p.x, p.y, p.z, 0};
      write_bytes(out, std::as_bytes(std::span(record)));
    }
  });
}

}  // namespace ndt::io
