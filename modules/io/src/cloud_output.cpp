#include "ndt/io/cloud_output.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "ndt/core/formatted.hpp"
#include "ndt/io/errors.hpp"
#include "ndt/io/output_file.hpp"

namespace ndt::io {

void write_file(const std::filesystem::path& file, const std::function<void(std::ostream&)>& write) {
  remove_old(file);
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  if (out) write(out);
  out.close();
  if (!out)
    throw refusal(printable_name(file.native()), "",
                  formatted("cannot be written ({})", errno ? std::strerror(errno) : "unknown reason"),
                  "check the folder, its permissions and the space left");
}

void require_readable_count(const std::filesystem::path& file, std::string_view things, std::uint64_t count,
                            std::uint64_t limit) {
  if (count > limit)
    throw refusal(printable_name(file.native()), "",
                  formatted("{} {} to write, the limit is {}", count, things, limit),
                  "split them into smaller files");
}

void write_bytes(std::ostream& out, std::span<const std::byte> bytes) {
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

template <class T>
void write_text_points(std::ostream& out, const PointCloud& cloud) {
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3<T> p = absolute<T>(cloud, i);
    out << formatted("{} {} {}\n", p.x, p.y, p.z);
  }
}

template <class T>
void write_point_records(std::ostream& out, const PointCloud& cloud, std::endian order) {
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3<T> p = absolute<T>(cloud, i);
    auto bytes = std::bit_cast<std::array<std::array<std::byte, sizeof(T)>, 3>>(p);
    if (order != std::endian::native)
      for (auto& value : bytes) std::reverse(value.begin(), value.end());
    write_bytes(out, std::as_bytes(std::span(bytes)));
  }
}

template void write_text_points<float>(std::ostream&, const PointCloud&);
template void write_text_points<double>(std::ostream&, const PointCloud&);
template void write_point_records<float>(std::ostream&, const PointCloud&, std::endian);
template void write_point_records<double>(std::ostream&, const PointCloud&, std::endian);

}  // namespace ndt::io
