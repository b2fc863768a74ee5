// How far the answer of a search, or the pose of one alignment, can be trusted, and why not farther.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ndt/align/aligner.hpp"
#include "ndt/core/enum_names.hpp"
#include "ndt/initial_pose/sight_lines.hpp"

namespace ndt::initial_pose {

/// The use that a caller may make of the answer: take it if it is reliable.
enum class Verdict {
  unknown,    ///< nothing speaks against the pose, but its score cannot be judged, or not all was searched
  reliable,   ///< nothing speaks against the pose
  ambiguous,  ///< the scan fits there, and elsewhere, too
  not_found   ///< the scan does not fit well enough, or the search could not be finished
};
constexpr auto enum_names(Verdict) { return std::array{"unknown", "reliable", "ambiguous", "not_found"}; }

/// A reason against an answer.
enum class Doubt {
  no_overlap,      ///< no point of the scan has a voxel there
  not_at_rest,     ///< its alignment ended neither by the step rule nor at a free direction
  interrupted,     ///< the search ran out of time, or was told to end
  low_nvtl,        ///< the NVTL is not above the threshold
  few_matched,     ///< too small a share of the scan's points lies on surfaces of the map
  contradicted,    ///< the scan looks through surfaces of the map, or has others before them
  rival,           ///< another place is nearly as good
  free_direction,  ///< the scan leaves a direction free
  spread,          ///< alignments from beside the answer end elsewhere
  unknown_scale,   ///< neither a threshold of NVTL nor one of the matched points is known
  partly_searched  ///< a better place may lie in the part of the prior that was not searched
};
constexpr auto enum_names(Doubt) {
  return std::array{"no_overlap",  "not_at_rest",   "interrupted",    "low_nvtl",
                    "few_matched", "contradicted",  "rival",          "free_direction",
                    "spread",      "unknown_scale", "partly_searched"};
}
using ndt::to_string;

/// The evidence that the verdict follows from.
struct Evidence {
  Stop stop = Stop::no_overlap;  ///< of the answer's alignment
  bool interrupted = false;      ///< the search ran out of time, or was told to end
  double nvtl = 0;               ///< of the answer
  /// The best rival in another mode that the sight lines do not rule out. It is the smaller of two ratios to
  /// the answer: of the NVTL and of the transform probability. 0 without one.
  double runner_up_ratio = 0;
  /// Shares of the scan's finite points: those with a voxel, and those whose score is at least half of a good
  /// point's, the 90th percentile. Nothing if the answer was not scored once more.
  std::optional<double> overlap, matched;
  /// Largest distance [m] and rotation [rad] from the answer to where alignments from beside it ended.
  /// Nothing if they were not made, infinite if one of them gave no pose. Beside a clear answer, ends in its
  /// mode that are not nearly as good, or ruled out, are left out.
  std::optional<double> spread_m, spread_rad;
  double spread_in_mode_m = 0;  ///< of those that ended in the answer's mode
  /// Largest rotation to where those ended in its mode that began turned [rad]; nothing: none did.
  std::optional<double> heading_rad;
  int agreeing = 0;            ///< proposed particles that came to the answer's mode
  std::optional<Sight> sight;  ///< from the answer; nothing without the map's SightLines
};

/// Whether the answer was looked from, and what the scan sees there is what the map has.
bool is_clear(const Evidence& evidence);
/// Whether alignments from beside the answer, turned, came back to it within 3 cm: no direction is free.
bool is_firm(const Evidence& evidence);
/// Whether what is seen from another end of the search rules it out beside a clear answer.
bool rules_out(const Sight& other, const Evidence& answer);

/// The verdict and what led to it.
struct Judgement {
  Verdict verdict = Verdict::not_found;  ///< of the gravest doubt
  std::vector<Doubt> doubts;             ///< in the order of Doubt; none if it is reliable
};

/// The scores that a map's own points have in it. A right pose can hardly have better ones. They fall with
/// the density of the map, and change with the edge of its voxels and other options.
struct OwnScores {
  double nvtl = 0;     ///< of some 8,192 points, the same in any order
  double matched = 0;  ///< their share that matches, as Evidence::matched
  double covered = 0;  ///< their share with a voxel
};
/// map: what the aligner's map was made of. All 0 for points that the aligner refuses as a scan. Throws what
/// else Aligner::evaluate throws. A scan that the aligner holds is replaced.
OwnScores own_scores(Aligner& aligner, const Scan& map);

/// The bounds that an answer must exceed to be reliable; nothing: unknown for the scale of the scores.
struct ReliableBounds {
  std::optional<double> nvtl, matched;  ///< bounds of Evidence::nvtl and Evidence::matched
  std::string unknown{};                ///< names what no bound is known for; empty: they are known
  double covered = 1;                   ///< OwnScores::covered
};
/// Below this share of its points with a voxel (OwnScores::covered) a map is thin for its voxels. Poses are
/// less accurate there, and alignments from beside a wrong one may come back to it.
inline constexpr double kThinMap = 0.7;
/// The bounds of a map: 0.8 of its own NVTL, 0.85 of its own share that matches. Unknown for a map that is
/// too thin for its voxels: less than a third of its points have one.
ReliableBounds reliable_bounds(const OwnScores& own, const AlignOptions& options);

/// From this ratio on a place elsewhere is nearly as good.
inline constexpr double kRivalRatio = 0.95;
/// Alignments from beside a firm answer come back to it to a centimetre; these are far from it [m].
inline constexpr double kSoftM = 0.2;

/// The verdict is that of the gravest doubt: not found, then ambiguous, then unknown. Where the answer is
/// clear, a free direction is no doubt, and fewer matched points and a wider spread are enough.
Judgement judge(const Evidence& evidence, const ReliableBounds& bounds);

/// Adds a doubt that comes after those that are there.
void add_doubt(Judgement& judgement, Doubt doubt);

/// The verdict of a doubt alone.
Verdict verdict_of(Doubt doubt);
/// "low_nvtl, rival"; empty if there are none.
std::string doubt_names(const Judgement& judgement);

/// Whether the pose of one alignment can be trusted, as `ndt-bench align` prints it.
struct PoseJudgement {
  std::vector<std::string> reasons;  ///< why the pose is doubtful, the gravest first; none: it is ok
  /// Covariance of x y z roll pitch yaw [m, rad] in the map, in the order of ROS's PoseWithCovariance. x and
  /// y have AlignResult::laplace_covariance with Autoware's floor, and the rest the variances that Autoware
  /// publishes. Nothing where the result has no laplace_covariance.
  std::optional<Mat6> covariance;
  std::optional<Evidence> evidence;  ///< of a second look; nothing where the result alone was judged

  /// Whether nothing speaks against the pose.
  bool ok() const { return reasons.empty(); }
};
/// The reasons with semicolons; empty if there are none.
std::string reasons_text(const PoseJudgement& judgement);
/// "ok", or "doubtful: " and the reasons.
std::string to_text(const PoseJudgement& judgement);

/// Judges by the result alone: ok if it converged, with an NVTL above the bound. Wrong optima with an NVTL
/// above the bound pass; a Judge finds most of them.
PoseJudgement judge(const AlignResult& result, const ReliableBounds& bounds);

/// Judges poses in one map by a second look, as `ndt-bench align` does. A call aligns the scan six times from
/// beside the pose, so align() itself costs nothing more. Threads may share a Judge; each brings its aligner.
class Judge {
 public:
  /// Scores the map's own points, once for all poses, and copies the finite ones: 12 bytes each. map: what
  /// the aligner's map was made of; options: the aligner's. Throws std::logic_error if the aligner has no
  /// map, and what else Aligner::evaluate throws.
  Judge(Aligner& aligner, const PointCloud& map, const AlignOptions& options);
  /// With bounds that are known already.
  Judge(ReliableBounds bounds, const PointCloud& map);

  /// ok: the result converged, and its NVTL is above the bound. Alignments from beside it come back to it.
  /// Enough of the scan's points match the map, and what the scan sees is what the map has. `result`: of
  /// aligner.align() with this scan. per_scan holds for the alignments; its deadline or stop request leaves a
  /// reason. A result that has no pose to look from is judged alone. Throws what Aligner::align_batch throws.
  PoseJudgement operator()(Aligner& aligner, const PointCloud& scan, const AlignResult& result,
                           const PerScan& per_scan = {}) const;

  const ReliableBounds& bounds() const { return bounds_; }        ///< of the map
  const SightLines& sight_lines() const { return sight_lines_; }  ///< of the map, for searches

 private:
  ReliableBounds bounds_;
  SightLines sight_lines_;
};

}  // namespace ndt::initial_pose
