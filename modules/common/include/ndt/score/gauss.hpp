// Constants of the mixture approximation of one voxel's likelihood.
#pragma once

#include <cmath>

#include "ndt/core/hd.hpp"

namespace ndt {

/// A pair scores -d1 exp(-d2/2 qᵀCq), d1 < 0 < d2; the third constant of the approximation is an offset nobody needs.
template <class Real>
struct Gauss {
  Real d1{}, d2{};
};

/// outlier_ratio in (0, 1), resolution in metres.  [Magnusson 2009, eq. 6.8, with the reference's literal 10 inlier weight]
inline Gauss<double> make_gauss(double outlier_ratio, double resolution_m) {
  const double c1 = 10 * (1 - outlier_ratio);
  const double c2 = outlier_ratio / (resolution_m * resolution_m * resolution_m);
  const double d3 = -std::log(c2);
  const double d1 = -std::log(c1 + c2) - d3;
  const double d2 = -2 * std::log((-std::log(c1 * std::exp(-0.5) + c2) - d3) / d1);
  return {d1, d2};
}

}  // namespace ndt
