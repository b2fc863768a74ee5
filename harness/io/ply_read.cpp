#include "io/byte_source.hpp"
#include "io/centred_cloud.hpp"
#include "io/ply.hpp"
#include "io/ply_header.hpp"
#include "io/ply_skip.hpp"
#include "io/point_records.hpp"
#include "io/point_rows.hpp"

namespace ndt::harness {
namespace {

template <class T>
std::vector<Vec3<T>> read_text(ByteSource& source, const PlyHeader& header) {
  TextWords words(source, header.lines);
  for (const PlyElement& element : header.before) skip_ply_rows(words, element);
  const AfterLastPoint after = header.elements_follow ? AfterLastPoint::other_rows : AfterLastPoint::end_of_file;
  return read_point_rows<T>(words, header.vertices, after);
}

template <class T>
std::vector<Vec3<T>> read_binary(ByteSource& source, const PlyHeader& header) {
  const std::endian order = header.encoding == PlyEncoding::binary_big_endian ? std::endian::big : std::endian::little;
  for (const PlyElement& element : header.before) skip_ply_records(source, element, order);
  return read_point_records<T>(source, header.vertices, order);
}

template <class T>
std::vector<Vec3<T>> read_body(ByteSource& source, const PlyHeader& header) {
  return header.encoding == PlyEncoding::ascii ? read_text<T>(source, header) : read_binary<T>(source, header);
}

}  // namespace

PointCloud read_ply(const std::filesystem::path& file, CloudInfo* info) {
  ByteSource source(file);
  const PlyHeader header = read_ply_header(source);
  PointCloud cloud = header.vertices.all_float32() ? PointCloud{{}, read_body<float>(source, header)}
                                                   : centred_cloud(read_body<double>(source, header), source.name());
  if (info) info->trailing_bytes = header.elements_follow ? 0 : source.remaining();
  return cloud;
}

}  // namespace ndt::harness
