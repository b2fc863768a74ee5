#include "ndt/initial_pose/anytime_search.hpp"

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "around/finishing.hpp"
#include "around/search_parts.hpp"

namespace ndt::initial_pose {
namespace {

/// Between the seeds of two shares: attempts of a caller use the small numbers.
constexpr std::uint64_t kSeedStep = std::uint64_t{1} << 32;

PerScan until(PerScan per_scan, const Share& share) {
  if (!share.time) return per_scan;
  const auto end = std::chrono::steady_clock::now() + *share.time;
  per_scan.deadline = per_scan.deadline ? std::min(*per_scan.deadline, end) : end;
  return per_scan;
}

void carry_on(Batches& batches, Tpe& tpe, const std::vector<Transform>& leaders) {
  if (leaders.empty()) return;
  std::vector<Pose> starts;
  for (const Transform& leader : leaders) starts.push_back(principal(derivative_pose(leader)));
  batches.align(starts, Role::carried, false, [] {});
  for (const Particle& particle : batches.result.particles) tell(tpe, particle.result);
}

/// Drops proposals that had no time to come to rest, unless there are no others.
void drop_cut_off(std::vector<Particle>& particles) {
  const auto is_cut_off = [](const Particle& particle) { return particle.result.stop == Stop::timeout; };
  const auto first = std::ranges::find(particles, Role::proposed, &Particle::role);
  if (!std::all_of(first, particles.end(), is_cut_off))
    particles.erase(std::remove_if(first, particles.end(), is_cut_off), particles.end());
}

}  // namespace

AnytimeSearch::AnytimeSearch(const SearchOptions& options) : options_(options) {
  validate(options_);
  if (options_.method != Method::tpe)
    throw std::invalid_argument("anytime search: only method tpe goes on with another scan");
  options_.startup = std::min(options_.startup, options_.particles);
}

SearchOptions AnytimeSearch::next_share(int particles) {
  SearchOptions next = options_;
  next.particles = std::clamp(particles, 1, options_.particles - done_);
  next.startup = std::clamp(options_.startup - done_, 0, next.particles);
  next.seed += kSeedStep * static_cast<std::uint64_t>(shares_++);
  return next;
}

void AnytimeSearch::keep(const SearchResult& result) {
  for (const Particle& particle : result.particles)
    if (particle.role == Role::proposed || particle.role == Role::carried)
      trials_.push_back({particle.result.map_from_scan, told_score(particle.result)});
  leaders_.clear();
  for (const std::size_t k : leaders(result.particles, kLeaders))
    leaders_.push_back(result.particles[k].result.map_from_scan);
}

SearchResult AnytimeSearch::go_on(Aligner& aligner, const PointCloud& scan, const PosePrior& prior,
                                  const Transform& moved, const Share& share, const PerScan& per_scan) {
  if (finished()) throw std::logic_error("anytime search: go_on: all particles are aligned");
  require_valid(prior);
  const SearchOptions options = next_share(share.particles);
  const Strategy& strategy = default_strategy();
  const SearchObserver nobody;
  PointCloud room;
  Batches batches(aligner, used_points(scan, options, room), per_scan, nobody, nullptr, options.particles,
                  most_at_once(strategy, options));
  Tpe tpe(prior, {options.startup, options.candidates, options.seed});
  for (Trial& trial : trials_) {
    trial.end = trial.end * moved;
    tpe.tell(principal(derivative_pose(trial.end)), trial.score);
  }
  for (Transform& leader : leaders_) leader = leader * moved;
  carry_on(batches, tpe, leaders_);
  batches.set_limits(until(per_scan, share));
  propose(batches, strategy, options, tpe);
  batches.set_limits(per_scan);
  if (!interruption(per_scan)) drop_cut_off(batches.result.particles);
  done_ += static_cast<int>(batches.result.proposed());
  SearchResult result = conclude(batches, options);
  if (!interruption(per_scan)) result.interrupted.reset();  // the share's time is not the caller's limit
  keep(result);
  return result;
}

}  // namespace ndt::initial_pose
