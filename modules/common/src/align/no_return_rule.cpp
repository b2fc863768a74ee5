#include "ndt/align/no_return_rule.hpp"

#include <algorithm>
#include <cmath>
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

/// The causes of a scan's points, found one after the other.
class Finder {
 public:
  Finder(const PointCloud& scan, NoReturnMemory& memory)
      : scan_(scan), causes_(memory.causes), squares_(memory.squares), filled_(kCopyBuckets) {
    causes_.assign(scan.size(), NoReturn::none);
    squares_.assign(scan.size(), -1);
    mark_values();
    mark_identical();
    mark_largest_range();
  }

  bool found() const { return found_; }

 private:
  Vec3<double> at(std::size_t k) const { return scan_.origin + cast<double>(scan_.points[k]); }
  void mark(std::size_t k, NoReturn cause) {
    causes_[k] = cause;
    found_ = true;
  }

  /// Marks values, and gathers all that tells of the rest that nothing is odd: nearly every scan ends there.
  void mark_values() {
    for (std::size_t k = 0; k < scan_.size(); ++k) {
      if (!is_finite(scan_.points[k])) continue;
      ++finite_;
      const Vec3<double> p = at(k);
      if (const NoReturn cause = no_return_of_value(p); cause != NoReturn::none) {
        mark(k, cause);
        continue;
      }
      squares_[k] = dot(p, p);
      largest_square_ = std::max(largest_square_, squares_[k]);
      ++filled_[bucket_of(k)];
    }
  }

  std::size_t bucket_of(std::size_t k) const { return PointBits(scan_.points[k]).hash() % kCopyBuckets; }
  bool is_left(std::size_t k) const { return squares_[k] >= 0; }

  /// A point that is there often fills its bucket.
  void mark_identical() {
    if (std::ranges::none_of(filled_, [&](std::uint32_t n) { return are_many(n, finite_); })) return;
    std::unordered_map<PointBits, std::size_t, HashOfBits> copies;
    for (std::size_t k = 0; k < scan_.size(); ++k)
      if (is_left(k) && are_many(filled_[bucket_of(k)], finite_)) ++copies[PointBits(scan_.points[k])];
    std::erase_if(copies, [&](const auto& point) { return !are_many(point.second, finite_); });
    if (copies.empty()) return;
    for (std::size_t k = 0; k < scan_.size(); ++k) {
      if (!is_left(k) || !copies.contains(PointBits(scan_.points[k]))) continue;
      mark(k, NoReturn::identical);
      squares_[k] = -1;
    }
    largest_square_ = std::ranges::max(squares_);
  }

  /// Points that are left, from this range on.
  std::size_t from(double range_m) const {
    // Roots are taken only of what lies near it, because they take longer than all else.
    const double below = range_m > 0 ? range_m * range_m * (1 - 1e-12) : 0;
    std::size_t count = 0;
    for (const double square : squares_) count += square >= below && std::sqrt(square) >= range_m;
    return count;
  }

  void mark_largest_range() {
    if (scan_.empty() || largest_square_ < 0) return;
    const double largest = std::sqrt(largest_square_), shared = largest - kSameRange_m;
    const std::size_t shell = from(shared);
    if (!are_many(shell, finite_)) return;
    if (2 * (from(largest - kGap_m) - shell) > shell) return;  // a surface has no gap below it
    std::vector<std::size_t> at_range, others;
    std::vector<double> nearer;
    for (std::size_t k = 0; k < scan_.size(); ++k) {
      if (!is_left(k)) continue;
      const double range = std::sqrt(squares_[k]);
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
  std::vector<double>& squares_;
  double largest_square_ = -1;
  std::vector<std::uint32_t> filled_;  ///< points in each bucket
  std::size_t finite_ = 0;
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

bool find_no_returns(const PointCloud& scan, NoReturnMemory& memory) { return Finder(scan, memory).found(); }

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
