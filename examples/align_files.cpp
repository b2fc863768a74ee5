// Registers a scan onto a map, both from files, and prints the pose: align_files MAP SCAN
#include <cstdio>

#include "ndt/implementations.hpp"
#include "ndt/io/clouds.hpp"

int main(int count, char** words) {
  if (count != 3) return std::fprintf(stderr, "usage: align_files MAP SCAN\n"), 2;
  const std::unique_ptr<ndt::Aligner> aligner = ndt::make_aligner("auto");  // uses a GPU if available
  aligner->set_map(ndt::io::read_cloud(words[1]));
  const ndt::Transform guess = ndt::to_transform({0.3, -0.2, 0.1, 0, 0, 0.05});  // x y z roll pitch yaw
  const ndt::AlignResult result = aligner->align(ndt::io::read_cloud(words[2]), guess);
  const double* m = result.map_from_scan.m;
  for (int row = 0; row < 4; ++row, m += 4) std::printf("%.17g %.17g %.17g %.17g\n", m[0], m[1], m[2], m[3]);
  return result.stop == ndt::Stop::converged ? 0 : 1;
}
