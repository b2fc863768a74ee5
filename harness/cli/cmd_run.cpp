// ndt-bench run: implementations side by side; raw measurements into a folder.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <string>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/output_file.hpp"
#include "base/standard_streams.hpp"
#include "cli/commands.hpp"
#include "cli/flags.hpp"
#include "cli/progress_line.hpp"
#include "ndt/core/limits.hpp"
#include "run/run_folder.hpp"
#include "run/runner.hpp"

namespace ndt::harness {
namespace {

struct Arguments {
  std::string preset = "smoke", out, resume, command_line;
  bool yes = false;
  Selection selection;
};

void show_left_out(const Plan& plan) {
  for (const LeftOut& left : plan.left_out)
    notice("ndt-bench: left out: {}: {}\n", printable_name(left.what), printable_name(left.why));
}

/// A new folder below bench-results: of the runs of one second, every one has its own, numbered from 2.
std::filesystem::path new_folder(const std::string& run_id) {
  const std::filesystem::path all = "bench-results";
  make_folder(all);
  std::filesystem::path folder = all / run_id;
  std::error_code error;
  for (int number = 2; !std::filesystem::create_directory(folder, error) && !error; ++number)
    folder = all / fmt::format("{}-{}", run_id, number);
  if (error)
    throw refusal(printable_name(folder.string()), "", "cannot be made: " + error.message(), "give --out");
  return folder;
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

RunFolder folder_for(const Arguments& a) {
  if (!a.resume.empty()) return RunFolder::resume(a.resume);
  Plan plan = make_plan(find_preset(a.preset), a.selection, utc_now(true), ProgressLine().report());
  show_cost(plan.cost, plan.jobs.size());
  require_consent(plan, a.yes);
  const std::filesystem::path folder = a.out.empty() ? new_folder(plan.run_id) : std::filesystem::path(a.out);
  if (a.out.empty()) plan.run_id = folder.filename();
  return RunFolder::begin(folder, plan, a.command_line);
}

ExitCode run_benchmark(const Arguments& a) {
  RunFolder folder = folder_for(a);
  show_left_out(folder.plan());
  const std::string name = printable_name(folder.path().string());
  notice("ndt-bench: measurements go to {0}; should it be stopped: ndt-bench run --resume {0}\n", name);
  write_run_metadata(folder, ProgressLine().report());
  run(folder, ProgressLine(folder.measurements()).report());
  fmt::print("{} measurements in {}", folder.measurements(),
             printable_name((folder.path() / "results.jsonl").string()));
  if (folder.failed_measurements() > 0)
    fmt::print(", {} of them failed: see \"error\"", folder.failed_measurements());
  fmt::print("\nnext: ndt-bench report {}\n", name);
  return folder.failed_measurements() > 0 ? ExitCode::jobs_failed : ExitCode::ok;
}

}  // namespace

void add_run(CLI::App& app, Command& chosen, const std::string& command_line) {
  const auto a = std::make_shared<Arguments>();
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
                  "of every measurement, at least, unless its time cap comes first")
      ->type_name("N")
      ->check(CLI::Range(1, 1000000));
  command.add_option("--out", a->out, "folder for the measurements (default: bench-results/<UTC time>)")
      ->type_name("DIR");
  command.add_flag("--yes", a->yes,
                   fmt::format("begin without asking, also above {} alignments", Limits::kUnaskedAlignments));
  add_align_flags(command, a->selection.options);

  const std::vector<CLI::Option*> others =
      command.get_options();  // the plan is made: nothing of it can be changed
  CLI::Option& resume =
      *command.add_option("--resume", a->resume,
                          "go on with the run in this folder as it was planned: what is missing, and what "
                          "was killed, timed out or ran out of memory");
  resume.type_name("DIR");
  for (CLI::Option* other : others)
    if (other != command.get_help_ptr()) resume.excludes(other);
}

}  // namespace ndt::harness
