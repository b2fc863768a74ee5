#include "ndt/initial_pose/parzen_trials.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>

#include "around/widest_clone.hpp"

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

using Double4 = double __attribute__((vector_size(32)));

/// The exponent of a kernel, from the differences between a place and it. Real: double or Double4, which goes
/// by reference because how it goes by value depends on the clone.
template <class Real>
inline __attribute__((always_inline)) void exponent_of(const Real& dx, const Real& dy, const Real& turn,
                                                       Real& out) {
  constexpr double kPerM = 0.5 / (ParzenTrials::kWidthM * ParzenTrials::kWidthM);
  constexpr double kPerRad = 0.5 / (ParzenTrials::kWidthRad * ParzenTrials::kWidthRad);
  const Real angle = turn < 0 ? -turn : turn, around = 2 * kPi - angle,
             dyaw = angle < around ? angle : around;
  out = -((dx * dx + dy * dy) * kPerM + dyaw * dyaw * kPerRad);
}

/// The largest exponent of `count` kernels at a place. Kernels are read four at a time, so that up to three
/// must follow, which are infinitely far.
NDT_WIDEST_CLONE double largest_exponent(const double* x, const double* y, const double* yaw,
                                         std::size_t count, const KernelPlace& at) {
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  Double4 largest{kLowest, kLowest, kLowest, kLowest};
  for (std::size_t i = 0; i < count; i += 4) {
    Double4 kx, ky, kyaw;
    std::memcpy(&kx, x + i, sizeof kx), std::memcpy(&ky, y + i, sizeof ky);
    std::memcpy(&kyaw, yaw + i, sizeof kyaw);
    Double4 value;
    exponent_of<Double4>(at.x - kx, at.y - ky, at.yaw - kyaw, value);
    largest = value > largest ? value : largest;
  }
  return std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
}

/// The exponents of `count` kernels at a place, read and written four at a time.
NDT_WIDEST_CLONE void exponents_of(const double* x, const double* y, const double* yaw, std::size_t count,
                                   const KernelPlace& at, double* out) {
  for (std::size_t i = 0; i < count; i += 4) {
    Double4 kx, ky, kyaw, value;
    std::memcpy(&kx, x + i, sizeof kx), std::memcpy(&ky, y + i, sizeof ky);
    std::memcpy(&kyaw, yaw + i, sizeof kyaw);
    exponent_of<Double4>(at.x - kx, at.y - ky, at.yaw - kyaw, value);
    std::memcpy(out + i, &value, sizeof value);
  }
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

KernelPlace place_of(const Pose& pose) { return {pose.x, pose.y, std::remainder(pose.yaw, 2 * kPi)}; }

void ParzenTrials::Kernels::insert(std::size_t before, const KernelPlace& at) {
  const auto put = [before](std::vector<double>& values, double value) {
    values.insert(values.begin() + static_cast<std::ptrdiff_t>(before), value);
  };
  put(x, at.x), put(y, at.y), put(yaw, at.yaw);
}

KernelPlace ParzenTrials::Kernels::take(std::size_t k) {
  const KernelPlace at{x[k], y[k], yaw[k]};
  for (auto* values : {&x, &y, &yaw}) values->erase(values->begin() + static_cast<std::ptrdiff_t>(k));
  return at;
}

void ParzenTrials::append_to_rest(const KernelPlace& at, const Rank& rank) {
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

void ParzenTrials::count() {
  log_good_size_ = std::log(static_cast<double>(good()));
  log_rest_size_ = std::log(static_cast<double>(rest_.size() + pending_.size()));
}

void ParzenTrials::add(const Pose& at, double score) {
  enter(at, score);
  count();
}

void ParzenTrials::enter(const Pose& at, double score) {
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

void ParzenTrials::add_pending(const Pose& at) {
  pending_.insert(pending_.size(), place_of(at));
  count();
}

void ParzenTrials::drop_pending() {
  pending_ = {};
  count();
}

std::size_t ParzenTrials::good_of(std::size_t trials) { return std::min(kGoodMost, trials / kTenth); }

double ParzenTrials::log_density_ratio(const KernelPlace& at) const {
  LogSum goods, others;
  add_kernels(good_, at, goods);
  add_kernels(rest_, at, others);
  add_kernels(pending_, at, others);
  return log_peak() + goods.log_mean(good()) -
         kRestWeight * (log_peak() + others.log_mean(rest_.size() + pending_.size()));
}

RatioBounds ParzenTrials::bounds(Candidate& candidate, double wanted) const {
  constexpr std::size_t kAtATime = 24;  // a multiple of four
  if (candidate.epoch != epoch_) candidate = {candidate.at, -kInfinity, 0, epoch_};
  const double good_nearest = nearest(good_, 0, good(), candidate.at);
  // Every kernel of the rest that is nearer than those before lowers the bounds.
  double pending = -kInfinity;
  const auto now = [&] { return bounds_of(good_nearest, std::max(candidate.nearest, pending)); };
  if (const double high = now().high; high < wanted) return {-kInfinity, high};
  pending = nearest(pending_, 0, pending_.size(), candidate.at);
  while (candidate.compared < rest_.size()) {
    if (const double high = now().high; high < wanted) return {-kInfinity, high};
    compare(candidate, kAtATime);
  }
  return now();
}

RatioBounds ParzenTrials::bounds_of(double good_nearest, double nearest) const {
  const double ratio = (1 - kRestWeight) * log_peak() + good_nearest - kRestWeight * nearest;
  const double rounding = kRounding * (1 + std::abs(ratio));
  return {ratio - log_good_size_ - rounding, ratio + kRestWeight * log_rest_size_ + rounding};
}

void ParzenTrials::compare(Candidate& candidate) const {
  if (candidate.epoch != epoch_) candidate = {candidate.at, -kInfinity, 0, epoch_};
  compare(candidate, rest_.size());
}

void ParzenTrials::compare(Candidate& candidate, std::size_t most) const {
  const std::size_t from = candidate.compared, count = std::min(most, rest_.size() - from);
  candidate.nearest = std::max(candidate.nearest, nearest(rest_, from, count, candidate.at));
  candidate.compared = static_cast<std::uint32_t>(from + count);
}

double ParzenTrials::nearest(const Kernels& kernels, std::size_t first, std::size_t count,
                             const KernelPlace& at) {
  return largest_exponent(&kernels.x[first], &kernels.y[first], &kernels.yaw[first], count, at);
}

void ParzenTrials::add_kernels(const Kernels& kernels, const KernelPlace& at, LogSum& into) {
  constexpr std::size_t kTogether = 64;
  double exponents[kTogether];
  for (std::size_t first = 0; first < kernels.size(); first += kTogether) {
    const std::size_t count = std::min(kTogether, kernels.size() - first);
    exponents_of(&kernels.x[first], &kernels.y[first], &kernels.yaw[first], count, at, exponents);
    for (std::size_t i = 0; i < count; ++i) into.add(exponents[i]);
  }
}

}  // namespace ndt::initial_pose
