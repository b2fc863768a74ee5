#include "ndt/initial_pose/tpe.hpp"

#include <algorithm>
#include <limits>

#include "ndt/initial_pose/prior_sampler.hpp"

namespace ndt::initial_pose {

Tpe::Tpe(const PosePrior& prior, const TpeOptions& options)
    : prior_(prior), options_(options), random_(options.seed) {
  require_valid(prior);
}

std::vector<Pose> Tpe::ask(int count) {
  std::vector<Pose> places;
  for (const Pose& place : untold_) trials_.add_pending(place);
  for (int k = 0; k < count; ++k) {
    places.push_back(propose());
    trials_.add_pending(places.back());
    untold_.push_back(places.back());
    ++asked_;
  }
  trials_.drop_pending();
  return places;
}

void Tpe::tell(const Pose& at, double score) {
  if (!untold_.empty()) untold_.pop_front();
  trials_.add(at, score);
}

void Tpe::draw_ahead(int count, int compared) {
  // Counts the places asked for as told, because they will be when the drawn candidates are used.
  if (asked_ < options_.startup || ParzenTrials::good_of(static_cast<std::size_t>(asked_)) == 0) return;
  drawn_.reserve(used_ + static_cast<std::size_t>(count) * static_cast<std::size_t>(options_.candidates));
  while (ahead() < count) draw_candidates();
  if (trials_.good() > 0) compare(std::min(compared, ahead()));
}

void Tpe::compare(int count) {
  const auto end = used_ + static_cast<std::size_t>(count) * static_cast<std::size_t>(options_.candidates);
  for (std::size_t k = used_; k < end; ++k) trials_.compare(drawn_[k].candidate);
}

void Tpe::draw_candidates() {
  if (2 * used_ >= drawn_.size()) {
    drawn_.erase(drawn_.begin(), drawn_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ = 0;
  }
  PriorSampler sampler(prior_);
  for (int k = 0; k < options_.candidates; ++k) {
    const PriorDraw draw = sampler.draw(random_);
    drawn_.push_back({draw, {{sampler.x(draw), sampler.y(draw), draw.yaw}}});
  }
}

Pose Tpe::propose() {
  PriorSampler sampler(prior_);
  if (!guides()) return sampler.pose(sampler.draw(random_));
  if (used_ == drawn_.size()) draw_candidates();
  const std::size_t best = best_of(used_);
  used_ += static_cast<std::size_t>(options_.candidates);
  return sampler.pose(drawn_[best].draw);
}

std::size_t Tpe::best_of(std::size_t first) {
  const auto count = static_cast<std::size_t>(options_.candidates);
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  highest_.resize(count);
  double surpassed = kLowest;  // by one candidate at least
  for (std::size_t k = 0; k < count; ++k) {
    const RatioBounds bounds = trials_.bounds(drawn_[first + k].candidate, surpassed);
    highest_[k] = bounds.high;
    surpassed = std::max(surpassed, bounds.low);
  }
  std::size_t best = first;
  double best_ratio = kLowest;
  for (std::size_t k = 0; k < count; ++k) {
    if (highest_[k] < surpassed) continue;
    const double ratio = trials_.log_density_ratio(drawn_[first + k].candidate.at);
    if (ratio > best_ratio) best = first + k, best_ratio = ratio;
  }
  return best;
}

}  // namespace ndt::initial_pose
