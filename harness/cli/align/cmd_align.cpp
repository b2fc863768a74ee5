// ndt-bench align: one registration of two files.
#include <fmt/format.h>

#include <array>

#include "base/clock.hpp"
#include "base/standard_streams.hpp"
#include "base/terminal.hpp"
#include "cli/common/autoware_params.hpp"
#include "cli/common/commands.hpp"
#include "cli/common/flags.hpp"
#include "cli/common/given_scan.hpp"
#include "cli/common/input_warnings.hpp"
#include "cli/common/map_flags.hpp"
#include "cli/common/print.hpp"
#include "cli/common/scene_files.hpp"
#include "data/same_points.hpp"
#include "peers/peer_aligner.hpp"
#include "registry/given_options.hpp"
#include "run/repeatability.hpp"
#include "run/verdict.hpp"

namespace ndt::harness {
namespace {

using initial_pose::PoseJudgement;

struct AlignCommand {
  MapArguments map;
  std::string scan, ply;
  std::string implementation{kAuto};
  PoseArgument guess;
  AlignArguments align;
  PreparationArguments preparation;
  int repeat = 1;
  std::vector<std::string> require;
  std::optional<std::string> autoware_params;
  bool trace = false, json = false, drop_no_returns = false;
};

enum class Requirement { converged, reliable };
constexpr auto enum_names(Requirement) { return std::array{"converged", "reliable"}; }

std::vector<Requirement> requirements(const AlignCommand& a) {
  std::vector<Requirement> out;
  for (const std::string& name : a.require) out.push_back(named<Requirement>("--require", name));
  return out;
}

/// Says on stderr what was required and is not so.
ExitCode checked(std::span<const Requirement> required, const AlignResult& result,
                 const PoseJudgement& verdict) {
  for (const Requirement requirement : required) {
    const bool met = requirement == Requirement::converged ? result.stop == Stop::converged : verdict.ok();
    if (met) continue;
    notice("ndt-bench: align: --require {} is not met: {}\n", to_string(requirement), reasons_text(verdict));
    return ExitCode::jobs_failed;
  }
  return ExitCode::ok;
}

struct Outcome {
  AlignTimes times;
  AlignResult result;
};

Outcome align_repeatedly(Aligner& aligner, const PointCloud& map, const PointCloud& scan,
                         const Transform& guess, const AlignCommand& arguments) {
  Outcome outcome;
  AlignTimes& times = outcome.times;
  const Stopwatch build;
  aligner.set_map(map);
  times.build_us = build.elapsed_us();
  if (const auto spent = spent_by(aligner)) times.build_us = spent->map_us;
  for (int k = 0; k < arguments.repeat; ++k) {
    PerScan options = per_scan(arguments.align);  // each alignment has the whole time
    options.trace = arguments.trace;
    const Stopwatch watch;
    AlignResult result = aligner.align(scan, guess, options);
    times.align_us.push_back(watch.elapsed_us());
    const auto spent = spent_by(aligner);
    if (spent) times.align_us.back() = spent->align_us;
    // When time runs out is not the method's doing.
    const bool timed_out = result.stop == Stop::timeout || outcome.result.stop == Stop::timeout;
    if (k > 0 && !spent && !timed_out && !same_bits(result, outcome.result))
      throw RegressionError(fmt::format(
          "align: the result of repeat {} differs from the first; repeats must be equal bit for bit", k + 1));
    if (k == 0 || !spent)
      outcome.result = std::move(result);  // later guesses of peers lie beside the given one
  }
  return outcome;
}

void draw(SceneFiles& scene, const PointCloud& map, const PointCloud& scan, const Transform& guess,
          const AlignResult& result, Aligner* scorer) {
  scene.put_map(map);
  scene.put_scan("", scan, guess, result.map_from_scan, scorer);
}

/// The options of the parameter file, below those that were given.
AlignCommand with_autoware_params(AlignCommand a) {
  if (!a.autoware_params) return a;
  AutowareParams params(*a.autoware_params);
  take_alignment(params, a.align);
  take_regularisation(params, a.align);
  take_map_radius(params, a.map);
  params.finish("align");
  return a;
}

ExitCode align(const AlignCommand& given) {
  const AlignCommand a = with_autoware_params(given);
  const Transform guess = pose_from(a.guess, "--guess");
  if (a.repeat < 1) throw UsageError(fmt::format("--repeat = {}: must be 1 or more", a.repeat));
  per_scan(a.align);  // what is wrong with them is said before any file is read
  const std::vector<Requirement> required = requirements(a);
  require_implementation(a.implementation);
  const AlignOptions options = resolve(a.align);
  const ScanPreparation map_filters = map_preparation(a.preparation),
                        scan_filters = scan_preparation(a.preparation);
  const GivenScan given_scan(a.scan, a.map.bin_fields, scan_filters, a.drop_no_returns);
  const PreparedCloud& scan = given_scan.prepared;
  const Implementation& entry = implementation_from(a.implementation);
  const std::unique_ptr<Aligner> aligner = entry.make(options);

  const GivenMap map(a.map, near(a.map, guess), map_filters, a.scan);
  notice_missing(a.guess);
  warn_of_millimetres(map.cloud(), scan.cloud);
  notice_dense_scan(scan.cloud.size(), scan_filters.active());
  given_scan.tell_no_returns();
  std::optional<SceneFiles> scene;
  if (!a.ply.empty()) scene.emplace(a.ply);
  Outcome outcome = align_repeatedly(*aligner, map.cloud(), scan.cloud, guess, a);
  outcome.times.read_us = map.read_us();
  if (scene)
    draw(*scene, map.cloud(), scan.cloud, guess, outcome.result, entry.own_process ? nullptr : aligner.get());
  const initial_pose::ReliableBounds bounds = bounds_of(*aligner, map.cloud(), options, entry);
  warn_of_thin_map(bounds.covered, initial_pose::last_edge_m(options));
  PoseJudgement verdict = entry.peer ? initial_pose::judge(outcome.result, bounds)
                                     : initial_pose::Judge(bounds, map.cloud())(
                                           *aligner, scan.cloud, outcome.result, per_scan(a.align));
  doubt_same_points(verdict, share_of_same_points(map.cloud(), scan.cloud, guess));
  nlohmann::ordered_json json = to_json(outcome.result, entry.name, outcome.times, a.trace);
  put_verdict(json, verdict, bounds);
  put_map(json, map);
  put_preparation(json, "scan_preparation", scan);
  if (scene) {
    scene->put_result(json);
    scene->finish();
  }
  if (a.json) {
    print_json(json);
    return checked(required, outcome.result, verdict);
  }
  fmt::print("implementation   {} ({})\n", entry.name, entry.runs_on);
  if (!entry.note.empty()) fmt::print("note             {}\n", entry.note);
  fmt::print("{}", clouds_text(map, scan));
  fmt::print("verdict          {}\n{}{}", toned_verdict(to_text(verdict), verdict.ok()),
             second_look_text(verdict), to_text(outcome.result));
  fmt::print("read             {:.3f} ms\nbuild            {:.3f} ms\nalign            {}\n",
             outcome.times.read_us / 1000, outcome.times.build_us / 1000, time_text(outcome.times.align_us));
  if (a.trace) fmt::print("{}", trace_text(outcome.result));
  return checked(required, outcome.result, verdict);
}

}  // namespace

void add_align(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<AlignCommand>();
  CLI::App& command =
      add_command(app, chosen, "align", "Register a scan onto a map and print the pose", a, align);
  add_map_flag(command, a->map);
  add_map_radius_flag(command, a->map, "the guess", kUsualReach);
  add_scan_flag(command, a->scan);
  add_implementation_flag(command, a->implementation);
  add_pose_flag(command, "--guess", a->guess);
  add_autoware_flag(command, a->autoware_params);
  command.add_option("--repeat", a->repeat, "align this many times; results must be equal bit for bit")
      ->type_name("K");
  command
      .add_option("--require", a->require,
                  "converged, reliable or both with a comma: exit with 4 unless the result is so")
      ->type_name("LIST")
      ->delimiter(',');
  command
      .add_option("--ply", a->ply,
                  "new folder of coloured PLY: the map, and the scan at the guess and at the result, by the "
                  "score of its points; align.json has the answer, and ./run view DIR makes a page")
      ->type_name("DIR");
  command.add_flag("--trace", a->trace, "also give the pose after every iteration");
  command.add_flag("--json", a->json, "one JSON object on stdout, with units in its key names");
  add_align_flags(command, a->align);
  add_threads_flag(command, a->align);
  add_drop_no_returns_flag(command, a->drop_no_returns);
  add_map_preparation_flags(command, a->preparation);
  add_scan_preparation_flags(command, a->preparation);
}

}  // namespace ndt::harness
