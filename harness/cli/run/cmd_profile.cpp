// ndt-bench profile: where the time of an alignment goes, stage by stage, and what ideas are worth.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <thread>
#include <vector>

#include "base/clock.hpp"
#include "base/metrics.hpp"
#include "cli/common/commands.hpp"
#include "cli/common/flags.hpp"
#include "cli/common/map_flags.hpp"
#include "cli/common/print.hpp"
#include "ndt/edge/stage_clock.hpp"
#include "ndt/io/cloud_file.hpp"

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

struct ProfileCommand {
  MapArguments map;
  std::string scan;
  std::string implementation{kAuto};
  PoseArgument guess;
  AlignArguments align;
  PreparationArguments preparation;
  int samples = 1000;
  double idle_ms = 0, announced_ms = 0;
  std::vector<std::string> without;
  bool json = false;
};

/// One line of the account: the median of its times.
struct Line {
  std::string stage;
  double us = 0;
};
struct Account {
  double measured_us = 0;  ///< around the whole call
  std::vector<Line> host, device;
  double device_us = 0;
  long long meetings[kMeetingCount] = {};
  AlignResult result;
};

constexpr std::string_view kSections[] = {"loop", "surfaces", "pushes"};
constexpr std::string_view kSteps[][kStepCount] = {{"sum the points", "exchange the sums", "solve and move"},
                                                   {"sum", "exchange", "find the weak directions, push"},
                                                   {"sum", "exchange", "find the cost"}};

double median_of(const std::vector<StageTimes>& samples, auto&& of) {
  std::vector<double> values;
  for (const StageTimes& one : samples) values.push_back(of(one));
  return median(values);
}

std::vector<Line> host_lines(const std::vector<StageTimes>& samples) {
  std::vector<Line> out;
  for (int stage = 0; stage < kHostStageCount; ++stage) {
    const double us = median_of(samples, [&](const StageTimes& t) { return t.host_us[stage]; });
    if (us > 0) out.push_back({std::string(kHostStages[stage]), us});
  }
  return out;
}

std::vector<Line> device_lines(const std::vector<StageTimes>& samples) {
  std::vector<Line> out{{"begin", median_of(samples, [](const StageTimes& t) { return t.begin_us; })}};
  for (int section = 0; section < kSectionCount; ++section)
    for (int step = 0; step < kStepCount; ++step)
      out.push_back({fmt::format("{}: {}", kSections[section], kSteps[section][step]),
                     median_of(samples, [&](const StageTimes& t) { return t.sections_us[section][step]; })});
  return out;
}

Account account_of(Aligner& aligner, std::string_view implementation, const PointCloud& scan,
                   const Transform& guess, const ProfileCommand& a) {
  Account out;
  std::vector<double> measured;
  std::vector<StageTimes> samples;
  const auto sleep = [](double ms) {
    if (ms > 0) std::this_thread::sleep_for(std::chrono::duration<double, std::milli>(ms));
  };
  for (int k = 0; k < a.samples; ++k) {
    sleep(a.idle_ms);
    if (a.announced_ms > 0) aligner.expect_scan();
    sleep(a.announced_ms);
    const Stopwatch watch;
    out.result = aligner.align(scan, guess, per_scan(a.align));
    measured.push_back(watch.elapsed_us());
    const std::optional<StageTimes> times = aligner.stage_times();
    if (!times)
      throw UsageError(fmt::format(
          "profile: {} reads no stage clock; choose one of persistent_* or multikernel_*", implementation));
    samples.push_back(*times);
  }
  out.measured_us = median(measured);
  out.host = host_lines(samples);
  out.device_us = median_of(samples, [](const StageTimes& t) { return t.device_us; });
  if (out.device_us > 0) out.device = device_lines(samples);
  std::ranges::copy(samples.back().meetings, out.meetings);  // the same every time
  return out;
}

double sum_of(const std::vector<Line>& lines) {
  double sum = 0;
  for (const Line& line : lines) sum += line.us;
  return sum;
}

std::string table(const char* title, const std::vector<Line>& lines, const char* whole, double whole_us) {
  std::string out = fmt::format("{:<44}{:>9}{:>7}\n", title, "us", "%");
  const auto row = [&](std::string_view name, double us) {
    out += fmt::format("  {:<42}{:>9.2f}{:>7.1f}\n", name, us, 100 * us / whole_us);
  };
  for (const Line& line : lines) row(line.stage, line.us);
  row("sum", sum_of(lines));
  row(whole, whole_us);
  return out;
}

json lines_json(const std::vector<Line>& lines) {
  json out = json::object();
  for (const Line& line : lines) out[line.stage] = line.us;
  return out;
}

json meetings_json(const Account& account) {
  json out = json::object();
  for (int m = 0; m < kMeetingCount; ++m) out[std::string(kMeetings[m])] = account.meetings[m];
  return out;
}

std::string meetings_text(const Account& account) {
  std::string out = "\nmeetings in the kernel, counted by its first thread\n";
  for (int m = 0; m < kMeetingCount; ++m)
    out += fmt::format("  {:<42}{:>9}\n", kMeetings[m], account.meetings[m]);
  return out;
}

/// Leaves out what is named, in this process.
void leave_all_out(const std::vector<std::string>& names, std::string_view implementation) {
  for (const std::string& name : names) {
    const auto* const at = std::ranges::find(kSavings, std::string_view(name));
    if (at == std::end(kSavings))
      throw UsageError(fmt::format("--without '{}': unknown; choose among {}", printable(name),
                                   fmt::join(kSavings, ", ")));
    if (implementation != "persistent_cuda")
      throw UsageError(fmt::format("--without {}: {} does not use it; give --implementation persistent_cuda",
                                   name, implementation));
    ndt::leave_out(static_cast<Saving>(at - std::begin(kSavings)));
  }
}

ExitCode profile(const ProfileCommand& a) {
  if (!kStageClock)
    throw UsageError(
        "profile: this ndt-bench was built without the stage clock; configure with -DNDT_STAGE_CLOCK=ON "
        "and build again (its times are slightly longer, its results the same)");
  if (a.samples < 1) throw UsageError(fmt::format("--samples = {}: must be 1 or more", a.samples));
  if (!(a.idle_ms >= 0)) throw UsageError(fmt::format("--idle-ms = {}: must be 0 or more", a.idle_ms));
  if (!(a.announced_ms >= 0))
    throw UsageError(fmt::format("--announced-ms = {}: must be 0 or more", a.announced_ms));
  require_implementation(a.implementation);
  const Transform guess = pose_from(a.guess, "--guess");
  const AlignOptions options = resolve(a.align);
  const PreparedCloud scan =
      prepare(read_cloud(a.scan, nullptr, a.map.bin_fields), scan_preparation(a.preparation));
  const Implementation& entry = implementation_from(a.implementation);
  leave_all_out(a.without, entry.name);
  const std::unique_ptr<Aligner> aligner = entry.make(options);
  const GivenMap map(a.map, near(a.map, guess), map_preparation(a.preparation));
  notice_missing(a.guess);
  aligner->set_map(map.cloud());
  const Account account = account_of(*aligner, entry.name, scan.cloud, guess, a);
  if (a.json) {
    print_json({{"implementation", entry.name},
                {"points", scan.cloud.size()},
                {"iterations", account.result.iterations},
                {"evaluations", account.result.evaluations},
                {"stop", to_string(account.result.stop)},
                {"samples", a.samples},
                {"idle_ms", a.idle_ms},
                {"announced_ms", a.announced_ms},
                {"without", a.without},
                {"measured_us", account.measured_us},
                {"host_us", lines_json(account.host)},
                {"device_total_us", account.device_us},
                {"device_us", lines_json(account.device)},
                {"meetings", meetings_json(account)}});
    return ExitCode::ok;
  }
  fmt::print("{}: {} points, {} iterations, {} evaluations, {}; medians of {} alignments{}\n\n", entry.name,
             scan.cloud.size(), account.result.iterations, account.result.evaluations,
             to_string(account.result.stop), a.samples,
             (a.idle_ms > 0 ? fmt::format(", {} ms apart", a.idle_ms) : "") +
                 (a.announced_ms > 0 ? fmt::format(", announced {} ms before", a.announced_ms) : "") +
                 (a.without.empty() ? "" : fmt::format(", without {}", fmt::join(a.without, ", "))));
  fmt::print("{}", table("host", account.host, "measured around the call", account.measured_us));
  if (account.device_us > 0)
    fmt::print("\n{}{}",
               table("device, within the host's waits", account.device, "first to last instruction",
                     account.device_us),
               meetings_text(account));
  return ExitCode::ok;
}

}  // namespace

void add_profile(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<ProfileCommand>();
  CLI::App& command = add_command(app, chosen, "profile",
                                  "Print where the time of an alignment goes (needs a build with "
                                  "-DNDT_STAGE_CLOCK=ON)",
                                  a, profile);
  add_map_flag(command, a->map);
  add_map_radius_flag(command, a->map, "the guess", kUsualReach);
  add_scan_flag(command, a->scan);
  add_implementation_flag(command, a->implementation);
  add_pose_flag(command, "--guess", a->guess);
  command
      .add_option("--samples", a->samples, "number of alignments; their medians are printed (default: 1000)")
      ->type_name("N");
  command
      .add_option("--idle-ms", a->idle_ms,
                  "sleep before each alignment, as a vehicle does between scans (default: 0)")
      ->type_name("MS");
  command
      .add_option("--announced-ms", a->announced_ms,
                  "then announce the scan, and sleep for so long again (default: 0, not announced)")
      ->type_name("MS");
  command
      .add_option("--without", a->without,
                  fmt::format("switch off an optimisation on a GPU to measure its gain: {}; may be repeated",
                              fmt::join(kSavings, ", ")))
      ->type_name("NAME")
      ->allow_extra_args(false);
  command.add_flag("--json", a->json, "one JSON object on stdout, with units in its key names");
  add_align_flags(command, a->align);
  add_threads_flag(command, a->align);
  add_map_preparation_flags(command, a->preparation);
  add_scan_preparation_flags(command, a->preparation);
}

}  // namespace ndt::harness
