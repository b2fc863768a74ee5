// One alignment of a search for an initial pose.
#pragma once

#include <array>

#include "ndt/align/align_result.hpp"
#include "ndt/core/enum_names.hpp"
#include "ndt/core/pose.hpp"

namespace ndt::initial_pose {

/// Why a particle was aligned.
enum class Role {
  proposed,   ///< by the method
  continued,  ///< from where another ended at the iteration limit
  beside      ///< from beside the answer
};
constexpr auto enum_names(Role) { return std::array{"proposed", "continued", "beside"}; }

/// One alignment of a search.
struct Particle {
  Pose start;                  ///< the guess
  AlignResult result;          ///< where it ended
  bool guided = false;         ///< proposed with the help of earlier trials
  Role role = Role::proposed;  ///< why it was aligned
};

/// Farther apart than two poses can be that are both within 0.5 m and 2.5 degrees of one truth.
bool is_another_mode(const Transform& a, const Transform& b);

}  // namespace ndt::initial_pose
