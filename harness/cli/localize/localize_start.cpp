#include "cli/localize/localize_start.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/standard_streams.hpp"
#include "cli/common/prior_arguments.hpp"
#include "cli/search/anywhere_with_progress.hpp"

namespace ndt::harness {
namespace {

constexpr const char *kSearch = "search", *kTruth = "truth", *kUsualSigma = "5,5,0.5,0.02,0.02";

initial_pose::PosePrior prior_of(const StartArguments& a, const Transform& guess) {
  initial_pose::PosePrior prior;
  prior.mean = principal(derivative_pose(guess));
  take_sigma(a.sigma.empty() ? std::vector<std::string>{kUsualSigma} : a.sigma, prior);
  require_valid(prior);
  return prior;
}

/// The true pose of the first scan, moved by what the words say behind "truth".
Transform true_start(PoseArgument given, const ScanSequence& sequence, const char* option) {
  const std::optional<Transform>& truth = sequence.scans[0].truth;
  if (!truth)
    throw UsageError(
        fmt::format("{} truth: the first scan of {} has no true pose; give a pose", option, sequence.name));
  std::string& first = given.words[0];
  first.erase(0, std::string_view(kTruth).size());
  if (first.starts_with(',')) first.erase(0, 1);
  if (first.empty()) given.words.erase(given.words.begin());
  return *truth * pose_from(given, option);
}

/// The pose given, or the dataset's own guess of the first scan.
std::optional<Transform> first_pose(const PoseArgument& given, const ScanSequence& sequence,
                                    const char* option) {
  if (!given.words.empty() && given.words[0].starts_with(kTruth)) return true_start(given, sequence, option);
  return given.empty() ? sequence.near_start : pose_from(given, option);
}

/// Judged as the searches of the localizer are.
ResolvedSearch setting_of(const WholeMapStart& with) {
  ResolvedSearch setting{initial_pose::default_strategy(), {}};
  setting.options.method = initial_pose::Method::anywhere;
  setting.options.keep_no_returns = true;  // the caller leaves them out, before the filters
  setting.options.reliable_nvtl = with.localizer.reliable_nvtl;
  setting.options.reliable_matched = with.localizer.reliable_matched;
  return setting;
}

/// Returns the pose in the form that --init takes.
std::string words_of(const Transform& pose) {
  const Pose p = principal(derivative_pose(pose));
  return fmt::format("{:.3f},{:.3f},{:.3f},{:.4f},{:.4f},{:.4f}", p.x, p.y, p.z, p.roll, p.pitch, p.yaw);
}

}  // namespace

bool starts_by_search(const StartArguments& a) {
  return a.init.words.size() == 1 && a.init.words[0] == kSearch;
}

void add_start_flags(CLI::App& command, StartArguments& a) {
  add_pose_flag(command, "--init", a.init);
  command.get_option("--init")->description(
      "pose of the first scan, map_from_scan as in align --guess; or search: around --guess, or without one "
      "in the whole map; or truth: a dataset's own, truth,POSE: moved by a pose in the scanner's frame "
      "(default: a dataset's first guess)");
  add_pose_flag(command, "--guess", a.guess);
  command.get_option("--guess")->description(
      "middle of --init search, as in align (default: a dataset's first guess)");
  command
      .add_option("--sigma", a.sigma,
                  "for --init search: standard deviations of x,y,z in metres and roll,pitch in radians; the "
                  "heading may be any (default 5,5,0.5,0.02,0.02)")
      ->type_name("SIGMA")
      ->expected(1, 5);
  add_up_flag(command, a.up, "with --init search in the whole map");
}

void check(const StartArguments& a) {
  if (!a.guess.empty() && !starts_by_search(a))
    throw UsageError("--guess requires --init search; add it, or give the pose with --init alone");
  if (!a.sigma.empty() && !starts_by_search(a)) throw UsageError("--sigma requires --init search");
}

void Start::give(localization::Localizer& localizer) const {
  prior ? localizer.start_by_search(*prior) : localizer.start_at(*pose);
}

std::optional<MapArea> Start::area(const MapArguments& map) const {
  if (!pose) return std::nullopt;
  return prior ? near(map, *prior) : near(map, *pose);
}

Start start_of(const StartArguments& a, const ScanSequence& sequence) {
  const bool searches = starts_by_search(a);
  const auto pose =
      searches ? first_pose(a.guess, sequence, "--guess") : first_pose(a.init, sequence, "--init");
  if (!searches && !pose)
    throw UsageError(
        "--init is required: give the first scan's pose in the map as x,y,z,roll,pitch,yaw, or search");
  if (pose && !a.up.empty())
    throw UsageError(
        "--up requires a search in the whole map: give --init search without --guess, or remove --up");
  if (!pose && !a.sigma.empty()) throw UsageError("--sigma requires --guess");
  return {pose, searches && pose ? std::optional(prior_of(a, *pose)) : std::nullopt};
}

std::optional<Transform> start_in_whole_map(const WholeMapStart& with, Aligner& aligner,
                                            const PointCloud& map, const PointCloud& scan) {
  notice("ndt-bench: --init search without --guess: the first scan is searched in the whole map\n");
  SearchAnswer answer;
  answer.setting = setting_of(with);
  answer.prior_kind = PriorKind::map;
  answer.unknown_scale = with.unknown_scale;
  ResolvedPrior anywhere;
  anywhere.kind = PriorKind::map;
  anywhere.up = with.up;
  AnywhereWithProgress search(map, with.options, with.entry.on_device, anywhere);
  answer.result = search.run(aligner, scan, answer.setting, {});
  answer.anywhere = search.answer();
  const Transform pose = answer.result.best_particle().result.map_from_scan;
  const bool found = answer.result.reliable.value_or(true);
  const bool hangs = answer.anywhere->mounting == Mounting::upside_down;
  notice("ndt-bench: localize: {} {}, {}\n",
         found ? hangs ? "the scanner is mounted upside down, the first scan is at" : "the first scan is at"
               : "lost: no start was found in the whole map; give --guess or --init. "
                 "The best pose is",
         words_of(pose), verdict_text(answer));
  return found ? std::optional(pose) : std::nullopt;
}

}  // namespace ndt::harness
