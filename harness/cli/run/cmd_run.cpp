// ndt-bench run: implementations side by side; raw measurements into a folder.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <string>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/interruption.hpp"
#include "base/standard_streams.hpp"
#include "cli/common/autoware_params.hpp"
#include "cli/common/commands.hpp"
#include "cli/common/flags.hpp"
#include "cli/common/interruptible.hpp"
#include "cli/common/progress_line.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/numbers.hpp"
#include "ndt/io/output_file.hpp"
#include "run/plan_parts.hpp"
#include "run/run_folder.hpp"
#include "run/runner.hpp"

namespace ndt::harness {
namespace {

struct RunCommand {
  std::string preset = "smoke", plan, plan_only, shard, out, resume, command_line;
  bool yes = false;
  Selection selection;
  std::optional<std::string> autoware_params;
};

void show_left_out(const Plan& plan) {
  for (const LeftOut& left : plan.left_out)
    notice("ndt-bench: left out: {}: {}\n", printable_name(left.what), printable_name(left.why));
}

std::string duration(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", std::ceil(seconds));
  if (seconds < 7200) return fmt::format("{:.0f} min", std::ceil(seconds / 60));
  return fmt::format("{:.0f} h", std::ceil(seconds / 3600));
}

void show_cost(const PlanCost& cost, std::size_t jobs) {
  notice("ndt-bench: planned: measurements {}, alignments {}, jobs {}{}\n", cost.measurements,
         cost.alignments, jobs,
         cost.sampling_s > 0 ? "; repeating them for their timing takes up to " + duration(cost.sampling_s)
                             : "");
}

/// Asks at the terminal; without one, the answer is no.
bool confirmed() {
  if (::isatty(STDIN_FILENO) == 0 || ::isatty(STDERR_FILENO) == 0) return false;
  notice("ndt-bench: type yes to begin: ");
  std::string answer;
  return std::getline(std::cin, answer) && answer == "yes";
}

void require_consent(const Plan& plan, bool yes) {
  if (yes || plan.cost.alignments <= Limits::kUnaskedAlignments || confirmed()) return;
  throw UsageError(
      fmt::format("run: {} alignments are planned, and more than {} need consent; add --yes, or plan fewer",
                  plan.cost.alignments, Limits::kUnaskedAlignments));
}

/// Takes the part that "i/n" names.
void take_shard(Plan& plan, const std::string& text) {
  const auto number = [&](std::string_view word) {
    const auto value = parse_whole_number(word);
    if (!value || *value > kCountMost)
      throw UsageError(
          fmt::format("--shard '{}': give i/n, such as 1/3, with i from 1 to n", printable(text)));
    return static_cast<int>(*value);
  };
  const std::size_t slash = std::min(text.find('/'), text.size());
  const int part = number(std::string_view(text).substr(0, slash));
  const int of = number(std::string_view(text).substr(std::min(slash + 1, text.size())));
  take_part(plan, part, of);
}

/// The options of the parameter file, below those that were given. Profiles are the preset's.
Selection with_autoware_params(Selection selection, const std::string& file) {
  AutowareParams params(file);
  AlignArguments& options = selection.options;
  if (!selection.threads.empty()) options[&AlignOptions::threads] = selection.threads[0];
  take_alignment(params, options, false);
  if (auto& threads = options[&AlignOptions::threads]; threads && selection.threads.empty())
    selection.threads = {*threads};
  options[&AlignOptions::threads].reset();  // a study's, for all variants
  take_regularisation(params, options);
  params.finish("run");
  return selection;
}

Plan plan_for(RunCommand a) {
  if (a.autoware_params) a.selection = with_autoware_params(a.selection, *a.autoware_params);
  const std::string run_id = utc_now(true);
  const Interruption interruption;
  ProgressLine line;
  const ReportProgress report = line.report();
  Plan plan = a.plan.empty() ? make_plan(find_preset(a.preset), a.selection, run_id, report)
                             : repeated_plan(a.plan, run_id, report);
  if (!a.shard.empty()) take_shard(plan, a.shard);
  return plan;
}

/// For the processes that will share it.
ExitCode write_plan(const RunCommand& a) {
  const Plan plan = plan_for(a);
  show_left_out(plan);
  show_cost(plan.cost, plan.jobs.size());
  write_text(a.plan_only, plan_json(plan));
  const std::string name = printable_name(a.plan_only);
  fmt::print("{} jobs are planned in {}\nnext: ndt-bench run --plan {} --shard 1/N --out DIR\n",
             plan.jobs.size(), name, name);
  return ExitCode::ok;
}

RunFolder folder_for(const RunCommand& a) {
  if (!a.resume.empty()) return RunFolder::resume(a.resume);
  Plan plan = plan_for(a);
  show_cost(plan.cost, own_jobs(plan).size());
  require_consent(plan, a.yes);
  const std::filesystem::path folder = a.out.empty() ? new_folder(plan.run_id) : std::filesystem::path(a.out);
  if (a.out.empty()) plan.run_id = folder.filename();
  return RunFolder::begin(folder, plan, a.command_line);
}

void measure_all(RunFolder& folder) {
  const auto measure = [&] {
    write_run_metadata(folder, ProgressLine().report());
    run(folder, ProgressLine(folder.measurements()).report());
  };
  interruptible(measure, [&] {
    return fmt::format("{} measurements are in {}; go on: ndt-bench run --resume {}", folder.measurements(),
                       printable_name((folder.path() / "results.jsonl").string()),
                       printable_name(folder.path().string()));
  });
}

ExitCode run_benchmark(const RunCommand& a) {
  if (!a.plan_only.empty()) return write_plan(a);
  RunFolder folder = folder_for(a);
  show_left_out(folder.plan());
  const std::string name = printable_name(folder.path().string());
  notice("ndt-bench: measurements go to {0}; should it be stopped: ndt-bench run --resume {0}\n", name);
  measure_all(folder);
  fmt::print("{} measurements in {}", folder.measurements(),
             printable_name((folder.path() / "results.jsonl").string()));
  if (folder.failed_measurements() > 0)
    fmt::print(", {} of them failed: see \"error\"", folder.failed_measurements());
  fmt::print("\nnext: ndt-bench report {}\n", name);
  return folder.failed_measurements() > 0 ? ExitCode::jobs_failed : ExitCode::ok;
}

/// All options so far but --help: the plan is made, and nothing of it can be changed.
void exclude_all(CLI::App& command, CLI::Option& option) {
  for (CLI::Option* other : command.get_options())
    if (other != &option && other != command.get_help_ptr()) option.excludes(other);
}

}  // namespace

void add_run(CLI::App& app, Command& chosen, const std::string& command_line) {
  const auto a = std::make_shared<RunCommand>();
  a->command_line = command_line;
  CLI::App& command =
      add_command(app, chosen, "run", "Measure implementations side by side", a, run_benchmark);
  command.add_option("--preset", a->preset, "what to run: a name in ndt-bench list, or a TOML file")
      ->type_name("NAME")
      ->capture_default_str();
  command
      .add_option("--dataset", a->selection.datasets,
                  "instead of the preset's; a name in ndt-bench list or a folder with a dataset.toml; may be "
                  "repeated")
      ->type_name("NAME");
  command
      .add_option("--implementation", a->selection.implementations,
                  "instead of all available ones; may be repeated")
      ->type_name("NAME");
  command
      .add_option("--threads", a->selection.threads,
                  "CPU workers, 0 = one per core; may be repeated (default: the preset's)")
      ->type_name("N")
      ->check(CLI::Range(0, Limits::kThreads));
  command
      .add_option("--samples", a->selection.samples,
                  "least number of repeats of every measurement, unless its time cap comes first")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command
      .add_option("--load-s", a->selection.load_s,
                  "then repeat each alignment for so long, to measure the use of CPU and GPU and the energy")
      ->type_name("S")
      ->check(CLI::Range(0.0, 600.0));
  add_autoware_flag(command, a->autoware_params);
  add_align_flags(command, a->selection.options);
  exclude_all(command, *command
                            .add_option("--plan", a->plan,
                                        "repeat the plan.json of a run: same jobs, order, options and "
                                        "implementations")
                            ->type_name("FILE"));
  command
      .add_option("--shard", a->shard,
                  "measure part i of n of the plan, so that several processes share it; ndt-bench merge "
                  "joins their folders")
      ->type_name("I/N");
  CLI::Option* out =
      command.add_option("--out", a->out, "folder for the measurements (default: bench-results/<UTC time>)")
          ->type_name("DIR");
  command
      .add_option("--plan-only", a->plan_only,
                  "write the plan into this file, for --plan, and measure nothing")
      ->type_name("FILE")
      ->excludes("--plan", "--shard", out);
  command.add_flag("--yes", a->yes,
                   fmt::format("begin without asking, also above {} alignments", Limits::kUnaskedAlignments));
  exclude_all(command, *command
                            .add_option("--resume", a->resume,
                                        "go on with the run in this folder as planned: jobs that are "
                                        "missing, were killed, timed out or ran out of memory")
                            ->type_name("DIR"));
}

}  // namespace ndt::harness
