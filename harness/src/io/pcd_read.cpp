#include <algorithm>

#include "byte_source.hpp"
#include "centred_cloud.hpp"
#include "ndt/harness/io/pcd.hpp"
#include "pcd_body.hpp"
#include "pcd_header.hpp"

namespace ndt::harness {
namespace {

template <class T>
std::vector<Vec3<T>> read_body(ByteSource& source, const PcdHeader& header) {
  switch (header.data) {
    case PcdEncoding::ascii: return read_pcd_ascii<T>(source, header);
    case PcdEncoding::binary: return read_pcd_binary<T>(source, header);
    case PcdEncoding::binary_compressed: break;
  }
  return read_pcd_compressed<T>(source, header);
}

}  // namespace

PointCloud read_pcd(const std::filesystem::path& file, CloudInfo* info) {
  ByteSource source(file);
  const PcdHeader header = read_pcd_header(source);
  const bool single = std::all_of(header.xyz.begin(), header.xyz.end(), [](const auto& c) { return c.bytes == 4; });
  PointCloud cloud = single ? PointCloud{{}, read_body<float>(source, header)}
                            : centred_cloud(read_body<double>(source, header), source.name());
  if (info) info->trailing_bytes = source.remaining();
  return cloud;
}

}  // namespace ndt::harness
