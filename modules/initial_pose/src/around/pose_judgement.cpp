#include <cmath>
#include <utility>

#include "ndt/core/formatted.hpp"
#include "ndt/initial_pose/second_look.hpp"
#include "ndt/initial_pose/verdict.hpp"

namespace ndt::initial_pose {
namespace {

std::string spread_text(const Evidence& evidence) {
  if (std::isinf(*evidence.spread_m))
    return formatted("an alignment from {:g} m beside it gave no pose", kSecondLookM);
  return formatted("alignments from {:g} m beside it end up to {:.2f} m and {:.1f} deg away", kSecondLookM,
                   *evidence.spread_m, *evidence.spread_rad * 180 / kPi);
}

/// The text of a doubt about an answer that converged.
std::string doubt_text(Doubt doubt, const Evidence& evidence, const ReliableBounds& bounds) {
  switch (doubt) {
    case Doubt::interrupted: return "the second look at it was ended before it was finished";
    case Doubt::low_nvtl:
      return formatted("NVTL {:.4f} is not above {:.4g}; it may have converged in a wrong place",
                       evidence.nvtl, *bounds.nvtl);
    case Doubt::few_matched:
      return formatted(
          "{:.1f} % of the scan's points match the map, not more than {:.3g} %; it may be of another place",
          100 * *evidence.matched, 100 * *bounds.matched);
    case Doubt::rival:
      return formatted("from {:g} m beside it a pose is found that is {:.3f} times as good", kSecondLookM,
                       evidence.runner_up_ratio);
    case Doubt::spread: return spread_text(evidence);
    case Doubt::unknown_scale:
      return formatted("no NVTL threshold is known for {}, so a wrong optimum cannot be told",
                       bounds.unknown);
    case Doubt::no_overlap:
    case Doubt::not_at_rest:
    case Doubt::free_direction: break;  // the stop says so
    case Doubt::contradicted:
      return formatted(
          "the scan looks through {:.1f} % of the map's points in its way, and {:.1f} % of its own stand "
          "before the map's; it may be of another place, or the map out of date",
          100 * evidence.sight->seen_through, 100 * evidence.sight->unmapped);
    case Doubt::partly_searched: break;  // of searches
  }
  return {};
}

std::vector<std::string> reasons_of(const Evidence& evidence, ReliableBounds bounds) {
  Evidence strict = evidence;
  const bool firm = is_firm(evidence);
  if (firm && strict.stop == Stop::degenerate)
    strict.stop = Stop::converged;  // no direction is free after all
  if (strict.stop != Stop::converged) return {formatted("it ended as {}", to_string(evidence.stop))};
  if (!evidence.matched) bounds.matched.reset();  // without a second look NVTL alone can tell
  // One alignment has no other particles to agree with: a clear view forgives nothing but to a firm one.
  if (!firm && is_clear(strict)) strict.sight.reset();
  std::vector<std::string> reasons;
  for (const Doubt doubt : judge(strict, bounds).doubts)
    reasons.push_back(doubt_text(doubt, evidence, bounds));
  return reasons;
}

std::optional<Mat6> covariance_of(const AlignResult& result) {
  if (!result.laplace_covariance) return std::nullopt;
  return pose_covariance(with_variance_floor(*result.laplace_covariance, result.map_from_scan));
}

}  // namespace

std::string reasons_text(const PoseJudgement& judgement) {
  std::string text;
  for (const std::string& reason : judgement.reasons) text.append(text.empty() ? "" : "; ").append(reason);
  return text;
}

std::string to_text(const PoseJudgement& judgement) {
  return judgement.ok() ? "ok" : "doubtful: " + reasons_text(judgement);
}

PoseJudgement judge(const AlignResult& result, const ReliableBounds& bounds) {
  Evidence evidence;
  evidence.stop = result.stop;
  evidence.nvtl = result.nvtl;
  return {reasons_of(evidence, bounds), covariance_of(result), std::nullopt};
}

Judge::Judge(Aligner& aligner, const PointCloud& map, const AlignOptions& options)
    : Judge(reliable_bounds(own_scores(aligner, map), options), map) {}

Judge::Judge(ReliableBounds bounds, const PointCloud& map) : bounds_(std::move(bounds)), sight_lines_(map) {}

PoseJudgement Judge::operator()(Aligner& aligner, const PointCloud& scan, const AlignResult& result,
                                const PerScan& per_scan) const {
  const Evidence evidence = second_look(aligner, scan, result, per_scan, &sight_lines_);
  return {reasons_of(evidence, bounds_), covariance_of(result), evidence};
}

}  // namespace ndt::initial_pose
