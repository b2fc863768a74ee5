
#include <bit>

#include "kitti_width.hpp"
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
