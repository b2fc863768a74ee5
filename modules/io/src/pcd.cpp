
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/core/small_matrix.hpp"
#include "ndt/io/byte_source.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/cloud_output.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/pcd_header.hpp"
#include "ndt/io/points.hpp"
#include "ndt/io/stored_points.hpp"

#if NDT_HAVE_LZF
#include <lzf.h>
#endif

namespace ndt::io {
namespace {

/// Returns the most bytes that this many packed bytes can unpack to: the longest reference has 3 bytes and
/// copies 264.
constexpr std::uint64_t lzf_most_unpacked(std::uint64_t packed_bytes) { return packed_bytes * 88; }

#if NDT_HAVE_LZF

/// False in a build without liblzf; the functions below then throw std::logic_error.
bool lzf_available() { return true; }

/// False if `packed` is damaged or does not unpack to exactly unpacked.size() bytes. Sizes below 4 GiB.
bool lzf_unpack(std::span<const std::byte> packed, std::span<std::byte> unpacked) {
  if (packed.empty() || unpacked.empty()) return packed.size() == unpacked.size();
  const unsigned got = lzf_decompress(packed.data(), static_cast<unsigned>(packed.size()), unpacked.data(),
                                      static_cast<unsigned>(unpacked.size()));
  return got == unpacked.size();
}

/// Always succeeds; incompressible data grows by 1/32.
std::vector<std::byte> lzf_pack(std::span<const std::byte> unpacked) {
  if (unpacked.empty()) return {};
  // Literal runs cost one byte in 32; twice that leaves the compressor room to try.
  std::vector<std::byte> packed(unpacked.size() + unpacked.size() / 16 + 64);
  const unsigned size = lzf_compress(unpacked.data(), static_cast<unsigned>(unpacked.size()), packed.data(),
                                     static_cast<unsigned>(packed.size()));
  if (size == 0) throw std::logic_error("lzf_pack: the bound on incompressible data is wrong");
  packed.resize(size);
  return packed;
}

#else

bool lzf_available() { return false; }

bool lzf_unpack(std::span<const std::byte>, std::span<std::byte>) {
  throw std::logic_error("lzf_unpack: built without liblzf");
}

std::vector<std::byte> lzf_pack(std::span<const std::byte>) {
  throw std::logic_error("lzf_pack: built without liblzf");
}

#endif

static_assert(std::endian::native == std::endian::little,
              "compressed sizes and values are little-endian and are copied as they are");

/// The two size words of a compressed body, compared with the header and with the file.
struct PackedSizes {
  std::uint32_t packed = 0, unpacked = 0;
};

PackedSizes read_sizes(ByteSource& source, const PointLayout& layout) {
  const std::string where = formatted("byte {}", source.position());
  const std::uint64_t expected = layout.body_bytes();
  if (expected > Limits::kUnpackedBytes)
    throw refusal(source.name(), "header",
                  formatted("{} bytes of points do not fit in binary_compressed", expected),
                  "export the cloud as binary");
  if (source.remaining() < sizeof(PackedSizes))
    throw refusal(source.name(), where, "no room for the sizes of the compressed data", kCutOff);
  PackedSizes sizes;
  source.read(std::as_writable_bytes(std::span(&sizes, 1)));
  if (sizes.unpacked != expected)
    throw refusal(source.name(), where,
                  formatted("unpacked size {}, but {} points of {} bytes are {}", sizes.unpacked,
                            layout.points, layout.record_bytes, expected),
                  kCutOff);
  if (sizes.packed > source.remaining())
    throw refusal(
        source.name(), where,
        formatted("{} bytes of compressed data declared, {} bytes follow", sizes.packed, source.remaining()),
        kCutOff);
  if (sizes.unpacked > lzf_most_unpacked(sizes.packed))
    throw refusal(source.name(), where,
                  formatted("{} compressed bytes cannot unpack to {}", sizes.packed, sizes.unpacked),
                  kCutOff);
  return sizes;
}

/// Reads two 32-bit sizes (packed, unpacked), then LZF data that unpacks to all values of the first field, of
/// the second, ... Throws ndt::InputError; memory is taken only after the declared sizes were found in the
/// file.
template <class T>
std::vector<Vec3<T>> read_compressed(ByteSource& source, const PointLayout& layout) {
  if (!lzf_available())
    throw refusal(source.name(), "header",
                  "DATA binary_compressed cannot be read: this build is without liblzf",
                  "convert the file to binary, or build with liblzf");
  if (layout.points == 0 && source.remaining() == 0) return {};
  const PackedSizes sizes = read_sizes(source, layout);
  const std::uint64_t begin = source.position();
  // Left uninitialised: pages that damaged data never reaches are never taken.
  const auto packed = std::make_unique_for_overwrite<std::byte[]>(sizes.packed);
  const auto unpacked = std::make_unique_for_overwrite<std::byte[]>(sizes.unpacked);
  source.read({packed.get(), sizes.packed});
  if (!lzf_unpack({packed.get(), sizes.packed}, {unpacked.get(), sizes.unpacked}))
    throw refusal(source.name(), formatted("bytes {} to {}", begin, source.position()),
                  "the compressed data is damaged", "export the cloud again");
  std::array<ValueColumn, 3> columns;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const CoordinatePlace& place = layout.xyz[axis];
    columns[axis] = {unpacked.get() + place.offset * layout.points, place.bytes, place.bytes, place.type};
  }
  std::vector<Vec3<T>> points(layout.points);
  gather<T>(columns, std::endian::little, points);
  return points;
}

template <class T>
std::vector<Vec3<T>> read_body(ByteSource& source, const PcdHeader& header) {
  switch (header.data) {
    case PcdEncoding::ascii: {
      TextWords words(source, header.lines);
      return read_text_points<T>(words, header.layout, AfterLastPoint::end_of_file);
    }
    case PcdEncoding::binary: return read_point_records<T>(source, header.layout, std::endian::little);
    case PcdEncoding::binary_compressed: break;
  }
  return read_compressed<T>(source, header.layout);
}

template <class T>
std::string header_text(std::size_t points, bool timed, PcdEncoding encoding) {
  const char* const data = encoding == PcdEncoding::ascii    ? "ascii"
                           : encoding == PcdEncoding::binary ? "binary"
                                                             : "binary_compressed";
  return formatted(
      "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z{3}\nSIZE {0} {0} {0}{4}\nTYPE F "
      "F "
      "F{5}\nCOUNT 1 1 1{6}\nWIDTH {1}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {1}\nDATA {2}\n",
      sizeof(T), points, data, timed ? " t" : "", timed ? " 4" : "", timed ? " F" : "", timed ? " 1" : "");
}

template <class T>
void write_compressed(std::ostream& out, const PointCloud& cloud) {
  std::vector<T> values(3 * cloud.size());  // all x, all y, all z
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3<T> p = absolute<T>(cloud, i);
    values[i] = p.x;
    values[i + cloud.size()] = p.y;
    values[i + 2 * cloud.size()] = p.z;
  }
  const std::span<const std::byte> unpacked = std::as_bytes(std::span(values));
  const std::vector<std::byte> packed = lzf_pack(unpacked);
  const std::uint32_t sizes[] = {static_cast<std::uint32_t>(packed.size()),
                                 static_cast<std::uint32_t>(unpacked.size())};
  write_bytes(out, std::as_bytes(std::span(sizes)));
  write_bytes(out, packed);
}

template <class T>
void write_points(std::ostream& out, const PointCloud& cloud, PcdEncoding encoding) {
  out << header_text<T>(cloud.size(), false, encoding);
  switch (encoding) {
    case PcdEncoding::ascii: return write_text_points<T>(out, cloud);
    case PcdEncoding::binary: return write_point_records<T>(out, cloud, std::endian::little);
    case PcdEncoding::binary_compressed: return write_compressed<T>(out, cloud);
  }
}

/// Writes records of x y z t.
void write_timed(std::ostream& out, const PointCloud& cloud) {
  out << header_text<float>(cloud.size(), true, PcdEncoding::binary);
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Point& p = cloud.points[i];
    const float record[] = {p.x, p.y, p.z, cloud.times[i]};
    write_bytes(out, std::as_bytes(std::span(record)));
  }
}

}  // namespace

PointTimes read_point_times(const std::filesystem::path& file) {
  ByteSource source(file);
  PcdHeader header = read_pcd_header(source);
  if (!header.time) return {};
  header.layout.xyz = {*header.time, *header.time, *header.time};
  PointTimes times{header.time_field, {}};
  for (const Vec3<double>& three : read_body<double>(source, header)) times.values.push_back(three.x);
  return times;
}

StoredPoints read_stored_pcd(const std::filesystem::path& file, CloudInfo* info) {
  ByteSource source(file);
  const PcdHeader header = read_pcd_header(source);
  StoredPoints points;
  if (header.layout.all_float32())
    points = read_body<float>(source, header);
  else
    points = read_body<double>(source, header);
  if (info) info->trailing_bytes = source.remaining();
  return points;
}

PointCloud read_pcd(const std::filesystem::path& file, CloudInfo* info) {
  return cloud_of_stored(read_stored_pcd(file, info), file);
}

void write_pcd(const std::filesystem::path& file, const PointCloud& cloud, PcdEncoding encoding) {
  require_readable_count(file, "points", cloud.size(), Limits::kPoints);
  if (encoding == PcdEncoding::binary_compressed && !lzf_available())
    throw refusal(printable_name(file.native()), "",
                  "binary_compressed cannot be written: this build is without liblzf",
                  "write binary, or build with liblzf");
  write_file(file, [&](std::ostream& out) {
    const bool timed = !cloud.times.empty() && cloud.times.size() == cloud.size();
    if (timed && encoding == PcdEncoding::binary && !has_origin(cloud)) return write_timed(out, cloud);
    has_origin(cloud) ? write_points<double>(out, cloud, encoding)
                      : write_points<float>(out, cloud, encoding);
  });
}

}  // namespace ndt::io
