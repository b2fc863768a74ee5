#include "io/pcd_compressed.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/refusal.hpp"
#include "io/lzf_codec.hpp"
#include "io/point_records.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::harness {
namespace {

static_assert(std::endian::native == std::endian::little, "the two sizes are little-endian and are read as they are");

/// The two size words of a compressed body, compared with the header and with the file.
struct PackedSizes {
  std::uint32_t packed = 0, unpacked = 0;
};

PackedSizes read_sizes(ByteSource& source, const PointLayout& layout) {
  const std::string where = fmt::format("byte {}", source.position());
  const std::uint64_t expected = layout.body_bytes();
  if (expected > Limits::kUnpackedBytes)
    throw refusal(source.name(), "header", fmt::format("{} bytes of points do not fit in binary_compressed", expected),
                  "export the cloud as binary");
  if (source.remaining() < sizeof(PackedSizes))
    throw refusal(source.name(), where, "no room for the sizes of the compressed data", kCutOff);
  PackedSizes sizes;
  source.read(std::as_writable_bytes(std::span(&sizes, 1)));
  if (sizes.unpacked != expected)
    throw refusal(source.name(), where,
                  fmt::format("unpacked size {}, but {} points of {} bytes are {}", sizes.unpacked, layout.points,
                              layout.record_bytes, expected),
                  kCutOff);
  if (sizes.packed > source.remaining())
    throw refusal(
        source.name(), where,
        fmt::format("{} bytes of compressed data declared, {} bytes follow", sizes.packed, source.remaining()),
        kCutOff);
  if (sizes.unpacked > lzf_most_unpacked(sizes.packed))
    throw refusal(source.name(), where,
                  fmt::format("{} compressed bytes cannot unpack to {}", sizes.packed, sizes.unpacked), kCutOff);
  return sizes;
}

}  // namespace

template <class T>
std::vector<Vec3<T>> read_pcd_compressed(ByteSource& source, const PointLayout& layout) {
  if (!lzf_available())
    throw refusal(source.name(), "header", "DATA binary_compressed cannot be read: this build is without liblzf",
                  "convert the file to binary, or build with liblzf");
  if (layout.points == 0 && source.remaining() == 0) return {};
  const PackedSizes sizes = read_sizes(source, layout);
  const std::uint64_t begin = source.position();
  // Left uninitialised: pages that damaged data never reaches are never taken.
  const auto packed = std::make_unique_for_overwrite<std::byte[]>(sizes.packed);
  const auto unpacked = std::make_unique_for_overwrite<std::byte[]>(sizes.unpacked);
  source.read({packed.get(), sizes.packed});
  if (!lzf_unpack({packed.get(), sizes.packed}, {unpacked.get(), sizes.unpacked}))
    throw refusal(source.name(), fmt::format("bytes {} to {}", begin, source.position()),
                  "the compressed data is damaged", "export the cloud again");
  std::array<ValueColumn, 3> columns;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const CoordinatePlace& place = layout.xyz[axis];
    columns[axis] = {unpacked.get() + place.offset * layout.points, place.bytes, place.bytes};
  }
  std::vector<Vec3<T>> points(layout.points);
  gather<T>(columns, std::endian::little, points);
  return points;
}

template std::vector<Vec3<float>> read_pcd_compressed<float>(ByteSource&, const PointLayout&);
template std::vector<Vec3<double>> read_pcd_compressed<double>(ByteSource&, const PointLayout&);

}  // namespace ndt::harness
