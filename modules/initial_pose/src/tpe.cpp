#include "ndt/initial_pose/tpe.hpp"

#include <algorithm>
#include <limits>

namespace ndt::initial_pose {
namespace {

/// Margin for work done before a round is told. A candidate farther than this below the best log ratio seldom
/// wins afterwards; if it still might, its sum is completed then. The value changes only when time is spent,
/// never the proposals.
constexpr double kStillPromising = 150;

}  // namespace

Tpe::Tpe(const PosePrior& prior, const TpeOptions& options)
    : prior_(prior), options_(options), random_(options.seed) {
  require_valid(prior);
}

std::vector<Pose> Tpe::ask(int count) {
  std::vector<Pose> places;
  if (pool_ != nullptr && guides()) {
    while (ahead() < count) draw_candidates();
    weigh(count);
  }
  for (int k = 0; k < count; ++k) {
    places.push_back(propose());
    trials_.add_pending(places.back());
    ++asked_;
  }
  trials_.drop_pending();
  return places;
}

void Tpe::draw_ahead(int count, int weighed) {
  // Counts the places asked for as told, because they will be when the drawn candidates are used.
  if (asked_ < options_.startup || ParzenTrials::good_of(static_cast<std::size_t>(asked_)) == 0) return;
  while (ahead() < count) draw_candidates();
  if (trials_.good() > 0) weigh(std::min(weighed, ahead()));
}

void Tpe::weigh(int count) {
  const auto candidates = static_cast<std::size_t>(options_.candidates);
  const auto weigh_one = [&](std::size_t k) { best_of(used_ + k * candidates, kStillPromising); };
  const auto proposals = static_cast<std::size_t>(count);
  if (pool_ != nullptr && count >= pool_->size())
    pool_->for_each(proposals, [&](auto&, std::size_t k) { weigh_one(k); });
  else
    for (std::size_t k = 0; k < proposals; ++k) weigh_one(k);
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
  const std::size_t best = best_of(used_, 0);
  used_ += static_cast<std::size_t>(options_.candidates);
  return sampler.pose(drawn_[best].draw);
}

std::size_t Tpe::best_of(std::size_t first, double margin) {
  std::size_t best = first;
  double best_ratio = -std::numeric_limits<double>::infinity();
  for (std::size_t k = first; k < first + static_cast<std::size_t>(options_.candidates); ++k) {
    const double ratio = trials_.log_density_ratio(drawn_[k].candidate, best_ratio - margin);
    if (ratio > best_ratio) best = k, best_ratio = ratio;
  }
  return best;
}

}  // namespace ndt::initial_pose
