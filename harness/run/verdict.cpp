#include "run/verdict.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "data/same_points.hpp"
#include "ndt/initial_pose/second_look.hpp"

namespace ndt::harness {
namespace {

using initial_pose::Doubt;
using initial_pose::Evidence;
using initial_pose::kSecondLookM;
using initial_pose::ReliableBounds;

std::string ended_text(Stop stop) { return fmt::format("it ended as {}", to_string(stop)); }

std::string spread_text(const Evidence& evidence) {
  if (std::isinf(*evidence.spread_m))
    return fmt::format("an alignment from {:g} m beside it gave no pose", kSecondLookM);
  return fmt::format("alignments from {:g} m beside it end up to {:.2f} m and {:.1f} deg away", kSecondLookM,
                     *evidence.spread_m, *evidence.spread_rad * 180 / kPi);
}

/// The text of a doubt about an answer that converged.
std::string doubt_text(Doubt doubt, const Evidence& evidence, const ReliableBounds& bounds) {
  switch (doubt) {
    case Doubt::interrupted: return "the second look at it was ended before it was finished";
    case Doubt::low_nvtl:
      return fmt::format("NVTL {:.4f} is not above {:.4g}; it may have converged in a wrong place",
                         evidence.nvtl, *bounds.nvtl);
    case Doubt::few_matched:
      return fmt::format(
          "{:.1f} % of the scan's points match the map, not more than {:.3g} %; it may be of another place",
          100 * *evidence.matched, 100 * *bounds.matched);
    case Doubt::rival:
      return fmt::format("from {:g} m beside it a pose is found that is {:.3f} times as good", kSecondLookM,
                         evidence.runner_up_ratio);
    case Doubt::spread: return spread_text(evidence);
    case Doubt::unknown_scale:
      return fmt::format("no NVTL threshold is known for {}, so a wrong optimum cannot be told",
                         bounds.unknown);
    case Doubt::no_overlap:
    case Doubt::not_at_rest:
    case Doubt::free_direction: break;  // the stop says so
    case Doubt::contradicted:
      return fmt::format(
          "the scan looks through {:.1f} % of the map's points in its way, and {:.1f} % of its own stand "
          "before "
          "the map's; it may be of another place, or the map out of date",
          100 * evidence.sight->seen_through, 100 * evidence.sight->unmapped);
    case Doubt::partly_searched: break;  // of searches
  }
  return {};
}

Verdict judged(const Evidence& evidence, const ReliableBounds& of_the_map) {
  Verdict verdict;
  verdict.bounds = of_the_map;
  Evidence strict = evidence;
  const bool firm = is_firm(evidence);
  if (firm && strict.stop == Stop::degenerate)
    strict.stop = Stop::converged;  // no direction is free after all
  if (strict.stop != Stop::converged) {
    verdict.doubts.push_back(ended_text(evidence.stop));
    return verdict;
  }
  ReliableBounds bounds = verdict.bounds;
  if (!evidence.matched) bounds.matched.reset();  // without a second look NVTL alone can tell
  // One alignment has no other particles to agree with: a clear view forgives nothing but to a firm one.
  if (!firm && is_clear(strict)) strict.sight.reset();
  for (const Doubt doubt : judge(strict, bounds).doubts)
    verdict.doubts.push_back(doubt_text(doubt, evidence, bounds));
  return verdict;
}

Verdict of_a_peer(const AlignResult& result, const Implementation& entry) {
  Verdict verdict;
  verdict.doubts.push_back(
      result.stop != Stop::converged
          ? ended_text(result.stop)
          : fmt::format("no NVTL threshold is known for {}, so a wrong optimum cannot be told", entry.name));
  return verdict;
}

}  // namespace

ReliableBounds bounds_of(Aligner& aligner, const PointCloud& map, const AlignOptions& options,
                         const Implementation& entry) {
  if (entry.peer) return {std::nullopt, std::nullopt, std::string(entry.name)};
  return initial_pose::reliable_bounds(initial_pose::own_scores(aligner, map), options);
}

Verdict verdict_of(const AlignResult& result, const ReliableBounds& bounds, const Implementation& entry) {
  if (entry.peer) return of_a_peer(result, entry);
  Evidence evidence;
  evidence.stop = result.stop;
  evidence.nvtl = result.nvtl;
  return judged(evidence, bounds);
}

Verdict verdict_of(Aligner& aligner, const PointCloud& scan, const AlignResult& result,
                   const ReliableBounds& bounds, const Implementation& entry, const PerScan& per_scan,
                   const initial_pose::SightLines* sight_lines) {
  if (entry.peer) return of_a_peer(result, entry);
  Evidence evidence = initial_pose::second_look(aligner, scan, result, per_scan, sight_lines);
  Verdict verdict = judged(evidence, bounds);
  verdict.evidence = evidence;
  return verdict;
}

void doubt_same_points(Verdict& verdict, double share) {
  if (share > kSamePointsMost)
    verdict.doubts.insert(
        verdict.doubts.begin(),
        fmt::format("{:.0f} % of the scan's points are points of the map at the guess, bit by bit: "
                    "the map holds this scan, leave the scan out of the map",
                    100 * share));
}

std::string doubts_text(const Verdict& verdict) { return fmt::format("{}", fmt::join(verdict.doubts, "; ")); }

std::string to_text(const Verdict& verdict) {
  return verdict.ok() ? "ok" : "doubtful: " + doubts_text(verdict);
}

}  // namespace ndt::harness
