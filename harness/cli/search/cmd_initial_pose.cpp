// ndt-bench initial-pose: where in the map was this scan taken?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <ostream>
#include <string>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "cli/common/autoware_params.hpp"
#include "cli/common/commands.hpp"
#include "cli/common/flags.hpp"
#include "cli/common/given_scan.hpp"
#include "cli/common/input_warnings.hpp"
#include "cli/common/late_progress.hpp"
#include "cli/common/map_flags.hpp"
#include "cli/common/option_flags.hpp"
#include "cli/common/print.hpp"
#include "cli/common/prior_arguments.hpp"
#include "cli/search/anywhere_with_progress.hpp"
#include "localize/particle_file.hpp"
#include "ndt/initial_pose/search.hpp"
#include "ndt/io/cloud_output.hpp"
#include "peers/peer_aligner.hpp"
#include "run/repeatability.hpp"
#include "run/verdict.hpp"

namespace ndt::harness {
namespace {

using initial_pose::Particle;
using initial_pose::SearchResult;

/// Viewers stop at what is no number.
double shown(double value) { return std::isfinite(value) ? value : 0; }

void write_ply(std::ostream& out, const SearchResult& result) {
  out << "ply\nformat ascii 1.0\ncomment particles of a search for the initial pose; metres, radians\n"
      << fmt::format("element vertex {}\n", result.particles.size());
  for (const char* name : {"x", "y", "z", "roll", "pitch", "yaw", "nvtl", "transform_probability", "start_x",
                           "start_y", "start_z", "start_yaw"})
    out << fmt::format("property double {}\n", name);
  out << "property uchar best\nend_header\n";
  for (std::size_t k = 0; k < result.particles.size(); ++k) {
    const Particle& particle = result.particles[k];
    const Pose &start = particle.start, end = principal(derivative_pose(particle.result.map_from_scan));
    out << fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {}\n", end.x, end.y, end.z, end.roll, end.pitch,
                       end.yaw, shown(particle.result.nvtl), shown(particle.result.transform_probability),
                       start.x, start.y, start.z, start.yaw, k == result.best ? 1 : 0);
  }
}

void write_json(std::ostream& out, const SearchResult& result) {
  nlohmann::ordered_json json = {{"best", result.best}, {"particles", nlohmann::ordered_json::array()}};
  for (const Particle& particle : result.particles) json["particles"].push_back(particle_json(particle));
  out << json.dump() << '\n';
}

/// Throws UsageError unless the name ends in .ply or .json.
void require_particle_file(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending != ".ply" && ending != ".json")
    throw UsageError(
        fmt::format("--particles-out {}: the name must end in .ply or .json", printable_name(file)));
}

/// .json: {"best": number, "particles": [as initial-pose --json has them]}. .ply: text, a vertex a particle:
/// where it ended (x y z in metres, roll pitch yaw in radians), nvtl, transform_probability, where it began
/// (start_x start_y start_z start_yaw), and best, which is 1 for the answer. Throws InputError if it cannot
/// be written.
void write_particles(const std::filesystem::path& file, const SearchResult& result) {
  write_file(file, [&](std::ostream& out) {
    file.extension() == ".ply" ? write_ply(out, result) : write_json(out, result);
  });
}

constexpr const char* kGroup = "Search";

struct InitialPoseCommand {
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
  const InitialPoseCommand& given;
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
    LateProgress progress;
    const auto particles = static_cast<std::size_t>(answer.setting.options.particles);
    const auto tell = [&](const auto& so_far) { progress.show(so_far.size(), particles, "particles"); };
    return run_search(p.aligner, p.scan, p.prior, answer.setting, limits, tell, &sight_lines);
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
InitialPoseCommand with_autoware_params(InitialPoseCommand a) {
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

ExitCode initial_pose_command(const InitialPoseCommand& given) {
  const InitialPoseCommand a = with_autoware_params(given);
  if (a.particles_out) require_particle_file(*a.particles_out);
  if (a.repeat < 1) throw UsageError(fmt::format("--repeat = {}: must be 1 or more", a.repeat));
  per_scan(a.align);  // what is wrong with them is said before any file is read
  require_implementation(a.implementation);
  const AlignOptions options = resolve(with_profile(a.align, a.implementation), Guesses::of_a_search);
  const ScanPreparation map_filters = map_preparation(a.preparation),
                        scan_filters = scan_preparation(a.preparation);
  SearchAnswer answer;
  const SearchArguments search = is_peer_name(a.implementation) ? a.search : with_method(a.search, a.prior);
  answer.setting = resolve(search, a.implementation);
  const ResolvedPrior prior = resolve(a.prior, answer.setting);
  answer.setting.options.keep_no_returns = a.keep_no_returns;
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
  notice_dense_scan(scan.cloud.size(), scan_filters.active());
  given_scan.tell_no_returns();
  const Stopwatch build;
  aligner->set_map(map.cloud());
  answer.build_us = build.elapsed_us();
  if (const auto spent = spent_by(*aligner)) answer.build_us = spent->map_us;
  const initial_pose::ReliableBounds bounds = bounds_of(*aligner, map.cloud(), options, entry);
  warn_of_thin_map(bounds.covered, initial_pose::last_edge_m(options));
  take_bounds(answer.setting, bounds);
  answer.unknown_scale = bounds.unknown;
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
  const auto a = std::make_shared<InitialPoseCommand>();
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
