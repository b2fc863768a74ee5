#include "ndt/align/no_return_rule.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

#include "ndt/align/no_returns.hpp"
#include "ndt/core/formatted.hpp"

namespace ndt {
namespace {

constexpr double kGap_m = 0.05, kMeets = 0.7;

struct HashOfBits {
  std::size_t operator()(const PointBits& p) const { return p.hash(); }
};

/// Points of which the largest range is kept.
constexpr std::size_t kBlock = 1024;
/// Below this square of a range no value tells a cause, unless it is 0 [m2].
constexpr double kPlain_m2 = 9e7;
constexpr std::size_t kLeastPointsOfPart = 8192;

/// The causes of a scan's points, found one after the other.
class Finder {
 public:
  Finder(const PointCloud& scan, NoReturnMemory& memory, const Workers& workers)
      : scan_(scan), causes_(memory.causes), largest_squares_(memory.largest_squares), facts_(memory.facts) {
    mark_values(workers);
    mark_identical();
    mark_largest_range();
  }

  bool found() const { return found_; }

 private:
  Vec3<double> at(std::size_t k) const { return scan_.origin + cast<double>(scan_.points[k]); }
  double square(std::size_t k) const { return dot(at(k), at(k)); }
  bool is_left(std::size_t k) const { return causes_[k] == NoReturn::none && is_finite(scan_.points[k]); }
  void mark(std::size_t k, NoReturn cause) {
    causes_[k] = cause;
    found_ = true;
  }
  Part block(std::size_t b) const { return {b * kBlock, std::min((b + 1) * kBlock, scan_.size())}; }

  /// Marks values, and gathers all that tells of the rest that nothing is odd: nearly every scan ends there.
  void mark_values(const Workers& workers) {
    const std::size_t blocks = (scan_.size() + kBlock - 1) / kBlock,
                      parts = workers.parts(scan_.size(), kLeastPointsOfPart);
    causes_.resize(scan_.size());
    largest_squares_.resize(blocks);
    facts_.assign(parts, {});
    workers.each(parts, [&](std::size_t p) {
      const Part part = part_of(blocks, p, parts);
      for (std::size_t b = part.begin; b < part.end; ++b) largest_squares_[b] = gather(block(b), facts_[p]);
    });
    for (std::size_t p = 1; p < parts; ++p) {
      whole().finite += facts_[p].finite, whole().of_value += facts_[p].of_value;
      std::ranges::transform(whole().filled, facts_[p].filled, whole().filled.begin(), std::plus());
    }
    found_ = whole().of_value > 0;
  }

  /// Returns the largest square.
  double gather(const Part& points, NoReturnFacts& facts) {
    double largest = -1;
    for (std::size_t k = points.begin; k < points.end; ++k) {
      causes_[k] = NoReturn::none;
      const double range = square(k);
      if (!(range > 0 && range < kPlain_m2)) {
        if (!is_finite(scan_.points[k])) continue;
        causes_[k] = no_return_of_value(at(k));
        if (causes_[k] != NoReturn::none) {
          ++facts.finite, ++facts.of_value;
          continue;
        }
      }
      ++facts.finite;
      largest = std::max(largest, range);
      ++facts.filled[bucket_of(k)];
    }
    return largest;
  }

  NoReturnFacts& whole() { return facts_.front(); }
  std::size_t bucket_of(std::size_t k) const {
    const PointBits bits(scan_.points[k]);
    constexpr int kShift = 32 - std::countr_zero(kCopyBuckets);
    return (bits.x * 0x9E3779B1U + bits.y * 0x85EBCA77U + bits.z * 0xC2B2AE3DU) >> kShift;  // odd numbers
  }
  bool is_many(std::uint64_t count) { return are_many(count, whole().finite); }

  /// A point that is there often fills its bucket.
  void mark_identical() {
    if (std::ranges::none_of(whole().filled, [&](std::uint32_t n) { return is_many(n); })) return;
    std::unordered_map<PointBits, std::size_t, HashOfBits> copies;
    for (std::size_t k = 0; k < scan_.size(); ++k)
      if (is_left(k) && is_many(whole().filled[bucket_of(k)])) ++copies[PointBits(scan_.points[k])];
    std::erase_if(copies, [&](const auto& point) { return !is_many(point.second); });
    if (copies.empty()) return;
    std::ranges::fill(largest_squares_, -1);
    for (std::size_t k = 0; k < scan_.size(); ++k) {
      if (!is_left(k)) continue;
      double& largest = largest_squares_[k / kBlock];
      if (copies.contains(PointBits(scan_.points[k])))
        mark(k, NoReturn::identical);
      else
        largest = std::max(largest, square(k));
    }
  }

  /// Points that are left, from this range on.
  std::size_t from(double range_m) const {
    // Roots are taken only of what lies near it, because they take longer than all else.
    const double below = range_m > 0 ? range_m * range_m * (1 - 1e-12) : 0;
    std::size_t count = 0;
    for (std::size_t b = 0; b < largest_squares_.size(); ++b) {
      if (largest_squares_[b] < below) continue;
      for (std::size_t k = block(b).begin; k < block(b).end; ++k)
        count += is_left(k) && square(k) >= below && std::sqrt(square(k)) >= range_m;
    }
    return count;
  }

  void mark_largest_range() {
    const double farthest = scan_.empty() ? -1 : std::ranges::max(largest_squares_);
    if (farthest < 0) return;
    const double largest = std::sqrt(farthest), shared = largest - kSameRange_m;
    const std::size_t shell = from(shared);
    if (!is_many(shell)) return;
    if (2 * (from(largest - kGap_m) - shell) > shell) return;  // a surface has no gap below it
    std::vector<std::size_t> at_range, others;
    std::vector<double> nearer;
    for (std::size_t k = 0; k < scan_.size(); ++k) {
      if (!is_left(k)) continue;
      const double range = std::sqrt(square(k));
      (range >= shared ? at_range : others).push_back(k);
      if (range < shared) nearer.push_back(range);
    }
    if (surrounds(at_range, others) || (is_cap(at_range, others) && meets(largest, nearer))) return;
    for (const std::size_t k : at_range) mark(k, NoReturn::max_range);
  }

  Vec3<double> direction(std::size_t k) const {
    const Vec3<double> p = at(k);
    const double range = std::sqrt(dot(p, p));
    return range > 0 ? (1 / range) * p : p;
  }

  /// A tank or a sphere has nearly all points of the scan.
  static bool surrounds(std::span<const std::size_t> shell, std::span<const std::size_t> others) {
    return 10 * shell.size() >= 9 * (shell.size() + others.size());
  }

  /// A dome has nearly all other points below its rim, and so has the sky above open land.
  bool is_cap(std::span<const std::size_t> shell, std::span<const std::size_t> others) const {
    Vec3<double> axis;
    for (const std::size_t k : shell) axis = axis + direction(k);
    std::vector<double> along;
    for (const std::size_t k : shell) along.push_back(dot(axis, direction(k)));
    const auto rim = along.begin() + static_cast<std::ptrdiff_t>(along.size() / 100);
    std::ranges::nth_element(along, rim);
    const auto inside = static_cast<std::size_t>(
        std::ranges::count_if(others, [&](std::size_t k) { return dot(axis, direction(k)) > *rim; }));
    return 50 * inside <= others.size();
  }

  /// A dome stands on the ground, which is seen as far as its rim; the sky is farther than what is seen
  /// below.
  static bool meets(double largest, std::vector<double>& nearer) {
    const auto far = nearer.begin() + static_cast<std::ptrdiff_t>(nearer.size() * 49 / 50);
    std::ranges::nth_element(nearer, far);
    return *far >= kMeets * largest;
  }

  const PointCloud& scan_;
  std::vector<NoReturn>& causes_;
  std::vector<double>& largest_squares_;  ///< of blocks
  std::vector<NoReturnFacts>& facts_;
  bool found_ = false;
};

}  // namespace

NoReturns& NoReturns::operator+=(const NoReturns& other) {
  zero += other.zero, sentinel += other.sentinel;
  identical += other.identical, max_range += other.max_range;
  return *this;
}

std::string to_text(const NoReturns& counts) {
  std::string text;
  const auto add = [&](std::int64_t count, NoReturn cause) {
    if (count > 0) text += formatted("{}{} {}", text.empty() ? "" : ", ", count, to_string(cause));
  };
  add(counts.zero, NoReturn::zero);
  add(counts.sentinel, NoReturn::sentinel);
  add(counts.identical, NoReturn::identical);
  add(counts.max_range, NoReturn::max_range);
  return text;
}

bool find_no_returns(const PointCloud& scan, NoReturnMemory& memory, const Workers& workers) {
  return Finder(scan, memory, workers).found();
}

std::vector<NoReturn> find_no_returns(const PointCloud& scan) {
  NoReturnMemory memory;
  return find_no_returns(scan, memory) ? std::move(memory.causes) : std::vector<NoReturn>();
}

NoReturns counted(const std::vector<NoReturn>& causes) {
  const auto count = [&](NoReturn cause) { return std::ranges::count(causes, cause); };
  return {count(NoReturn::zero), count(NoReturn::sentinel), count(NoReturn::identical),
          count(NoReturn::max_range)};
}

const PointCloud& without_no_returns(const PointCloud& scan, PointCloud& room, NoReturns* dropped) {
  const std::vector<NoReturn> causes = find_no_returns(scan);
  if (dropped != nullptr) *dropped = counted(causes);
  if (causes.empty()) return scan;
  room = {scan.origin, {}};
  const bool timed = scan.times.size() == scan.size();
  for (std::size_t k = 0; k < scan.size(); ++k) {
    if (causes[k] != NoReturn::none) continue;
    room.points.push_back(scan.points[k]);
    if (timed) room.times.push_back(scan.times[k]);
  }
  return room;
}

NoReturns drop_no_returns(PointCloud& scan) {
  PointCloud room;
  NoReturns dropped;
  if (&without_no_returns(scan, room, &dropped) == &room) scan = std::move(room);
  return dropped;
}

}  // namespace ndt
