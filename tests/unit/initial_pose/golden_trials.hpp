// Searches that the reference made, trial by trial.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ndt/initial_pose/pose_prior.hpp"

namespace ndt::golden {

struct Trial {
  Pose input, result;  ///< proposed, and inserted: the same in the analytic sequence
  double score = 0;
  std::optional<double>
      log_ratio;  ///< of the input, before its insertion; guided ones of the analytic sequence
  int good = -1;  ///< size of the good set before the insertion; -1 where it was not recorded
};

struct TrialSequence {
  initial_pose::PosePrior prior;
  int startup = 0;
  std::vector<Trial> trials;
};

/// Reads a golden file; returns nothing if it is missing.
std::optional<TrialSequence> trial_sequence(const std::string& file);

}  // namespace ndt::golden
