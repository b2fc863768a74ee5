#include <fmt/format.h>

#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "lzf_codec.hpp"
#include "ndt/harness/io/pcd.hpp"
#include "ndt/harness/io/read_limits.hpp"
#include "refusal.hpp"

namespace ndt::harness {
namespace {

static_assert(std::endian::native == std::endian::little, "PCD bodies are little-endian and are copied as they are");

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

/// float leaves the points as they are; double adds the origin.
template <class T>
Vec3<T> absolute(const PointCloud& cloud, std::size_t i) {
  if constexpr (std::is_same_v<T, float>)
    return cloud.points[i];
  else
    return cloud.origin + cast<double>(cloud.points[i]);
}

void write_bytes(std::ostream& out, std::span<const std::byte> bytes) {
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

template <class T>
void write_ascii(std::ostream& out, const PointCloud& cloud) {
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3<T> p = absolute<T>(cloud, i);
    out << fmt::format("{} {} {}\n", p.x, p.y, p.z);
  }
}

template <class T>
void write_binary(std::ostream& out, const PointCloud& cloud) {
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3<T> p = absolute<T>(cloud, i);
    write_bytes(out, std::as_bytes(std::span(&p, 1)));
  }
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
void write_cloud(std::ostream& out, const PointCloud& cloud, PcdEncoding encoding) {
  out << header_text<T>(cloud.size(), encoding);
  switch (encoding) {
    case PcdEncoding::ascii: return write_ascii<T>(out, cloud);
    case PcdEncoding::binary: return write_binary<T>(out, cloud);
    case PcdEncoding::binary_compressed: return write_compressed<T>(out, cloud);
  }
}

}  // namespace

void write_pcd(const std::filesystem::path& file, const PointCloud& cloud, PcdEncoding encoding) {
  const std::string name = printable_name(file.native());
  if (cloud.size() > ReadLimits::kPoints)
    throw refusal(name, "", fmt::format("{} points to write, the limit is {}", cloud.size(), ReadLimits::kPoints),
                  "split the cloud into smaller files");
  if (encoding == PcdEncoding::binary_compressed && !lzf_available())
    throw refusal(name, "", "binary_compressed cannot be written: this build is without liblzf",
                  "write binary, or build with liblzf");
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  const bool far = cloud.origin.x != 0 || cloud.origin.y != 0 || cloud.origin.z != 0;
  if (out) far ? write_cloud<double>(out, cloud, encoding) : write_cloud<float>(out, cloud, encoding);
  out.close();
  if (!out)
    throw refusal(name, "", fmt::format("cannot be written ({})", errno ? std::strerror(errno) : "unknown reason"),
                  "check the folder, its permissions and the space left");
}

}  // namespace ndt::harness
