#include "cli/auto_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/environment.hpp"
#include "base/interruption.hpp"
#include "base/output_file.hpp"
#include "base/standard_streams.hpp"
#include "cli/progress_line.hpp"
#include "ndt/align/option.hpp"
#include "ndt/core/error.hpp"
#include "registry/registry.hpp"
#include "run/machine_contest.hpp"

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

std::string counted(std::size_t n, std::string_view what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// What is taken from where the one before ends, up to so many points; the last has no end.
struct Stretch {
  std::string_view implementation;
  std::optional<double> up_to_points;
};

/// With batches of `poses`, which were measured. Half-way, in ratio, between two sizes is where the choice
/// goes from one to the other.
std::vector<Stretch> stretches(std::span<const MachineTime> times, std::size_t poses) {
  std::set<std::size_t> sizes;
  for (const MachineTime& time : times)
    if (time.poses == poses) sizes.insert(time.points);
  std::vector<Stretch> out;
  std::size_t before = 0;
  for (const std::size_t points : sizes) {
    const Implementation* taken =
        faster_than(fastest(implementations()), implementations(), times, {points, poses});
    const std::string_view name = taken == nullptr ? "none" : taken->name;
    if (!out.empty() && out.back().implementation != name)
      out.back().up_to_points = std::sqrt(static_cast<double>(before) * static_cast<double>(points));
    if (out.empty() || out.back().implementation != name) out.push_back({name, std::nullopt});
    before = points;
  }
  return out;
}

void tell_stretches(AutoChoice& out, std::span<const MachineTime> times) {
  std::set<std::size_t> batches;
  for (const MachineTime& time : times) batches.insert(time.poses);
  for (const std::size_t poses : batches) {
    std::string line;
    for (const Stretch& s : stretches(times, poses)) {
      line += fmt::format("{}{}", line.empty() ? "" : ", then ", s.implementation);
      if (s.up_to_points) line += fmt::format(" up to {:.0f} points", *s.up_to_points);
      out.value["choices"].push_back({{"poses", poses},
                                      {"up_to_points", s.up_to_points ? json(*s.up_to_points) : json()},
                                      {"implementation", s.implementation}});
    }
    out.lines.push_back(fmt::format("{}: {}", counted(poses, "pose"), line));
  }
}

void tell_times(AutoChoice& out, std::span<const MachineTime> times) {
  std::map<std::pair<std::size_t, std::size_t>, std::string> lines;
  for (const MachineTime& time : times) {
    std::string& line = lines[{time.poses, time.points}];
    line += fmt::format("{} {} {:.4g} ms", line.empty() ? "" : ",", time.implementation, time.us / 1000);
    out.value["times"].push_back({{"points", time.points},
                                  {"poses", time.poses},
                                  {"implementation", time.implementation},
                                  {"us", time.us}});
  }
  for (const auto& [size, line] : lines)
    out.lines.push_back(
        fmt::format("{}, {}:{}", counted(size.first, "pose"), counted(size.second, "point"), line));
}

std::string file_name() try { return machine_times_file().string(); } catch (const InputError&) {
  return "";
}

}  // namespace

AutoChoice auto_choice() {
  const KeptTimes kept = kept_times();
  const std::string_view taken = choose_implementation(kAuto).name;
  const std::string file = file_name();
  AutoChoice out;
  out.value = {{"takes", taken},
               {"file", file.empty() ? json() : json(file)},
               {"why_not", kept.times ? json() : json(kept.why_not)},
               {"measured_at", kept.times ? json(kept.times->measured_at) : json()},
               {"choices", json::array()},
               {"times", json::array()}};
  out.lines.push_back(kept.times
                          ? fmt::format("{} for {} points and one pose at a time; measured {}, kept in {}",
                                        taken, Workload().points, kept.times->measured_at, file)
                          : fmt::format("{} always: {}{}", taken, kept.why_not,
                                        file.empty() ? "" : "; ndt-bench doctor --measure measures it"));
  if (kept.times) {
    tell_stretches(out, kept.times->times);
    tell_times(out, kept.times->times);
  }
  return out;
}

void measure_for_auto(double seconds) {
  require_closed("--measure", seconds, 0.1, 600);
  const std::filesystem::path file = machine_times_file();
  if (file.has_parent_path()) make_folder(file.parent_path());
  const Interruption interruption;
  ProgressLine progress;
  Contest contest = measure_machine(implementations(), contest_sizes(), seconds, progress.report());
  for (const std::string& why : contest.failed) notice("ndt-bench: doctor: not measured further: {}\n", why);
  if (contest.times.empty())
    throw InputError(
        "doctor --measure: no implementation could be measured, so the times kept stay as they were");
  write_text(file, to_json(MachineTimes{this_machine(), utc_now(), std::move(contest.times)}));
}

}  // namespace ndt::harness
