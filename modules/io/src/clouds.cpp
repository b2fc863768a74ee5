#include "ndt/io/clouds.hpp"

#include "ndt/io/cloud_file.hpp"
#include "ndt/io/points.hpp"

namespace ndt::io {

PointCloud read_cloud(const std::filesystem::path& file) { return harness::read_cloud(file); }

void write_cloud(const std::filesystem::path& file, const PointCloud& cloud) {
  harness::write_cloud(file, cloud);
}

bool is_cloud(const std::filesystem::path& file) { return harness::is_cloud(file); }

PointCloud cloud_of(const std::vector<Vec3<double>>& points, std::string_view name) {
  return harness::centred_cloud(points, name);
}

}  // namespace ndt::io
