// ndt-bench initial-pose: where in the map was this scan taken?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "cli/anywhere_with_progress.hpp"
#include "cli/autoware_params.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/given_scan.hpp"
#include "cli/map_flags.hpp"
#include "cli/option_flags.hpp"
#include "cli/particles_out.hpp"
#include "cli/print.hpp"
#include "cli/prior_arguments.hpp"
#include "cli/unit_warnings.hpp"
#include "peers/peer_aligner.hpp"
#include "run/repeatability.hpp"

namespace ndt::harness {
namespace {

constexpr const char* kGroup = "Search";

struct Arguments {
  MapArguments map;
  std::string scan;
  std::string implementation{kAuto};
  PriorArguments prior;
  SearchArguments search;
  AlignArguments align;
  PreparationArguments preparation;
  int repeat = 1;
  std::optional<std::string> particles_out, autoware_params;
  bool json = false, keep_no_returns = false;
};

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
      throw UsageError(fmt::format("{} has its own search, which cannot use --{}; remove the option",
                                   entry.name, option.name));
  });
}

/// The data that searches of one kind need.
struct Prepared {
  const Arguments& given;
  const AlignOptions& options;
  const Implementation& entry;
  const ResolvedPrior& prior;
  Aligner& aligner;
  const PointCloud &map, &scan;
};

bool are_same(const initial_pose::SearchResult& a, const initial_pose::SearchResult& b) {
  return a.best == b.best &&
         std::ranges::equal(a.particles, b.particles, [](const auto& one, const auto& other) {
           return same_bits(one.result, other.result);
         });
}

/// Runs once() as often as was asked for. The first result is the answer, the others must have its bits.
template <class Once>
void search_repeatedly(SearchAnswer& answer, const Prepared& p, Once&& once) {
  for (int k = 0; k < p.given.repeat; ++k) {
    const PerScan limits = per_scan(p.given.align);  // each search has the whole time
    const Stopwatch watch;
    initial_pose::SearchResult found = once(limits);
    answer.search_us.push_back(watch.elapsed_us());
    answer.times.push_back(found.times);
    const auto spent = spent_by(p.aligner);
    if (spent) answer.search_us.back() = spent->align_us;
    // When time runs out is not the method's doing.
    const bool ran_out = found.interrupted || answer.result.interrupted;
    if (k > 0 && !spent && !ran_out && !are_same(found, answer.result))
      throw RegressionError(fmt::format(
          "initial-pose: the result of repeat {} differs from the first; repeats must be equal bit for bit",
          k + 1));
    if (k == 0) answer.result = std::move(found);
  }
}

void search_anywhere(SearchAnswer& answer, const Prepared& p) {
  AnywhereWithProgress search(p.map, p.options, p.entry.on_device, p.prior);
  search_repeatedly(answer, p, [&](const PerScan& limits) {
    return search.run(p.aligner, p.scan, answer.setting, limits);
  });
  answer.anywhere = search.answer();
}

void search_around(SearchAnswer& answer, const Prepared& p) {
  const initial_pose::SightLines sight_lines(p.map);
  search_repeatedly(answer, p, [&](const PerScan& limits) {
    return run_search(p.aligner, p.scan, p.prior, answer.setting, limits, {}, &sight_lines);
  });
}

/// A prior that is a box or the map may need any tile.
std::optional<MapArea> area_of(const MapArguments& map, const ResolvedPrior& prior) {
  if (prior.kind == PriorKind::pose) return near(map, prior.pose);
  if (!map.radius.empty())
    throw UsageError(
        fmt::format("--map-radius requires --prior pose: --prior {} reads every tile; remove one of the two",
                    to_string(prior.kind)));
  return std::nullopt;
}

/// The options of the parameter file, below those that were given. A peer has its own search.
Arguments with_autoware_params(Arguments a) {
  if (!a.autoware_params) return a;
  AutowareParams params(*a.autoware_params);
  const bool peer = is_peer_name(a.implementation);
  take_alignment(params, a.align, !peer);
  take_regularisation(params, a.align);
  if (!peer) take_search(params, a.search, with_method(a.search, a.prior));
  take_map_radius(params, a.map);
  params.finish(peer ? a.implementation : "initial-pose");
  return a;
}

ExitCode initial_pose_command(const Arguments& given) {
  const Arguments a = with_autoware_params(given);
  if (a.particles_out) require_particle_file(*a.particles_out);
  if (a.repeat < 1) throw UsageError(fmt::format("--repeat = {}: must be 1 or more", a.repeat));
  per_scan(a.align);  // what is wrong with them is said before any file is read
  require_implementation(a.implementation);
  const AlignOptions options = resolve(with_profile(a.align, a.implementation), Guesses::of_a_search);
  const ScanPreparation map_filters = map_preparation(a.preparation),
                        scan_filters = scan_preparation(a.preparation);
  SearchAnswer answer;
  const SearchArguments search = is_peer_name(a.implementation) ? a.search : with_method(a.search, a.prior);
  answer.setting = resolve(search, options, a.implementation);
  const ResolvedPrior prior = resolve(a.prior, answer.setting);
  answer.setting.options.keep_no_returns = a.keep_no_returns;
  answer.unknown_scale = initial_pose::unknown_scale(options);
  const GivenScan given_scan(a.scan, a.map.bin_fields, scan_filters, !a.keep_no_returns);
  const PreparedCloud& scan = given_scan.prepared;
  const Implementation& entry = choose_implementation(answer.setting.strategy, a.implementation);
  answer.implementation = entry.name, answer.runs_on = entry.runs_on;
  answer.prior = prior.pose, answer.prior_kind = prior.kind;
  require_can_run(answer.setting.strategy, entry);
  if (const std::string why = why_not_from(prior.kind, entry); !why.empty())
    throw UsageError(fmt::format("{}: {}; give --guess and --sigma", entry.name, why));
  if (answer.setting.is_own()) require_none_of_ours(search, entry);
  const std::unique_ptr<Aligner> aligner = entry.make(options);

  const GivenMap map(a.map, area_of(a.map, prior), map_filters, a.scan);
  warn_of_millimetres(map.cloud(), scan.cloud);
  given_scan.tell_no_returns();
  const Stopwatch build;
  aligner->set_map(map.cloud());
  answer.build_us = build.elapsed_us();
  if (const auto spent = spent_by(*aligner)) answer.build_us = spent->map_us;
  const Prepared prepared{a, options, entry, prior, *aligner, map.cloud(), scan.cloud};
  answer.setting.options.method == initial_pose::Method::anywhere ? search_anywhere(answer, prepared)
                                                                  : search_around(answer, prepared);
  if (a.particles_out) write_particles(*a.particles_out, answer.result);

  if (a.json) {
    nlohmann::ordered_json json = to_json(answer);
    put_map(json, map);
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
  add_map_radius_flag(command, a->map, "the guess", fmt::format("{} and 3 sigma", kUsualReach));
  add_scan_flag(command, a->scan);
  command
      .add_option("--implementation", a->implementation,
                  "implementation of ndt-bench list, exec:NAME of a peer that searches, or auto = the "
                  "strategy's (default)")
      ->type_name("NAME");
  add_prior_flags(command, a->prior);
  add_autoware_flag(command, a->autoware_params);
  add_flags(command, a->search, kGroup, Defaults::shown, [](const auto&) { return true; });
  CLI::Option* strategy = command.get_option("--strategy");
  strategy->description(
      fmt::format("{}; one of {}", strategy->get_description(), fmt::join(strategy_names(), ", ")));
  command
      .add_option("--particles-out", a->particles_out,
                  "writes where every particle began and ended: FILE.ply to look at, or FILE.json")
      ->type_name("FILE");
  command
      .add_option("--repeat", a->repeat,
                  "search this many times and say where the time goes; results must be equal bit for bit")
      ->type_name("K");
  command.add_flag("--json", a->json,
                   "one JSON object on stdout, all particles in it, with units in its key names");
  add_align_flags(command, a->align);
  add_threads_flag(command, a->align);
  add_keep_no_returns_flag(command, a->keep_no_returns);
  add_map_preparation_flags(command, a->preparation);
  add_scan_preparation_flags(command, a->preparation);
}

}  // namespace ndt::harness
