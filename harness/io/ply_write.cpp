#include <fmt/format.h>

#include "io/cloud_output.hpp"
#include "io/ply.hpp"
#include "ndt/core/limits.hpp"

namespace ndt::harness {
namespace {

std::string_view name_of(PlyEncoding encoding) {
  switch (encoding) {
    case PlyEncoding::ascii: return "ascii";
    case PlyEncoding::binary_little_endian: return "binary_little_endian";
    case PlyEncoding::binary_big_endian: break;
  }
  return "binary_big_endian";
}

template <class T>
void write_points(std::ostream& out, const PointCloud& cloud, PlyEncoding encoding) {
  out << fmt::format(
      "ply\nformat {0} 1.0\nelement vertex {1}\nproperty {2} x\nproperty {2} y\nproperty {2} z\nend_header\n",
      name_of(encoding), cloud.size(), sizeof(T) == 4 ? "float" : "double");
  switch (encoding) {
    case PlyEncoding::ascii: return write_point_rows<T>(out, cloud);
    case PlyEncoding::binary_little_endian: return write_point_records<T>(out, cloud, std::endian::little);
    case PlyEncoding::binary_big_endian: return write_point_records<T>(out, cloud, std::endian::big);
  }
}

}  // namespace

void write_ply(const std::filesystem::path& file, const PointCloud& cloud, PlyEncoding encoding) {
  require_readable_count(file, "points", cloud.size(), Limits::kPoints);
  write_file(file, [&](std::ostream& out) {
    has_origin(cloud) ? write_points<double>(out, cloud, encoding) : write_points<float>(out, cloud, encoding);
  });
}

}  // namespace ndt::harness
