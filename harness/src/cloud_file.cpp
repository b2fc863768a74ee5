#include "ndt/harness/cloud_file.hpp"

#include <algorithm>
#include <cctype>

#include "io/refusal.hpp"
#include "ndt/harness/io/pcd.hpp"

namespace ndt::harness {

PointCloud read_cloud(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".pcd") return read_pcd(file);
  throw refusal(printable_name(file.string()), "", "unknown point cloud format '" + printable(extension) + "'",
                "supported: .pcd (ascii, binary, binary_compressed)");
}

}  // namespace ndt::harness
