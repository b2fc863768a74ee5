#include "io/byte_source.hpp"
#include "io/centred_cloud.hpp"
#include "io/pcd.hpp"
#include "io/pcd_compressed.hpp"
#include "io/pcd_header.hpp"
#include "io/point_records.hpp"
#include "io/point_rows.hpp"

namespace ndt::harness {
namespace {

template <class T>
std::vector<Vec3<T>> read_body(ByteSource& source, const PcdHeader& header) {
  switch (header.data) {
    case PcdEncoding::ascii: {
      TextWords words(source, header.lines);
      return read_point_rows<T>(words, header.layout, AfterLastPoint::end_of_file);
    }
    case PcdEncoding::binary: return read_point_records<T>(source, header.layout, std::endian::little);
    case PcdEncoding::binary_compressed: break;
  }
  return read_pcd_compressed<T>(source, header.layout);
}

}  // namespace

PointCloud read_pcd(const std::filesystem::path& file, CloudInfo* info) {
  ByteSource source(file);
  const PcdHeader header = read_pcd_header(source);
  PointCloud cloud = header.layout.all_float32() ? PointCloud{{}, read_body<float>(source, header)}
                                                 : centred_cloud(read_body<double>(source, header), source.name());
  if (info) info->trailing_bytes = source.remaining();
  return cloud;
}

}  // namespace ndt::harness
