#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "lzf_codec.hpp"
#include "ndt/harness/io/read_limits.hpp"
#include "pcd_body.hpp"
#include "refusal.hpp"

namespace ndt::harness {
namespace {

static_assert(std::endian::native == std::endian::little, "PCD bodies are little-endian and are copied as they are");

constexpr std::string_view kAdvice = "the file is cut off or its header is wrong, export the cloud again";

/// Values of one coordinate in memory: first, first + stride, ...
struct Column {
  const std::byte* first = nullptr;
  std::uint64_t stride = 0, bytes = 4;
};

template <class Stored>
Stored load(const std::byte* at) {
  Stored value;
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
T value(const Column& column, std::uint64_t i) {
  const std::byte* at = column.first + i * column.stride;
  return column.bytes == 4 ? static_cast<T>(load<float>(at)) : static_cast<T>(load<double>(at));
}

template <class T>
void gather(const std::array<Column, 3>& columns, std::span<Vec3<T>> out) {
  for (std::uint64_t i = 0; i < out.size(); ++i)
    out[i] = {value<T>(columns[0], i), value<T>(columns[1], i), value<T>(columns[2], i)};
}

/// The two size words of a compressed body, compared with the header and with the file.
struct PackedSizes {
  std::uint32_t packed = 0, unpacked = 0;
};

PackedSizes read_sizes(ByteSource& source, const PcdHeader& header) {
  const std::string where = fmt::format("byte {}", source.position());
  const std::uint64_t expected = header.body_bytes();
  if (expected > ReadLimits::kUnpackedBytes)
    throw refusal(source.name(), "header", fmt::format("{} bytes of points do not fit in binary_compressed", expected),
                  "export the cloud as binary");
  if (source.remaining() < sizeof(PackedSizes))
    throw refusal(source.name(), where, "no room for the sizes of the compressed data", kAdvice);
  PackedSizes sizes;
  source.read(std::as_writable_bytes(std::span(&sizes, 1)));
  if (sizes.unpacked != expected)
    throw refusal(source.name(), where,
                  fmt::format("unpacked size {}, but {} points of {} bytes are {}", sizes.unpacked, header.points,
                              header.record_bytes, expected),
                  kAdvice);
  if (sizes.packed > source.remaining())
    throw refusal(
        source.name(), where,
        fmt::format("{} bytes of compressed data declared, {} bytes follow", sizes.packed, source.remaining()),
        kAdvice);
  if (sizes.unpacked > lzf_most_unpacked(sizes.packed))
    throw refusal(source.name(), where,
                  fmt::format("{} compressed bytes cannot unpack to {}", sizes.packed, sizes.unpacked), kAdvice);
  return sizes;
}

}  // namespace

template <class T>
std::vector<Vec3<T>> read_pcd_binary(ByteSource& source, const PcdHeader& header) {
  if (header.body_bytes() > source.remaining())
    throw refusal(source.name(), fmt::format("byte {}", source.position()),
                  fmt::format("{} points of {} bytes declared, which is {}, but {} bytes follow", header.points,
                              header.record_bytes, header.body_bytes(), source.remaining()),
                  kAdvice);
  std::vector<Vec3<T>> points(header.points);
  const std::uint64_t per_block = std::max<std::uint64_t>(1, ReadLimits::kRecordBytes / header.record_bytes);
  std::vector<std::byte> block(std::min(per_block, header.points) * header.record_bytes);
  std::array<Column, 3> columns;
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns[axis] = {block.data() + header.xyz[axis].offset, header.record_bytes, header.xyz[axis].bytes};
  for (std::uint64_t done = 0; done < header.points; done += per_block) {
    const std::uint64_t now = std::min(per_block, header.points - done);
    source.read(std::span(block).first(now * header.record_bytes));
    gather<T>(columns, std::span(points).subspan(done, now));
  }
  return points;
}

template <class T>
std::vector<Vec3<T>> read_pcd_compressed(ByteSource& source, const PcdHeader& header) {
  if (!lzf_available())
    throw refusal(source.name(), "header", "DATA binary_compressed cannot be read: this build is without liblzf",
                  "convert the file to binary, or build with liblzf");
  if (header.points == 0 && source.remaining() == 0) return {};
  const PackedSizes sizes = read_sizes(source, header);
  const std::uint64_t begin = source.position();
  // Left uninitialised: pages that damaged data never reaches are never taken.
  const auto packed = std::make_unique_for_overwrite<std::byte[]>(sizes.packed);
  const auto unpacked = std::make_unique_for_overwrite<std::byte[]>(sizes.unpacked);
  source.read({packed.get(), sizes.packed});
  if (!lzf_unpack({packed.get(), sizes.packed}, {unpacked.get(), sizes.unpacked}))
    throw refusal(source.name(), fmt::format("bytes {} to {}", begin, source.position()),
                  "the compressed data is damaged", "export the cloud again");
  std::array<Column, 3> columns;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const PcdCoordinate& place = header.xyz[axis];
    columns[axis] = {unpacked.get() + place.offset * header.points, place.bytes, place.bytes};
  }
  std::vector<Vec3<T>> points(header.points);
  gather<T>(columns, points);
  return points;
}

template std::vector<Vec3<float>> read_pcd_binary<float>(ByteSource&, const PcdHeader&);
template std::vector<Vec3<double>> read_pcd_binary<double>(ByteSource&, const PcdHeader&);
template std::vector<Vec3<float>> read_pcd_compressed<float>(ByteSource&, const PcdHeader&);
template std::vector<Vec3<double>> read_pcd_compressed<double>(ByteSource&, const PcdHeader&);

}  // namespace ndt::harness
