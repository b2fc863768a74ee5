#include "ndt/initial_pose/tpe.hpp"

namespace ndt::initial_pose {

Tpe::Tpe(const PosePrior& prior, const TpeOptions& options)
    : prior_(prior), options_(options), random_(options.seed) {
  require_valid(prior);
}

std::vector<Pose> Tpe::ask(int count) {
  std::vector<Pose> places;
  for (int k = 0; k < count; ++k) {
    places.push_back(propose());
    trials_.add_pending(places.back());
    ++asked_;
  }
  trials_.drop_pending();
  return places;
}

Pose Tpe::propose() {
  PriorSampler sampler(prior_);
  if (!guides()) return sampler.pose(sampler.draw(random_));
  PriorDraw best;
  double best_ratio = 0;
  for (int k = 0; k < options_.candidates; ++k) {
    const PriorDraw candidate = sampler.draw(random_);
    const double ratio = trials_.log_density_ratio(sampler.x(candidate), sampler.y(candidate), candidate.yaw);
    if (k == 0 || ratio > best_ratio) best = candidate, best_ratio = ratio;
  }
  return sampler.pose(best);
}

}  // namespace ndt::initial_pose
