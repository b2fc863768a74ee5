// ndt-bench evaluate: score and derivatives at one pose.
#include <fmt/format.h>

#include "cli/common/commands.hpp"
#include "cli/common/flags.hpp"
#include "cli/common/given_scan.hpp"
#include "cli/common/input_warnings.hpp"
#include "cli/common/map_flags.hpp"
#include "cli/common/print.hpp"

namespace ndt::harness {
namespace {

struct EvaluateCommand {
  MapArguments map;
  std::string scan;
  std::string implementation{kAuto};
  PoseArgument pose;
  std::string point_scores;
  AlignArguments align;
  PreparationArguments preparation;
  bool json = false, drop_no_returns = false;
};

ExitCode evaluate(const EvaluateCommand& a) {
  if (a.pose.empty()) throw UsageError("--pose is required: the pose to evaluate at");
  const Transform pose = pose_from(a.pose, "--pose");
  PerScan per_scan_options = per_scan(a.align);
  per_scan_options.point_scores = !a.point_scores.empty();
  require_implementation(a.implementation);
  const AlignOptions options = resolve(a.align);
  const ScanPreparation map_filters = map_preparation(a.preparation),
                        scan_filters = scan_preparation(a.preparation);
  const GivenScan given_scan(a.scan, a.map.bin_fields, scan_filters, a.drop_no_returns);
  const PreparedCloud& scan = given_scan.prepared;
  const Implementation& entry = implementation_from(a.implementation);
  const std::unique_ptr<Aligner> aligner = entry.make(options);

  const GivenMap map(a.map, near(a.map, pose), map_filters, a.scan);
  warn_of_millimetres(map.cloud(), scan.cloud);
  given_scan.tell_no_returns();
  aligner->set_map(map.cloud());
  const Evaluation evaluation = aligner->evaluate(scan.cloud, pose, per_scan_options);
  if (per_scan_options.point_scores) write_point_scores(a.point_scores, scan.cloud, evaluation.point_scores);
  if (a.json) {
    nlohmann::ordered_json json = to_json(evaluation, entry.name);
    put_map(json, map);
    put_preparation(json, "scan_preparation", scan);
    print_json(json);
    return ExitCode::ok;
  }
  fmt::print("implementation   {} ({})\n{}{}", entry.name, entry.runs_on, clouds_text(map, scan),
             to_text(evaluation));
  if (per_scan_options.point_scores)
    fmt::print("point scores     {} in {}\n", evaluation.point_scores.size(), a.point_scores);
  return ExitCode::ok;
}

}  // namespace

void add_evaluate(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<EvaluateCommand>();
  CLI::App& command =
      add_command(app, chosen, "evaluate", "Print score, gradient and Hessian at a pose", a, evaluate);
  add_map_flag(command, a->map);
  add_map_radius_flag(command, a->map, "the pose", kUsualReach);
  add_scan_flag(command, a->scan);
  add_implementation_flag(command, a->implementation);
  add_pose_flag(command, "--pose", a->pose, "required");
  command
      .add_option("--point-scores", a->point_scores,
                  "also write index,x_m,y_m,z_m,score of every finite point of the (filtered) scan; NVTL is "
                  "the mean of the "
                  "scores above 0")
      ->type_name("FILE.csv");
  command.add_flag("--json", a->json, "one JSON object on stdout, with units in its key names");
  add_align_flags(command, a->align);
  add_threads_flag(command, a->align);
  add_drop_no_returns_flag(command, a->drop_no_returns);
  add_map_preparation_flags(command, a->preparation);
  add_scan_preparation_flags(command, a->preparation);
}

}  // namespace ndt::harness
