// A map's place pyramid, made once for all runs on this machine.
#pragma once

#include "ndt/core/point_cloud.hpp"
#include "ndt/initial_pose/place_pyramid.hpp"

namespace ndt::harness {

struct KeptPyramid {
  initial_pose::PlacePyramid pyramid;
  bool was_kept = false;  ///< it was read
  double us = 0;          ///< of reading or building it, without writing
};

/// Reads the pyramid from the folder for generated data, or builds it and keeps it there. A file that does
/// not hold it, whole and unchanged, is built anew, and a line on stderr says why. If a pyramid cannot be
/// kept, a line says that. Small ones are not kept. Throws as PlacePyramid's constructor does.
KeptPyramid kept_pyramid(const PointCloud& map, double cell_m, const Vec3<double>& up);

}  // namespace ndt::harness
