#include <stdexcept>

#include "ndt/harness/io/ply.hpp"

namespace ndt::harness {

PointCloud read_ply(const std::filesystem::path&, CloudInfo*) { throw std::logic_error("read_ply: not yet"); }

void write_ply(const std::filesystem::path&, const PointCloud&, PlyEncoding) {
  throw std::logic_error("write_ply: not yet");
}

}  // namespace ndt::harness
