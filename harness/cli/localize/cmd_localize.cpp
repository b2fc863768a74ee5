// ndt-bench localize: follows a recording through a map, each scan from where the one before ended.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "base/standard_streams.hpp"
#include "cli/common/commands.hpp"
#include "cli/common/flags.hpp"
#include "cli/common/given_scan.hpp"
#include "cli/common/input_warnings.hpp"
#include "cli/common/option_flags.hpp"
#include "cli/common/prior_arguments.hpp"
#include "cli/common/progress_line.hpp"
#include "cli/localize/autoware_localization.hpp"
#include "cli/localize/localize_aligners.hpp"
#include "cli/localize/localize_recording.hpp"
#include "cli/localize/localize_start.hpp"
#include "cli/localize/peer_localization.hpp"
#include "cli/localize/print_localize.hpp"
#include "localize/localize_run.hpp"

namespace ndt::harness {
namespace {

using localization::kLocalizerOptions;
using localization::Localizer;
using localization::LocalizerOptions;
using localization::Prediction;

constexpr const char* kGroup = "Localisation";
/// Autoware's own, for its covariances at 2 m.
constexpr double kReliableTransformProbability = 3, kCriticalMs = 100, kPointsTimeoutS = 1;

struct LocalizeCommand {
  LocalizeMapArguments map;
  RecordingArguments recording;
  std::string out, ply, ply_frames, command_line;
  std::string implementation{kAuto};
  StartArguments start;
  std::optional<double> critical_ms, points_timeout_s, reliable_nvtl;
  FrameNames frames;
  std::optional<std::string> autoware_params;
  std::vector<localization::Offset> offsets;  ///< of the parameter file; none: the usual ones
  bool debug_iterations = false, debug_particles = false, keep_no_returns = false, no_deskew = false;
  std::string stamp_at{to_string(StampAt::as_written)};
  bool real_time = false;
  std::optional<double> speed;
  LocalizerArguments localizer;
  AlignArguments align;
  PreparationArguments preparation;
};

/// The profile that forgives a rough prediction, unless one is given. A peer has none of ours.
AlignArguments with_profile(AlignArguments given, const Implementation& entry) {
  auto& profile = given[&ProfileChoice::profile];
  if (!profile) profile = to_string(entry.own_process ? Profile::autoware : Profile::pyramid);
  return given;
}

/// An option that would not be used is a mistake.
void check_uses(const LocalizeCommand& a, Prediction prediction) {
  check(a.start);
  if (a.localizer[&LocalizerOptions::prediction]) check_sensors(a.recording, prediction);
  const LocalizerArguments& given = a.localizer;
  if (given[&LocalizerOptions::spread_neighbours].value_or(0) == 0 &&
      (given[&LocalizerOptions::spread_offset_m] || given[&LocalizerOptions::spread_bound_m] ||
       given[&LocalizerOptions::spread_reject_m]))
    throw UsageError(
        "--spread-offset, --spread-bound and --spread-reject require --spread-neighbours N above 0");
  if (a.align[&ScanOptions::regularisation_x_m] || a.align[&ScanOptions::regularisation_y_m])
    throw UsageError(
        "--reg-x and --reg-y are invalid for localize: they hold one place for all scans; give a place for "
        "each with --gnss");
}

/// Checks the options before any file is read.
void check(const LocalizeCommand& a, const Implementation& entry) {
  check(a.recording);
  if (a.critical_ms && !(*a.critical_ms > 0))
    throw UsageError(fmt::format("--critical-ms = {}: must be above 0", *a.critical_ms));
  if (a.points_timeout_s && !(*a.points_timeout_s > 0))
    throw UsageError(fmt::format("--points-timeout = {}: must be above 0", *a.points_timeout_s));
  if (a.speed && !a.real_time) throw UsageError("--speed requires --real-time");
  if (a.speed && !(*a.speed > 0 && *a.speed <= 1e6))
    throw UsageError(fmt::format("--speed = {}: must be above 0 and at most 1e6", *a.speed));
  if (a.ply.empty() && !a.ply_frames.empty()) throw UsageError("--ply-frames requires --ply");
  per_scan(a.align);
  if (entry.own_process)
    check_peer(entry, a.localizer,
               {{"--init search", starts_by_search(a.start)},
                {"--ply", !a.ply.empty()},
                {"--debug-iterations", a.debug_iterations},
                {"--debug-particles", a.debug_particles}});
  resolve(with_profile(a.align, entry));
  LocalizerOptions options;
  a.localizer.apply_to(options);
  validate(options);
  check_uses(a, options.prediction);
  check(a.map);
  scan_preparation(a.preparation);
  map_preparation(a.preparation);
}

/// Sets the bounds that were not given. `bounds`: of the map that the vehicle begins with; they are kept.
void take_bounds(LocalizerOptions& options, const initial_pose::ReliableBounds& bounds,
                 const AlignOptions& align) {
  localization::take_bounds(options, bounds);
  const bool as_autoware =
      align.covariance_start == CovarianceStart::identity && initial_pose::last_edge_m(align) == 2;
  if (!options.least_score && options.reliable_nvtl && as_autoware)
    options.least_score = kReliableTransformProbability;
  if (options.least_score) return;
  notice("ndt-bench: no score threshold is known for {}, so no pose can be ok; give --least-score{}\n",
         bounds.unknown.empty() ? fmt::format("{} with these options", localization::to_string(options.score))
                                : bounds.unknown,
         options.thin_map ? ", a denser map or a larger --resolution" : "");
}

/// The options of the localizer, without the bounds that follow from the map.
LocalizerOptions localizer_options(const LocalizeCommand& a, const Implementation& entry,
                                   const AlignOptions& align, const LocalizeInput& input) {
  LocalizerOptions options;
  options.prediction = best_prediction(a.recording, input);
  if (entry.own_process) options.by_convergence = true, options.recovery_particles = options.sight_every = 0;
  if (a.reliable_nvtl) options.reliable_nvtl = a.reliable_nvtl;
  if (!a.offsets.empty()) options.offsets = a.offsets;
  options.deskew = !a.no_deskew;
  if (a.autoware_params) options.sight_every = 0;
  options.keep_no_returns = a.keep_no_returns;
  a.localizer.apply_to(options);
  options.max_iterations = align.max_iterations;
  validate(options);
  require_sensor(options.prediction, input);
  return options;
}

/// The options of a search, which have their own defaults, and the voxels of the tracking.
AlignOptions searching_options(const LocalizeCommand& a, const Implementation& entry,
                               const AlignOptions& tracking) {
  AlignArguments wide = with_profile(a.align, entry);
  auto& resolution = wide[&AlignOptions::resolution_m];
  if (!resolution) resolution = tracking.resolution_m;
  wide[&AlignOptions::min_points] = tracking.min_points;
  return resolve(wide, Guesses::of_a_search);
}

/// `sequence` and `clock` outlive it.
LocalizeInput input_of(const LocalizeCommand& a, const ScanSequence& sequence, Clock& clock) {
  const ScanPreparation filters = overridden(sequence.preparation, scan_preparation(a.preparation));
  validate(filters);
  LocalizeInput input;
  input.sequence = &sequence;
  input.critical_ms = a.critical_ms.value_or(kCriticalMs);
  input.points_timeout_s = a.points_timeout_s.value_or(kPointsTimeoutS);
  if (a.real_time) input.real_time = RealTime{&clock, a.speed.value_or(1)};
  input.scan = sequence.scan;
  input.stamp_at = named<StampAt>("stamp-at", a.stamp_at);
  input.filters = filters;
  input.limits = [align = a.align, trace = a.debug_iterations] {
    PerScan limits = per_scan(align);
    limits.trace = trace;
    return limits;
  };
  return input;
}

/// The first scan that can be read, as the localizer gets it.
PointCloud first_scan(const LocalizeInput& input, bool keep_no_returns) {
  PointCloud scan = first_readable(*input.sequence);
  if (!keep_no_returns) drop_no_returns(scan);
  return prepare(std::move(scan), input.filters).cloud;
}

std::optional<Transform> found_in_whole_map(const PointCloud& scan, LocalizeAligners& aligners,
                                            const WholeMapStart& with) {
  std::optional<Transform> found;
  aligners.with_map(
      [&](const PointCloud& map) { found = start_in_whole_map(with, aligners.searcher(), map, scan); });
  return found;
}

ExitCode verdict_on(const LocalizeSummary& summary) {
  if (!summary.lost_since && summary.left_out.unreadable > 0) {
    notice("ndt-bench: localize: {} scans could not be read\n", summary.left_out.unreadable);
    return ExitCode::jobs_failed;
  }
  if (!summary.lost_since) return ExitCode::ok;
  notice("ndt-bench: localize: lost at frame {}, and not found again by the last, {}\n", *summary.lost_since,
         summary.frames - 1);
  if (summary.ok == 0)
    notice(
        "ndt-bench: localize: no scan has a pose to trust: check that scans and map are of one place and in "
        "metres, and give --init or a nearer --guess\n");
  return ExitCode::jobs_failed;
}

/// The options of the parameter file, below those that were given.
LocalizeCommand with_autoware_params(LocalizeCommand a) {
  if (!a.autoware_params) return a;
  AutowareParams params(*a.autoware_params);
  take_alignment(params, a.align);
  take_localization(params, {&a.localizer, &a.map, &a.recording.gnss, &a.critical_ms, &a.points_timeout_s,
                             &a.offsets, &a.reliable_nvtl, &a.frames});
  params.finish("localize");
  return a;
}

ExitCode localize(const LocalizeCommand& given) {
  if (given.points_timeout_s && !given.real_time) throw UsageError("--points-timeout requires --real-time");
  const LocalizeCommand a = with_autoware_params(given);
  const Implementation& entry = implementation_from(a.implementation);
  check(a, entry);
  ProgressLine progress;
  const ScanSequence sequence = opened(a.recording, a.map.map, progress.report());
  SteadyClock clock;
  LocalizeInput input = input_of(a, sequence, clock);
  AlignArguments align = with_profile(a.align, entry);
  auto& resolution = align[&AlignOptions::resolution_m];
  const bool free = !a.autoware_params && *align[&ProfileChoice::profile] != to_string(Profile::autoware);
  // A dataset's resolution is one for its map as it is.
  const bool thinned = map_preparation(a.preparation).active();
  const bool resolution_by_density = free && !resolution && (!sequence.resolution_m || thinned);
  const bool points_by_density = free && !align[&AlignOptions::min_points];
  if (!resolution) resolution = sequence.resolution_m;
  AlignOptions options = resolve(align);
  // A scan tells how large they are, and whether any can be read.
  const PointCloud first = first_scan(input, a.keep_no_returns);
  warn_of_millimetres({}, first);
  notice_dense_scan(first.size(), input.filters.active());
  take_sensors(a.recording, sequence, input);
  input.gnss = gnss_for(sequence, a.recording.gnss, entry);
  LocalizerOptions setting = localizer_options(a, entry, options, input);
  if (a.real_time && !setting.recovery_ms)
    setting.recovery_ms = search_time_ms(sequence.scans, a.speed.value_or(1), entry.on_device);
  FrameScenes scenes(a.ply, a.ply_frames, sequence.scans.size());
  Start start = start_of(a.start, sequence);
  LocalizeAligners aligners(
      a.map, sequence, start.area(a.map.map),
      {&entry, options, resolution_by_density, points_by_density,
       [&](const AlignOptions& tracking) { return searching_options(a, entry, tracking); },
       map_preparation(a.preparation), a.real_time});
  options = aligners.tracking();
  if (!entry.own_process) take_bounds(setting, aligners.bounds(), options);
  input.own_ms = [&aligners] { return own_ms(aligners.tracker()); };
  input.following = aligners.following();
  if (!start.pose) {
    start.pose = found_in_whole_map(first, aligners,
                                    {entry, searching_options(a, entry, options), setting,
                                     aligners.bounds().unknown, up_from(a.start.up)});
    if (!start.pose) return ExitCode::jobs_failed;
  }
  Localizer localizer(aligners.tracker(), setting, [&]() -> Aligner& { return aligners.searcher(); });
  if (setting.sight_every > 0) localizer.use_sight_lines(aligners.sight_lines());
  start.give(localizer);
  input.begin_lap = [&] {
    start.give(localizer);
    if (input.following) input.following->jump_to(*start.pose);
  };
  LocalizeOutputs outputs(
      a.out,
      {std::string(entry.name), std::string(entry.runs_on), *align[&ProfileChoice::profile], a.command_line,
       setting, options, aligners.map_following(), input.critical_ms, input.points_timeout_s, a.frames},
      sequence, aligners, scenes);
  if (a.debug_iterations) outputs.tell_iterations();
  if (a.debug_particles) outputs.tell_particles();
  const LocalizeSummary summary = follow_recording(localizer, input, outputs, progress);
  fmt::print("implementation   {} ({})\n{}", entry.name, entry.runs_on, to_text(summary, sequence));
  fmt::print("written to       {}: {}\n", printable_name(a.out), outputs.names());
  return verdict_on(summary);
}

}  // namespace

void add_localize(CLI::App& app, Command& chosen, const std::string& command_line) {
  const auto a = std::make_shared<LocalizeCommand>();
  a->command_line = command_line;
  CLI::App& command =
      add_command(app, chosen, "localize",
                  "Follow a recording through a map, each scan from where the one before ended", a, localize);
  add_recording_flags(command, a->recording, a->map);
  add_keep_no_returns_flag(command, a->keep_no_returns);
  command.add_flag("--no-deskew", a->no_deskew, "leaves the points of a sweep where they were measured");
  command
      .add_option(
          "--stamp-at", a->stamp_at,
          "part of a sweep that a scan's stamp, and its pose, belong to: as_written (default: where the "
          "points' times are 0), start, middle or end")
      ->type_name("PART");
  add_start_flags(command, a->start);
  command.add_option("--out", a->out, "folder of the poses and the diagnostics, made with its parents")
      ->type_name("DIR")
      ->required();
  command
      .add_option("--ply", a->ply,
                  "new folder of coloured PLY: the map, and scans where they were expected and found, by the "
                  "score of their points")
      ->type_name("DIR");
  command
      .add_option("--ply-frames", a->ply_frames,
                  "numbers of the scans in it, with commas (default: the first and the last)")
      ->type_name("LIST");
  command
      .add_option("--critical-ms", a->critical_ms,
                  "a scan that takes longer is reported in the diagnostics (default 100)")
      ->type_name("MS");
  command.add_flag("--debug-iterations", a->debug_iterations,
                   "also write iterations.jsonl: every iteration with its gradient, Hessian and step");
  command.add_flag("--debug-particles", a->debug_particles,
                   "also write particles.jsonl: every alignment of every search, where it began and ended");
  command.add_flag("--real-time", a->real_time,
                   "scans arrive at their recorded times; during processing only the newest waits, and older "
                   "ones are dropped and counted");
  command
      .add_option("--points-timeout", a->points_timeout_s,
                  "for --real-time: a scan that waits longer is reported in the diagnostics (default 1)")
      ->type_name("S");
  command.add_option("--speed", a->speed, "for --real-time: speed relative to the recording (default 1)")
      ->type_name("FACTOR");
  add_implementation_flag(command, a->implementation);
  add_autoware_flag(command, a->autoware_params);
  add_flags(command, a->localizer, kGroup, Defaults::shown, [](const auto&) { return true; });
  add_align_flags(command, a->align);
  add_threads_flag(command, a->align);
  add_map_preparation_flags(command, a->preparation);
  add_scan_preparation_flags(command, a->preparation);
}

}  // namespace ndt::harness
