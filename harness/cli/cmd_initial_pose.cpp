// ndt-bench initial-pose: where in the map was this scan taken?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/clock.hpp"
#include "base/numbers.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/option_flags.hpp"
#include "cli/print.hpp"
#include "cli/unit_warnings.hpp"
#include "io/cloud_file.hpp"
#include "peers/peer_aligner.hpp"

namespace ndt::harness {
namespace {

constexpr const char* kGroup = "Search";

struct Arguments {
  std::string map, scan;
  std::string implementation{kAuto};
  std::vector<std::string> guess, sigma;
  SearchArguments search;
  AlignArguments align;
  PreparationArguments preparation;
  bool json = false;
};

initial_pose::PosePrior prior_from(const Arguments& a) {
  initial_pose::PosePrior prior;
  prior.mean = principal(derivative_pose(pose_from(a.guess, "--guess")));
  const std::vector<double> sigma = parse_numbers(fmt::format("{}", fmt::join(a.sigma, " ")), "--sigma");
  if (sigma.size() != 5)
    throw UsageError(
        fmt::format("--sigma: {} numbers; give 5: x, y, z in metres, roll, pitch in radians", sigma.size()));
  std::ranges::copy(sigma, prior.sigma);
  require_valid(prior);
  return prior;
}

/// The profile that finds more poses with fewer particles, unless one is given; peers have none.
AlignArguments with_profile(AlignArguments given, const std::string& implementation) {
  auto& profile = given[&ProfileChoice::profile];
  if (!profile && !is_peer_name(implementation)) profile = to_string(Profile::pyramid);
  return given;
}

/// A peer that searches has its own options.
void require_none_of_ours(const SearchArguments& given, const Implementation& entry) {
  given.for_each([&](const auto& option, const auto& value) {
    if (value && option.name != "seed")
      throw UsageError(fmt::format("{} searches in its own way; leave out --{}", entry.name, option.name));
  });
}

ExitCode initial_pose_command(const Arguments& a) {
  const initial_pose::PosePrior prior = prior_from(a);
  per_scan(a.align);  // what is wrong with them is said before any file is read
  const AlignOptions options = resolve(with_profile(a.align, a.implementation), Guesses::of_a_search);
  const ScanPreparation map_filters = map_preparation(a.preparation),
                        scan_filters = scan_preparation(a.preparation);
  SearchAnswer answer;
  answer.setting = resolve(a.search, options, a.implementation);
  answer.unknown_scale = initial_pose::unknown_scale(options);
  const Implementation& entry = choose_implementation(answer.setting.strategy, a.implementation);
  answer.implementation = entry.name, answer.runs_on = entry.runs_on, answer.prior = prior;
  require_can_run(answer.setting.strategy, entry);
  if (answer.setting.is_own()) require_none_of_ours(a.search, entry);
  const std::unique_ptr<Aligner> aligner = entry.make(options);

  const PreparedCloud map = prepare(read_cloud(a.map), map_filters),
                      scan = prepare(read_cloud(a.scan), scan_filters);
  warn_of_millimetres(map.cloud, scan.cloud);
  const Stopwatch build;
  aligner->set_map(map.cloud);
  answer.build_us = build.elapsed_us();
  if (const auto spent = spent_by(*aligner)) answer.build_us = spent->map_us;
  const PerScan limits = per_scan(a.align);
  const Stopwatch watch;
  answer.result = run_search(*aligner, scan.cloud, prior, answer.setting, limits);
  answer.search_us = watch.elapsed_us();
  if (const auto spent = spent_by(*aligner)) answer.search_us = spent->align_us;

  if (a.json) {
    nlohmann::ordered_json json = to_json(answer);
    put_preparation(json, "map_preparation", map);
    put_preparation(json, "scan_preparation", scan);
    print_json(json);
  } else {
    fmt::print("{}{}", clouds_text(map, scan), to_text(answer));
  }
  return ExitCode::ok;
}

}  // namespace

void add_initial_pose(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<Arguments>();
  CLI::App& command =
      add_command(app, chosen, "initial-pose", "Find the pose of a scan in a map from a rough guess", a,
                  initial_pose_command);
  add_map_flag(command, a->map);
  add_scan_flag(command, a->scan);
  command
      .add_option("--implementation", a->implementation,
                  "implementation of ndt-bench list, exec:NAME of a peer that searches, or auto = the "
                  "strategy's (default)")
      ->type_name("NAME");
  add_pose_flag(command, "--guess", a->guess, true);
  command
      .add_option("--sigma", a->sigma,
                  "standard deviations around the guess: x,y,z in metres, roll,pitch in radians; the heading "
                  "may be any")
      ->type_name("SIGMA")
      ->expected(1, 5)
      ->required();
  add_flags(command, a->search, kGroup, Defaults::shown, [](const auto&) { return true; });
  CLI::Option* strategy = command.get_option("--strategy");
  strategy->description(
      fmt::format("{}; one of {}", strategy->get_description(), fmt::join(strategy_names(), ", ")));
  command.add_flag("--json", a->json,
                   "one JSON object on stdout, all particles in it, with units in its key names");
  add_align_flags(command, a->align);
  add_threads_flag(command, a->align);
  add_map_preparation_flags(command, a->preparation);
  add_scan_preparation_flags(command, a->preparation);
}

}  // namespace ndt::harness
