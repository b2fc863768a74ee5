#include "ndt/initial_pose/tpe.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace ndt::initial_pose {
namespace {

/// As the cast, which takes a branch on x86-64 that no processor predicts. Both halves are exact, and their
/// sum is rounded once.
double to_double(std::uint64_t number) {
  const auto high = static_cast<std::int64_t>(number >> 32),
             low = static_cast<std::int64_t>(number & 0xFFFFFFFF);
  return static_cast<double>(high) * 0x1p32 + static_cast<double>(low);
}

/// Uniform in [0, 1).
double unit_number(std::mt19937_64& random) {
  const double number = to_double(random()) * 0x1p-64;
  return number < 1 ? number : std::nextafter(1.0, 0.0);  // the largest draws round up
}

}  // namespace

double PolarNumber::value() const {
  return component * std::sqrt(-2 * std::log(squared_radius) / squared_radius);
}

PolarNumber PriorSampler::normal(int i, std::mt19937_64& random) {
  if (has_kept_[i]) {
    has_kept_[i] = false;
    return kept_[i];
  }
  double x, y, squared_radius;
  do {
    x = 2 * unit_number(random) - 1;
    y = 2 * unit_number(random) - 1;
    squared_radius = x * x + y * y;
  } while (squared_radius > 1 || squared_radius == 0);
  kept_[i] = {x, squared_radius};
  has_kept_[i] = true;
  return {y, squared_radius};
}

PriorDraw PriorSampler::draw(std::mt19937_64& random) {
  PriorDraw draw;
  for (int i = 0; i < 5; ++i) draw.normal[i] = normal(i, random);
  draw.yaw =
      prior_.sigma_yaw_rad
          ? std::remainder(prior_.mean.yaw + *prior_.sigma_yaw_rad * normal(5, random).value(), 2 * kPi)
          : unit_number(random) * (2 * kPi) - kPi;
  return draw;
}

Pose PriorSampler::pose(const PriorDraw& draw) const {
  return {of(draw, 0), of(draw, 1), of(draw, 2), of(draw, 3), of(draw, 4), draw.yaw};
}

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
