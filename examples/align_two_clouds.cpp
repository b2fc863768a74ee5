// Aligns a scan with a map of two walls and a floor, from a guess 20 cm and 3 degrees off.
#include <cstdio>

#include "ndt/implementations.hpp"

namespace {

ndt::AlignResult align(const ndt::PointCloud& map, const ndt::PointCloud& scan, const ndt::Transform& guess) {
  const std::unique_ptr<ndt::Aligner> aligner = ndt::make_aligner("auto");  // uses a GPU if available
  aligner->set_map(map);
  return aligner->align(scan, guess);
}

/// A floor and two walls, a point every `spacing` metres.
ndt::PointCloud corner(float spacing) {
  ndt::PointCloud cloud;
  for (float a = 0; a < 20; a += spacing)
    for (float b = 0; b < 20; b += spacing) {
      cloud.points.push_back({a, b, 0});
      if (b < 6) cloud.points.push_back({a, 0, b});
      if (b < 6) cloud.points.push_back({0, a, b});
    }
  return cloud;
}

}  // namespace

int main() {
  const ndt::AlignResult result =
      align(corner(0.25F), corner(0.7F), ndt::to_transform({0.2, -0.1, 0.1, 0, 0, 0.05}));
  const ndt::Transform& t = result.map_from_scan;
  std::printf("%s after %d iterations at x %.3f  y %.3f  z %.3f m\n", ndt::to_string(result.stop).data(),
              result.iterations, t(0, 3), t(1, 3), t(2, 3));
  return result.stop == ndt::Stop::converged ? 0 : 1;
}
