#include "angle_tables.hpp"

#include <cmath>

namespace ndt::cpu_pclomp_ref {
namespace {

struct SinCos {
  double s, c;
  explicit SinCos(double angle) : s(std::sin(angle)), c(std::cos(angle)) {
    if (std::abs(angle) < 1e-4) s = 0, c = 1;
  }
};

}  // namespace

AngleTables::AngleTables(const Pose& pose, HessianForm form) {
  const SinCos x(pose.roll), y(pose.pitch), z(pose.yaw);
  const double pitch_sine = form == HessianForm::autoware_1_9 ? y.s : -y.s;
  first << -x.s * z.s + x.c * y.s * z.c, -x.s * z.c - x.c * y.s * z.s, -x.c * y.c,  // roll, y
      x.c * z.s + x.s * y.s * z.c, x.c * z.c - x.s * y.s * z.s, -x.s * y.c,         // roll, z
      -y.s * z.c, y.s * z.s, y.c,                                                   // pitch, x
      x.s * y.c * z.c, -x.s * y.c * z.s, x.s * y.s,                                 // pitch, y
      -x.c * y.c * z.c, x.c * y.c * z.s, -x.c * y.s,                                // pitch, z
      -y.c * z.s, -y.c * z.c, 0,                                                    // yaw, x
      x.c * z.c - x.s * y.s * z.s, -x.c * z.s - x.s * y.s * z.c, 0,                 // yaw, y
      x.s * z.c + x.c * y.s * z.s, x.c * y.s * z.c - x.s * z.s, 0;                  // yaw, z

  second << -x.c * z.s - x.s * y.s * z.c, -x.c * z.c + x.s * y.s * z.s, x.s * y.c,  // roll-roll, y
      -x.s * z.s + x.c * y.s * z.c, -x.c * y.s * z.s - x.s * z.c, -x.c * y.c,       // roll-roll, z
      x.c * y.c * z.c, -x.c * y.c * z.s, x.c * y.s,                                 // roll-pitch, y
      x.s * y.c * z.c, -x.s * y.c * z.s, x.s * y.s,                                 // roll-pitch, z
      -x.s * z.c - x.c * y.s * z.s, x.s * z.s - x.c * y.s * z.c, 0,                 // roll-yaw, y
      x.c * z.c - x.s * y.s * z.s, -x.s * y.s * z.c - x.c * z.s, 0,                 // roll-yaw, z
      -y.c * z.c, y.c * z.s, pitch_sine,                                            // pitch-pitch, x
      -x.s * y.s * z.c, x.s * y.s * z.s, x.s * y.c,                                 // pitch-pitch, y
      x.c * y.s * z.c, -x.c * y.s * z.s, -x.c * y.c,                                // pitch-pitch, z
      y.s * z.s, y.s * z.c, 0,                                                      // pitch-yaw, x
      -x.s * y.c * z.s, -x.s * y.c * z.c, 0,                                        // pitch-yaw, y
      x.c * y.c * z.s, x.c * y.c * z.c, 0,                                          // pitch-yaw, z
      -y.c * z.c, y.c * z.s, 0,                                                     // yaw-yaw, x
      -x.c * z.s - x.s * y.s * z.c, -x.c * z.c + x.s * y.s * z.s, 0,                // yaw-yaw, y
      -x.s * z.s + x.c * y.s * z.c, -x.c * y.s * z.s - x.s * z.c, 0;                // yaw-yaw, z
}

}  // namespace ndt::cpu_pclomp_ref
