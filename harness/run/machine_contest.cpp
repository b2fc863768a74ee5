#include "run/machine_contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/interruption.hpp"
#include "base/metrics.hpp"
#include "data/courtyard.hpp"
#include "registry/registry.hpp"

namespace ndt::harness {
namespace {

constexpr std::size_t kFewestRounds = 3, kMostRounds = 15;
constexpr int kSceneMapPoints = 100000;

/// A batch is spread about the true pose, within reach of all of its poses.
std::vector<Transform> spread_guesses(std::size_t poses) {
  std::vector<Transform> guesses;
  for (std::size_t k = 0; k < poses; ++k)
    guesses.push_back(
        to_transform(Pose{0.1 * (static_cast<double>(k % 7) - 3), 0.1 * (static_cast<double>(k / 7 % 7) - 3),
                          0.05, 0.01, -0.01, 0.03}));
  return guesses;
}

/// One implementation, from size to size.
struct Contestant {
  const Implementation* entry = nullptr;
  double us_per_work = 0;  ///< of the largest size that it was measured with; work is points times poses
  // At the present size:
  bool failed = false;
  std::unique_ptr<Aligner> aligner = nullptr;
  std::vector<double> us = {};
};

class ContestRun {
 public:
  ContestRun(std::span<const Implementation> table, double cap_s)
      : cap_us_(1e6 * cap_s), map_(make_courtyard({.points = kSceneMapPoints})) {
    for (const Implementation& entry : table)
      if (entry.name != kReference && is_for_use(entry) && entry.unavailable_reason().empty())
        contestants_.push_back({&entry});
  }

  Contest run(std::span<const Workload> sizes, const ReportProgress& report) {
    warm_up(sizes.front());
    const Stopwatch since;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      if (report)
        report({k, sizes.size(), fmt::format("{} points, {} at once", sizes[k].points, sizes[k].poses)});
      const double left_us = cap_us_ - since.elapsed_us();
      measure(sizes[k], left_us / static_cast<double>(sizes.size() - k));
    }
    return std::move(contest_);
  }

 private:
  /// Has each align once before the clock starts, because a device takes seconds to load its kernels. One
  /// that fails here takes no part.
  void warm_up(const Workload& size) {
    const PointCloud scan = courtyard_scan(static_cast<int>(size.points));
    const std::vector<Transform> guesses = spread_guesses(size.poses);
    std::vector<AlignResult> results(guesses.size());
    std::erase_if(contestants_, [&](Contestant& c) {
      if (begin(c, size)) take_turn(c, scan, guesses, results);
      c.aligner.reset(), c.us.clear();
      return c.failed;
    });
  }

  void measure(const Workload& size, double share_us) {
    const PointCloud scan = courtyard_scan(static_cast<int>(size.points));
    const std::vector<Transform> guesses = spread_guesses(size.poses);
    std::vector<AlignResult> results(guesses.size());
    const Stopwatch spent;
    std::vector<Contestant*> taking_part = fitting(size, share_us);
    size_ = size;
    std::erase_if(taking_part, [&](Contestant* c) { return !begin(*c, size); });
    for (std::size_t round = 0; round < kMostRounds; ++round) {
      Interruption::check();
      if (round >= kFewestRounds && spent.elapsed_us() > share_us) break;
      for (Contestant* c : taking_part)
        if (!c->failed) take_turn(*c, scan, guesses, results);
      std::ranges::reverse(taking_part);
    }
    for (Contestant& c : contestants_) end(c, size);
  }

  /// The fastest first, by what they took before, as long as their shortest measurements fit together.
  std::vector<Contestant*> fitting(const Workload& size, double share_us) {
    std::vector<Contestant*> all;
    for (Contestant& c : contestants_) all.push_back(&c);
    std::ranges::stable_sort(all, {}, [](const Contestant* c) { return c->us_per_work; });
    double expected_us = 0;
    const auto too_long = std::ranges::find_if(all, [&](const Contestant* c) {
      expected_us += 2 * kFewestRounds * c->us_per_work * static_cast<double>(size.points * size.poses);
      return expected_us > share_us;
    });
    all.erase(too_long, all.end());
    return all;
  }

  /// An aligner with the map, tuned as searches are where there is a batch; false if it fails.
  bool begin(Contestant& c, const Workload& size) {
    return guarded(c, [&] {
      AlignOptions options;
      if (size.poses > 1) options.tuning = Tuning::throughput;
      c.aligner = c.entry->make(options);
      c.aligner->set_map(map_);
    });
  }

  /// Two calls, of which the second counts: it finds threads awake and memory taken.
  void take_turn(Contestant& c, const PointCloud& scan, std::span<const Transform> guesses,
                 std::span<AlignResult> results) {
    guarded(c, [&] {
      c.aligner->align_batch(scan, guesses, results);
      const Stopwatch watch;
      c.aligner->align_batch(scan, guesses, results);
      c.us.push_back(watch.elapsed_us());
    });
  }

  void end(Contestant& c, const Workload& size) {
    c.aligner.reset();
    const std::vector<double> us = std::exchange(c.us, {});
    if (std::exchange(c.failed, false) || us.empty()) return;
    contest_.times.push_back({size.points, size.poses, std::string(c.entry->name), median(us)});
    c.us_per_work = contest_.times.back().us / static_cast<double>(size.points * size.poses);
  }

  /// One that fails, such as for want of memory, is left out of this size, and the others go on.
  template <class Work>
  bool guarded(Contestant& c, Work&& work) try {
    work();
    return true;
  } catch (const std::exception& error) {
    c.failed = true;
    const std::string where =
        size_ ? fmt::format(", {} points, {} at once", size_->points, size_->poses) : "";
    contest_.failed.push_back(fmt::format("{}{}: {}", c.entry->name, where, error.what()));
    return false;
  }

  double cap_us_;
  std::optional<Workload> size_;  // under way; none while all warm up
  PointCloud map_;
  std::vector<Contestant> contestants_;
  Contest contest_;
};

}  // namespace

std::vector<Workload> contest_sizes() {
  constexpr std::size_t kPoints[] = {1000, 5000, 20000, 100000}, kPoses[] = {1, 10, 100};
  std::vector<Workload> sizes{{1000, 1000}};
  for (const std::size_t points : kPoints)
    for (const std::size_t poses : kPoses) sizes.push_back({points, poses});
  std::ranges::stable_sort(sizes, {}, [](const Workload& size) { return size.points * size.poses; });
  return sizes;
}

Contest measure_machine(std::span<const Implementation> table, std::span<const Workload> sizes, double cap_s,
                        const ReportProgress& report) {
  return ContestRun(table, cap_s).run(sizes, report);
}

}  // namespace ndt::harness
