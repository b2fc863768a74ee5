#include "ndt/core/pose.hpp"

#include <cmath>
#include <stdexcept>

#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"

namespace ndt {
namespace {

double determinant(const Mat3<double>& r) {
  return r(0, 0) * (r(1, 1) * r(2, 2) - r(1, 2) * r(2, 1)) -
         r(0, 1) * (r(1, 0) * r(2, 2) - r(1, 2) * r(2, 0)) +
         r(0, 2) * (r(1, 0) * r(2, 1) - r(1, 1) * r(2, 0));
}

}  // namespace

std::string rigid_defect(const Transform& t) {
  for (int i = 0; i < 16; ++i)
    if (!std::isfinite(t.m[i])) return formatted("entry ({}, {}) is {}", i / 4, i % 4, t.m[i]);
  const double last_row[4] = {0, 0, 0, 1};
  for (int j = 0; j < 4; ++j)
    if (t(3, j) != last_row[j]) return formatted("the last row must be 0 0 0 1, entry {} is {}", j, t(3, j));
  const Mat3<double> r = rotation_of(t);
  const Mat3<double> gram = r * transpose(r);
  for (int i = 0; i < 3; ++i)
    for (int j = i + 1; j < 3; ++j)
      if (std::abs(gram(i, j)) > Limits::kRigid)
        return formatted("rows {} and {} are not perpendicular, their product is {} instead of 0 (shear)", i,
                         j, gram(i, j));
  for (int i = 0; i < 3; ++i)
    if (std::abs(gram(i, i) - 1) > Limits::kRigid)
      return formatted("row {} has length {} instead of 1 (scale)", i, std::sqrt(gram(i, i)));
  if (determinant(r) < 0) return formatted("the determinant is {} instead of 1 (reflection)", determinant(r));
  return "";
}

void require_rigid(const Transform& t, const char* where) {
  if (const std::string defect = rigid_defect(t); !defect.empty())
    throw std::invalid_argument(
        formatted("{}: not a rigid transform: {}; give a rotation and a translation", where, defect));
}

double translation_error_m(const Transform& a, const Transform& b) {
  const Vec3<double> d = translation_of(a) - translation_of(b);
  return std::sqrt(dot(d, d));
}

double rotation_error_rad(const Transform& a, const Transform& b) {
  const Mat3<double> r = rotation_of(a) * transpose(rotation_of(b));
  // The antisymmetric part keeps small angles that acos of the trace loses.
  const double x = r(2, 1) - r(1, 2), y = r(0, 2) - r(2, 0), z = r(1, 0) - r(0, 1);
  return std::atan2(std::sqrt(x * x + y * y + z * z), r(0, 0) + r(1, 1) + r(2, 2) - 1.0);
}

}  // namespace ndt
