#include "ndt/initial_pose/parzen_trials.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace ndt::initial_pose {
namespace {

constexpr std::size_t kGoodMost = 10, kTenth = 10;
/// Kernels whose exponent is this far below the largest (a factor of e^-50) do not change the sum in double,
/// even if there are a million of them.
constexpr double kNegligible = 50;
constexpr double kRounding = 1e-9;

/// Log density of a kernel at its own place.
double log_peak() {
  static const double value =
      -2 * std::log(ParzenTrials::kWidthM) - std::log(ParzenTrials::kWidthRad) - 1.5 * std::log(2 * kPi);
  return value;
}

constexpr std::size_t kBlock = 16;  // kernels between two checks of the largest

/// Writes the exponents of `count` kernels at a place to `out`, and returns the largest. Compilers vectorise
/// it.
double exponents_at(const double* x, const double* y, const double* yaw, std::size_t count, const Place& at,
                    double* out) {
  constexpr double kPerM = 0.5 / (ParzenTrials::kWidthM * ParzenTrials::kWidthM);
  constexpr double kPerRad = 0.5 / (ParzenTrials::kWidthRad * ParzenTrials::kWidthRad);
  for (std::size_t i = 0; i < count; ++i) {
    const double dx = at.x - x[i], dy = at.y - y[i], angle = std::abs(at.yaw - yaw[i]);
    const double around = 2 * kPi - angle, dyaw = angle < around ? angle : around;
    out[i] = -((dx * dx + dy * dy) * kPerM + dyaw * dyaw * kPerRad);
  }
  return *std::max_element(out, out + count);
}

}  // namespace

void LogSum::add(double exponent) {
  if (exponent > largest) {
    sum = sum * std::exp(largest - exponent) + 1;
    largest = exponent;
  } else if (exponent > largest - kNegligible) {
    sum += std::exp(exponent - largest);
  }
}

double LogSum::log_mean(std::size_t count) const {
  return largest + std::log(sum / static_cast<double>(count));
}

Place place_of(const Pose& pose) { return {pose.x, pose.y, std::remainder(pose.yaw, 2 * kPi)}; }

void ParzenTrials::Kernels::insert(std::size_t before, const Place& at) {
  const auto put = [before](std::vector<double>& values, double value) {
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(before), value);
  };
  put(x, at.x), put(y, at.y), put(yaw, at.yaw);
}

Place ParzenTrials::Kernels::take(std::size_t k) {
  const Place at{x[k], y[k], yaw[k]};
  for (auto* values : {&x, &y, &yaw}) values->erase(values->begin() + static_cast<std::ptrdiff_t>(k));
  return at;
}

void ParzenTrials::append_to_rest(const Place& at, const Rank& rank) {
  rest_.insert(rest_.size(), at);
  rest_ranks_.push_back(rank);
}

void ParzenTrials::promote_best_of_rest() {
  const auto best = std::ranges::min_element(rest_ranks_, std::less<>());
  good_.insert(good_.size(), rest_.take(static_cast<std::size_t>(best - rest_ranks_.begin())));
  good_ranks_.push_back(*best);
  rest_ranks_.erase(best);
  ++epoch_;
}

void ParzenTrials::add(const Pose& at, double score) {
  const Rank rank{std::isnan(score) ? -kInfinity : score, size()};
  const std::size_t goods = good_of(size() + 1);
  const auto before = std::ranges::upper_bound(good_ranks_, rank, std::less<>());
  if (before == good_ranks_.end()) {
    append_to_rest(place_of(at), rank);
    if (good() < goods) promote_best_of_rest();
    return;
  }
  good_.insert(static_cast<std::size_t>(before - good_ranks_.begin()), place_of(at));
  good_ranks_.insert(before, rank);
  if (good() > goods) {
    append_to_rest(good_.take(goods), good_ranks_.back());
    good_ranks_.pop_back();
  }
}

void ParzenTrials::add_pending(const Pose& at) { pending_.insert(pending_.size(), place_of(at)); }

std::size_t ParzenTrials::good_of(std::size_t trials) { return std::min(kGoodMost, trials / kTenth); }

double ParzenTrials::log_density_ratio(Candidate& candidate, double to_beat) const {
  const Place& at = candidate.at;
  const std::size_t rest = rest_.size() + pending_.size();
  double exponents[kGoodMost];
  const double nearest =
      exponents_at(good_.x.data(), good_.y.data(), good_.yaw.data(), good(), at, exponents);
  // The mean of the good kernels is at most the largest of them, and the mean of the rest is at least its
  // largest kernel divided by their number. So one kernel of the rest that reaches `suffices` decides; the
  // last term allows for rounding.
  const double enough = (log_peak() + nearest - to_beat) / kRestWeight;
  const double suffices =
      enough - log_peak() + std::log(static_cast<double>(rest)) + kRounding * (1 + std::abs(enough));
  if (!sum_rest(candidate, suffices)) return -kInfinity;
  LogSum others = candidate.rest;
  if (std::size_t next = 0; !sum(pending_, at, suffices, next, others)) return -kInfinity;
  LogSum goods;
  for (std::size_t i = 0; i < good(); ++i) goods.add(exponents[i]);
  return log_peak() + goods.log_mean(good()) - kRestWeight * (log_peak() + others.log_mean(rest));
}

bool ParzenTrials::sum_rest(Candidate& candidate, double enough) const {
  if (candidate.epoch != epoch_) candidate = {candidate.at, {}, 0, epoch_};
  return sum(rest_, candidate.at, enough, candidate.summed, candidate.rest);
}

bool ParzenTrials::sum(const Kernels& kernels, const Place& at, double enough, std::size_t& next,
                       LogSum& into) {
  double exponents[kBlock];
  while (into.largest < enough && next < kernels.size()) {
    const std::size_t count = std::min(kBlock, kernels.size() - next);
    const double largest =
        exponents_at(&kernels.x[next], &kernels.y[next], &kernels.yaw[next], count, at, exponents);
    if (largest > into.largest - kNegligible)
      for (std::size_t i = 0; i < count; ++i) into.add(exponents[i]);
    next += count;
  }
  return into.largest < enough;
}

}  // namespace ndt::initial_pose
