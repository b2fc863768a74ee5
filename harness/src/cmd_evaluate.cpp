// ndt-bench evaluate: score and derivatives at one pose.
#include <fmt/format.h>

#include "align_flags.hpp"
#include "commands.hpp"
#include "ndt/harness/cloud_file.hpp"
#include "result_json.hpp"
#include "result_text.hpp"

namespace ndt::harness {
namespace {

struct Arguments {
  std::string map, scan;
  std::string implementation{kAuto};
  std::vector<std::string> pose;
  AlignArguments align;
  bool json = false;
};

ExitCode evaluate(const Arguments& a) {
  const Transform pose = pose_from(a.pose, "--pose");
  const PerScan per_scan_options = per_scan(a.align);
  const AlignOptions options = resolve(a.align);
  const AlignerEntry& entry = implementation_from(a.implementation);
  const std::unique_ptr<Aligner> aligner = entry.make(options);

  const PointCloud map = read_cloud(a.map), scan = read_cloud(a.scan);
  aligner->set_map(map);
  const Evaluation evaluation = aligner->evaluate(scan, pose, per_scan_options);
  if (a.json)
    print_json(to_json(evaluation, entry.name));
  else
    fmt::print("implementation   {} ({})\nclouds           map {} points, scan {} points\n{}", entry.name,
               entry.runs_on, map.size(), scan.size(), to_text(evaluation));
  return ExitCode::ok;
}

}  // namespace

void add_evaluate(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<Arguments>();
  CLI::App& command = add_command(app, chosen, "evaluate", "Print score, gradient and Hessian at a pose", a, evaluate);
  add_map_flag(command, a->map);
  add_scan_flag(command, a->scan);
  add_implementation_flag(command, a->implementation);
  add_pose_flag(command, "--pose", a->pose, true);
  command.add_flag("--json", a->json, "one JSON object on stdout, with units in its key names");
  add_align_flags(command, a->align);
  add_threads_flag(command, a->align);
}

}  // namespace ndt::harness
