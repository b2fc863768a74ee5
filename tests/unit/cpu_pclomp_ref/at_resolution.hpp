// The oracle's options with voxels of another size.
#pragma once

#include "ndt/align/align_options.hpp"

namespace ndt::cpu_pclomp_ref {

inline AlignOptions at_resolution(double resolution_m) {
  AlignOptions options;
  options.resolution_m = resolution_m;
  return options;
}

}  // namespace ndt::cpu_pclomp_ref
