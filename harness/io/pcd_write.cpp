#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/refusal.hpp"
#include "io/cloud_output.hpp"
#include "io/lzf_codec.hpp"
#include "io/pcd.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::harness {
namespace {

static_assert(std::endian::native == std::endian::little, "compressed values are copied as they are");

template <class T>
std::string header_text(std::size_t points, PcdEncoding encoding) {
  const char* const data = encoding == PcdEncoding::ascii    ? "ascii"
                           : encoding == PcdEncoding::binary ? "binary"
                                                             : "binary_compressed";
  return fmt::format(
      "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z\nSIZE {0} {0} {0}\nTYPE F F F\n"
      "COUNT 1 1 1\nWIDTH {1}\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS {1}\nDATA {2}\n",
      sizeof(T), points, data);
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
  out << header_text<T>(cloud.size(), encoding);
  switch (encoding) {
    case PcdEncoding::ascii: return write_point_rows<T>(out, cloud);
    case PcdEncoding::binary: return write_point_records<T>(out, cloud, std::endian::little);
    case PcdEncoding::binary_compressed: return write_compressed<T>(out, cloud);
  }
}

}  // namespace

void write_pcd(const std::filesystem::path& file, const PointCloud& cloud, PcdEncoding encoding) {
  require_readable_count(file, "points", cloud.size(), Limits::kPoints);
  if (encoding == PcdEncoding::binary_compressed && !lzf_available())
    throw refusal(printable_name(file.native()), "",
                  "binary_compressed cannot be written: this build is without liblzf",
                  "write binary, or build with liblzf");
  write_file(file, [&](std::ostream& out) {
    has_origin(cloud) ? write_points<double>(out, cloud, encoding) : write_points<float>(out, cloud, encoding);
  });
}

}  // namespace ndt::harness
