#pragma once

#include "ndt/align/align_options.hpp"

namespace ndt {

inline AlignOptions at_resolution(double resolution_m, Neighbours neighbours = Neighbours::radius,
                                  int min_points = AlignOptions().min_points) {
  AlignOptions options;
  options.resolution_m = resolution_m;
  options.neighbours = neighbours;
  options.min_points = min_points;
  return options;
}

}  // namespace ndt
