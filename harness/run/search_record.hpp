// What a row has to say of a search for the initial pose, besides what it says of the best particle's alignment.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ndt/core/pose.hpp"

namespace ndt::harness {

/// A particle that was better than all before it.
struct Improvement {
  std::size_t particle = 0;  ///< in the order they were proposed
  double us = 0;             ///< from the start of the search to the end of the call it came from
  double nvtl = 0;
  std::optional<double> translation_error_m, rotation_error_deg;
};

struct SearchRecord {
  std::string name;  ///< of the setting
  std::string strategy, method;
  int particles = 0;  ///< that there shall be
  int startup = 0, at_once = 1, candidates = 0;
  double reliable_nvtl = 0;
  std::uint64_t seed = 0;
  double sigma[5] = {};  ///< of the prior: x y z [m], roll pitch [rad]

  // Void with an error.
  std::size_t best_particle = 0;
  bool reliable = false, ambiguous = false;
  std::string interrupted;                ///< the Stop of a search that ended early, else empty
  std::optional<double> runner_up_ratio;  ///< NVTL over the best's
  std::optional<Transform> runner_up_pose;
  std::vector<Improvement> improvements;
  /// x, y, yaw of every particle's start and end, and its NVTL; empty unless asked for.
  std::vector<std::array<double, 7>> paths;
};

}  // namespace ndt::harness
