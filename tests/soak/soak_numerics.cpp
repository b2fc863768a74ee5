// Random registrations through every implementation that can run here. None may crash, hang, throw what it
// does not promise, or answer with a pose that is not rigid; and where one answers `converged`, the oracle,
// continued from that pose, must stay.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <thread>

#include "base/random.hpp"
#include "ndt/align/usable_points.hpp"
#include "ndt/core/error.hpp"
#include "ndt/core/finite_points.hpp"
#include "random_case.hpp"
#include "registry/registry.hpp"
#include "watched_workers.hpp"

namespace ndt::soak {
namespace {

using std::chrono::steady_clock;

/// The longest that one implementation may take for one case; the slowest take 0.1 s.
constexpr double kLimit_s = 60;
/// How far the oracle may go from a converged answer, in voxel edges: metres and radians times the mean
/// range.
constexpr double kStays_edges = 0.1;
/// The share of converged answers that the oracle may leave. Scores are not continuous, because points gain
/// and lose voxels: few points may end at an edge of the score, which a fresh region steps across. The oracle
/// leaves 0.1 to 0.2 % of its own answers.
constexpr double kMostLeft = 0.005;

struct Arguments {
  double seconds = 60;
  std::uint64_t seed = 1;
  std::vector<std::uint64_t> only;
  int processes = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
};

Arguments parse(int argc, char** argv) {
  Arguments a;
  CLI::App app("soak_numerics: random registrations through every implementation");
  app.add_option("seconds", a.seconds, "for how long")->capture_default_str();
  app.add_option("seed", a.seed, "of the first case")->capture_default_str();
  app.add_option("--only", a.only, "repeat the case of this seed, as a violation names it");
  app.add_option("--processes", a.processes, "at work at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 256));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return a;
}

/// The counts of one implementation, over all processes.
struct Counts {
  std::atomic<std::int64_t> cases{0}, refused{0}, not_offered{0}, converged{0}, judged{0}, left{0}, faults{0};
  std::atomic<double> farthest{0};
};

/// Says a violation in one piece, as several processes speak.
void say(const std::string& line) {
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

/// The oracle at the last level of a case, for the question whether it stays at a pose.
class Judge {
 public:
  explicit Judge(const RandomCase& scene) : scene_(scene) {
    AlignOptions options = scene.options;
    if (options.levels.size() > 1) options.coarse_stride = 1;
    options.levels = {*(options.levels.end() - 1)};
    edge_m_ = options.resolution_m * options.levels[0];
    try {
      oracle_ = harness::find_implementation(harness::kReference).make(options);
      oracle_->set_map(scene.map);
      range_m_ = mean_range_m(scan_points(scene.scan, options, "judge").points);
    } catch (const InputError&) {
      oracle_.reset();  // its float32 coordinates do not reach so far
    }
  }

  /// How far the oracle goes from there [voxel edges]; nothing where it cannot judge. It stays if its first
  /// step is the last: that is shorter than epsilon, which may be long, and radians count as metres.
  std::optional<double> leaves(const Transform& pose) const {
    if (!oracle_) return std::nullopt;
    const AlignResult to = oracle_->align(scene_.scan, pose, scene_.per_scan);
    if (to.stop == Stop::no_overlap || to.stop == Stop::non_finite) return 1e300;
    if (to.stop == Stop::converged && to.iterations <= 1) return 0;
    return (translation_error_m(pose, to.map_from_scan) +
            rotation_error_rad(pose, to.map_from_scan) * range_m_) /
           edge_m_;
  }

 private:
  const RandomCase& scene_;
  std::unique_ptr<Aligner> oracle_;
  double edge_m_ = 1, range_m_ = 0;
};

class Numerics {
 public:
  explicit Numerics(const Arguments& arguments)
      : arguments_(arguments), counts_(harness::implementations().size()), next_(1) {}

  int run() {
    const auto end = steady_clock::now() + std::chrono::duration_cast<steady_clock::duration>(
                                               std::chrono::duration<double>(arguments_.seconds));
    if (arguments_.only.empty())
      watch(
          arguments_.processes, kLimit_s, [&](int number, Desk& desk) { work(number, desk, end); }, lost_);
    else
      watch(
          1, kLimit_s, [&](int, Desk& desk) { repeat(desk); }, lost_);
    return print_table();
  }

 private:
  void work(int number, Desk& desk, steady_clock::time_point end) {
    if (number == 0 && next_[0] == 0)
      for (const Implementation& entry : harness::implementations())
        if (const std::string reason = entry.unavailable_reason(); !reason.empty())
          say(fmt::format("left out: {}: {}\n", entry.name, reason));
    while (steady_clock::now() < end) {
      const std::uint64_t seed = harness::seed_of(arguments_.seed, next_[0]++);
      desk.begin(seed, 0);
      try_case(random_case(seed), desk);
      desk.idle();
    }
  }

  void repeat(Desk& desk) {
    while (next_[0] < arguments_.only.size()) {
      const RandomCase scene = random_case(arguments_.only[next_[0]++]);
      say(fmt::format("seed {}: {}\n", scene.seed, scene.said));
      try_case(scene, desk);
      desk.idle();
    }
  }

  void try_case(const RandomCase& scene, Desk& desk) {
    std::unique_ptr<Judge> judge;
    const auto entries = harness::implementations();
    for (std::size_t k = 0; k < entries.size(); ++k) {
      if (!entries[k].unavailable_reason().empty()) continue;
      Counts& counts = counts_[k];
      ++counts.cases;
      desk.begin(scene.seed, static_cast<int>(k));
      const std::optional<AlignResult> got = answer(scene, entries[k], counts);
      if (!got) continue;
      if (!arguments_.only.empty()) show(entries[k], *got);
      if (const std::string defect = rigid_defect(got->map_from_scan); !defect.empty())
        fault(scene.seed, entries[k], counts, "its pose is not rigid: " + defect, scene.said);
      if (got->stop != Stop::converged) continue;
      if (!judge) judge = std::make_unique<Judge>(scene);
      judge_converged(scene, entries[k], counts, *judge, *got);
    }
  }

  static void show(const Implementation& entry, const AlignResult& got) {
    const Pose p = principal(derivative_pose(got.map_from_scan));
    say(fmt::format("{}: {} after {} iterations, NVTL {:.3f}, push {:.1f}, at {} {} {} m, {} {} {} rad\n",
                    entry.name, to_string(got.stop), got.iterations, got.nvtl, got.conditioning.push_sigmas,
                    p.x, p.y, p.z, p.roll, p.pitch, p.yaw));
    for (const TracePoint& t : got.trace)
      say(fmt::format("  score {:.9g}, step {:.4g} m, level {}, radius {:.4g} m\n", t.score, t.step_m,
                      t.level, t.radius_m));
  }

  std::optional<AlignResult> answer(const RandomCase& scene, const Implementation& entry, Counts& counts) {
    try {
      const auto aligner = entry.make(scene.options);
      aligner->set_map(scene.map);
      PerScan per_scan = scene.per_scan;
      per_scan.trace = !arguments_.only.empty();
      return aligner->align(scene.scan, scene.guess, per_scan);
    } catch (const InputError& error) {
      ++counts.refused;
      if (!arguments_.only.empty()) say(fmt::format("{}: {}\n", entry.name, error.what()));
    } catch (const std::invalid_argument& error) {
      if (entry.peer)
        ++counts.not_offered;
      else
        fault(scene.seed, entry, counts, fmt::format("it refuses valid input: {}", error.what()), scene.said);
    } catch (const std::exception& error) {
      fault(scene.seed, entry, counts, fmt::format("it throws: {}", error.what()), scene.said);
    }
    return std::nullopt;
  }

  void judge_converged(const RandomCase& scene, const Implementation& entry, Counts& counts,
                       const Judge& judge, const AlignResult& got) {
    ++counts.converged;
    const std::optional<double> edges = judge.leaves(got.map_from_scan);
    if (!edges) return;
    ++counts.judged;
    double before = counts.farthest;
    while (*edges > before && !counts.farthest.compare_exchange_weak(before, *edges)) continue;
    if (*edges <= kStays_edges) return;
    ++counts.left;
    if (!entry.peer || !arguments_.only.empty())
      say(fmt::format(
          "violation: seed {}: {}: converged (NVTL {:.2f}, push {:.1f}), but the oracle leaves by "
          "{:.3g} voxel edges; {}\n",
          scene.seed, entry.name, got.nvtl, got.conditioning.push_sigmas, *edges, scene.said));
  }

  static void fault(std::uint64_t seed, const Implementation& entry, Counts& counts, const std::string& what,
                    const std::string& scene) {
    ++counts.faults;
    say(fmt::format("violation: seed {}: {}: {}; {}\n", seed, entry.name, what, scene));
  }

  int print_table() const {
    fmt::print("\nseed {}, {} cases in {:.0f} s\n{:24} {:>9} {:>8} {:>11} {:>9} {:>9} {:>6} {:>8}  {}\n",
               arguments_.seed, next_[0].load(), arguments_.seconds, "implementation", "cases", "refused",
               "not offered", "converged", "judged", "left", "farthest", "faults");
    bool good = true;
    const auto entries = harness::implementations();
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const Counts& c = counts_[k];
      if (c.cases == 0) continue;
      fmt::print("{:24} {:>9} {:>8} {:>11} {:>9} {:>9} {:>6} {:>8.3f}  {}{}\n", entries[k].name,
                 c.cases.load(), c.refused.load(), c.not_offered.load(), c.converged.load(), c.judged.load(),
                 c.left.load(), c.farthest.load(), c.faults.load(),
                 entries[k].peer ? "  (a peer stops by its own rule: where it ends is no violation)" : "");
      const bool few_left = static_cast<double>(c.left) <= kMostLeft * static_cast<double>(c.judged);
      good = good && c.faults == 0 && (entries[k].peer || few_left || !arguments_.only.empty());
    }
    return good ? 0 : 1;
  }

  const Arguments& arguments_;
  Shared<Counts> counts_;
  Shared<std::atomic<std::uint64_t>> next_;
  const std::function<void(const Lost&)> lost_ = [this](const Lost& lost) {
    const auto part = static_cast<std::size_t>(lost.part);
    const std::string how = lost.hung ? fmt::format("no answer within {} s", kLimit_s)
                                      : fmt::format("the process ended by signal {}", lost.signal);
    fault(lost.task, harness::implementations()[part], counts_[part], how, "--only shows the case");
  };
};

}  // namespace
}  // namespace ndt::soak

int main(int argc, char** argv) {
  const ndt::soak::Arguments arguments = ndt::soak::parse(argc, argv);
  try {
    return ndt::soak::Numerics(arguments).run();
  } catch (const std::exception& error) {
    fmt::print(stderr, "soak_numerics: {}\n", error.what());
    return 2;
  }
}
