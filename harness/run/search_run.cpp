#include "run/search_run.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace ndt::harness {

SearchRun::SearchRun(const ResolvedSearch& setting, const Measurement& measurement) : setting_(setting) {
  prior_.kind = measurement.search.value().prior;
  prior_.pose.mean = principal(derivative_pose(measurement.guess));
  std::ranges::copy(measurement.search->sigma, prior_.pose.sigma);
  setting_.options.seed = measurement.search->seed;
}

void SearchRun::run(Aligner& aligner, const PointCloud& scan, const PerScan& per_scan,
                    AnywhereSearch* anywhere, const initial_pose::SightLines* sight_lines) {
  calls_.clear();
  const Stopwatch watch;
  const auto observe = [&](const auto& particles) {
    calls_.push_back({particles.size(), watch.elapsed_us()});
  };
  if (setting_.is_own() || setting_.options.method != initial_pose::Method::anywhere) {
    found_ = run_search(aligner, scan, prior_, setting_, per_scan, observe, sight_lines);
    return;
  }
  if (anywhere == nullptr) throw std::logic_error("search: method anywhere needs the map's pyramid");
  initial_pose::AnywhereResult found =
      anywhere->run(aligner, scan, region_of(prior_, *anywhere), prior_.pose.mean, setting_.strategy,
                    setting_.options, per_scan, observe, sight_lines);
  coarse_ = {.place_cell_m = anywhere->cell_m(),
             .pyramid_us = anywhere->build_us(),
             .pyramid_bytes = static_cast<std::int64_t>(anywhere->bytes()),
             .coarse_us = found.coarse_us,
             .coverage = found.coarse.coverage,
             .places = static_cast<int>(found.coarse.places.size())};
  found_ = std::move(found.search);
}

std::vector<AlignResult> SearchRun::take() {
  std::vector<AlignResult> results;
  results.reserve(found_.particles.size());
  for (initial_pose::Particle& particle : found_.particles) results.push_back(std::move(particle.result));
  return results;
}

void SearchRun::fill(Measurement& measurement, std::span<const AlignResult> results, bool with_paths) const {
  SearchRecord& search = measurement.search.value();
  search.best_particle = found_.best;
  search.reliable = found_.reliable;
  if (found_.interrupted) search.interrupted = to_string(*found_.interrupted);
  search.coarse = coarse_;
  if (setting_.is_own()) return;  // its way there is not ours to see
  search.reliable_nvtl = setting_.options.reliable_nvtl;
  search.reliable_matched = setting_.options.reliable_matched;
  if (found_.runner_up) {
    search.runner_up_ratio = found_.evidence.runner_up_ratio;
    search.runner_up_pose = results[*found_.runner_up].map_from_scan;
  }
  fill_verdict(search);
  search.improvements = improvements(measurement, results);
  if (!with_paths) return;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Pose &start = found_.particles[k].start, end = principal(derivative_pose(results[k].map_from_scan));
    search.paths.push_back({start.x, start.y, start.yaw, end.x, end.y, end.yaw,
                            std::isfinite(results[k].nvtl) ? results[k].nvtl : 0});
  }
}

void SearchRun::fill_verdict(SearchRecord& search) const {
  const initial_pose::Evidence& evidence = found_.evidence;
  search.ambiguous = found_.judgement.verdict == initial_pose::Verdict::ambiguous;
  search.verdict = to_string(found_.judgement.verdict);
  search.doubts = doubt_names(found_.judgement);
  search.overlap = evidence.overlap;
  search.matched = evidence.matched;
  search.agreeing = evidence.agreeing;
  if (evidence.sight) {
    search.seen_through = evidence.sight->seen_through;
    search.unmapped = evidence.sight->unmapped;
  }
  // A spread without a bound is none: JSON has no infinity.
  if (!evidence.spread_m || !std::isfinite(*evidence.spread_m)) return;
  search.spread_m = evidence.spread_m;
  search.spread_deg = *evidence.spread_rad * 180 / kPi;
}

std::vector<Improvement> SearchRun::improvements(const Measurement& measurement,
                                                 std::span<const AlignResult> results) const {
  std::vector<Improvement> all;
  auto call = calls_.begin();
  for (std::size_t k = 0; k < results.size(); ++k) {
    while (call->particles <= k) ++call;
    if (found_.particles[k].role == initial_pose::Role::beside) continue;  // they test the answer
    if (!(results[k].nvtl > (all.empty() ? -1 : all.back().nvtl)))
      continue;  // NVTL is 0 or more; NaN is no improvement
    all.push_back({k, call->us, results[k].nvtl, {}, {}});
    if (!measurement.truth) continue;
    const PoseDifference error = pose_difference(results[k].map_from_scan, *measurement.truth);
    all.back().translation_error_m = error.translation_m;
    all.back().rotation_error_deg = error.rotation_deg;
  }
  return all;
}

}  // namespace ndt::harness
