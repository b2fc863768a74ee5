// How far the answer of a search can be trusted, and why not farther.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ndt/align/align_result.hpp"
#include "ndt/core/enum_names.hpp"

namespace ndt::initial_pose {

/// What a caller may do with the answer: take it if it is reliable.
enum class Verdict {
  unknown,    ///< nothing speaks against the pose, but its score cannot be judged, or not all was searched
  reliable,   ///< nothing speaks against the pose
  ambiguous,  ///< the scan fits there, and elsewhere, too
  not_found   ///< the scan does not fit well enough, or the search could not be finished
};
constexpr auto enum_names(Verdict) { return std::array{"unknown", "reliable", "ambiguous", "not_found"}; }

/// What speaks against an answer.
enum class Doubt {
  no_overlap,      ///< no point of the scan has a voxel there
  not_at_rest,     ///< its alignment ended neither by the step rule nor at a free direction
  interrupted,     ///< the search ran out of time, or was told to end
  low_nvtl,        ///< the NVTL is not above the threshold
  few_matched,     ///< too small a share of the scan's points lies on surfaces of the map
  rival,           ///< another place is nearly as good
  free_direction,  ///< the scan leaves a direction free
  spread,          ///< alignments from beside the answer end elsewhere
  unknown_scale,   ///< neither a threshold of NVTL nor one of the matched points is known
  partly_searched  ///< a better place may lie in the part of the prior that was not searched
};
constexpr auto enum_names(Doubt) {
  return std::array{"no_overlap", "not_at_rest",    "interrupted", "low_nvtl",      "few_matched",
                    "rival",      "free_direction", "spread",      "unknown_scale", "partly_searched"};
}
using ndt::to_string;

/// What the verdict follows from.
struct Evidence {
  Stop stop = Stop::no_overlap;  ///< of the answer's alignment
  bool interrupted = false;      ///< the search ran out of time, or was told to end
  double nvtl = 0;               ///< of the answer
  /// How good the best in another mode is: its NVTL or its transform probability over the answer's, the less
  /// of both. 0 without one.
  double runner_up_ratio = 0;
  /// Shares of the scan's finite points: those with a voxel, and those whose score is at least half of a good
  /// point's, the 90th percentile. Nothing if the answer was not scored once more.
  std::optional<double> overlap, matched;
  /// Largest distance [m] and rotation [rad] from the answer to where alignments from beside it ended.
  /// Nothing if they were not made, infinite if one of them gave no pose.
  std::optional<double> spread_m, spread_rad;
  double spread_in_mode_m = 0;  ///< of those that ended in the answer's mode
  int agreeing = 0;             ///< proposed particles that came to the answer's mode
};

/// The verdict and what led to it.
struct Judgement {
  Verdict verdict = Verdict::not_found;  ///< of the gravest doubt
  std::vector<Doubt> doubts;             ///< in the order of Doubt; none if it is reliable
};

/// What an answer must exceed to be reliable; nothing: it is not known for the scale of the scores.
struct ReliableBounds {
  std::optional<double> nvtl, matched;  ///< bounds of Evidence::nvtl and Evidence::matched
};

/// The verdict is that of the gravest doubt: not found, then ambiguous, then unknown.
Judgement judge(const Evidence& evidence, const ReliableBounds& bounds);

/// Adds a doubt that comes after those that are there.
void add_doubt(Judgement& judgement, Doubt doubt);

/// Of a doubt alone.
Verdict verdict_of(Doubt doubt);
/// "low_nvtl, rival"; empty if there are none.
std::string doubt_names(const Judgement& judgement);

}  // namespace ndt::initial_pose
