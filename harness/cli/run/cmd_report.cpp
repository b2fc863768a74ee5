// ndt-bench report, compare and trajectory: hand over to the Python package ndt_report.
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/programs.hpp"
#include "base/project_folder.hpp"
#include "cli/common/commands.hpp"
#include "cli/common/interruptible.hpp"
#include "ndt/core/error.hpp"
#include "run/merge.hpp"
#include "run/run_folder.hpp"

namespace ndt::harness {
namespace {

struct ReportArguments {
  std::vector<std::string> folders;
  std::string out, beside, command_line;
  bool open = false;
};

struct CompareArguments {
  std::string before, after, fail_on;
  bool json = false;
};

struct TrajectoryArguments {
  std::string truth, estimate;
  int delta = 1;
  double max_gap_s = 0.01;
  bool align = false, json = false;
};

/// The package's own exit code is this program's: it takes this process over.
ExitCode hand_over(const std::vector<std::string>& words) {
  const std::filesystem::path package = project_folder("reports/ndt_report").parent_path();
  const std::string python = find_report_python();
  if (python.empty()) throw InputError("python3 is not on PATH; on Debian: apt-get install python3");
  std::vector<std::string> all =
      python_words(python,
                   "from runpy import run_module; sys.path.insert(0, sys.argv.pop(1)); "
                   "run_module('ndt_report', run_name='__main__', alter_sys=True)");
  all.push_back(package.string());
  all.insert(all.end(), words.begin(), words.end());
  become(std::move(all));
  throw InputError(fmt::format("{} does not start: {}", python, std::generic_category().message(errno)));
}

/// A name that begins with '-' would be an option there.
std::string no_option(const std::string& folder) { return folder.starts_with('-') ? "./" + folder : folder; }

/// The folder to make a page of: the one given, or a new one that all given are merged into.
std::string report_folder(const ReportArguments& a) {
  if (a.folders.size() == 1) return a.folders.front();
  const auto merge_into = [&](const std::filesystem::path& out) {
    interruptible(
        [&] {
          return merge_runs({a.folders.begin(), a.folders.end()}, out, a.command_line);
        },
        [] { return kNothingMerged; });
  };
  if (!a.out.empty()) {
    merge_into(a.out);
    return a.out;
  }
  const std::filesystem::path out = new_folder(utc_now(true) + "-merged");
  try {
    merge_into(out);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(out, ignored);  // it is empty
    throw;
  }
  return out.string();
}

/// As the Python package tells them apart, which also looks into the archives of published folders.
bool is_localization(const std::string& folder) {
  std::error_code error;
  return std::filesystem::exists(folder + "/frames.csv", error) &&
         !std::filesystem::exists(folder + "/results.jsonl", error);
}

/// The words for one page on several localisations, which are compared, not merged.
std::vector<std::string> localization_words(const ReportArguments& a) {
  std::vector<std::string> words = {"report"};
  for (const std::string& folder : a.folders) words.push_back(no_option(folder));
  words.emplace_back("--out");
  words.push_back(no_option(a.out.empty() ? new_folder(utc_now(true) + "-localised").string() : a.out));
  return words;
}

void require_runs(const std::vector<std::string>& folders) {
  const auto found = std::ranges::find_if(folders, is_localization);
  if (folders.size() > 1 && found != folders.end())
    throw refusal(printable_name(*found), "", "is a localisation, which cannot be mixed with benchmark runs",
                  "give localisations alone, or the parts of one run");
}

ExitCode report(const ReportArguments& a) {
  std::vector<std::string> words;
  if (a.folders.size() > 1 && std::ranges::all_of(a.folders, is_localization)) {
    words = localization_words(a);
  } else {
    require_runs(a.folders);
    words = {"report", no_option(report_folder(a))};
    if (a.folders.size() == 1 && !a.out.empty()) words.insert(words.end(), {"--out", no_option(a.out)});
  }
  if (!a.beside.empty()) words.insert(words.end(), {"--beside", no_option(a.beside)});
  if (a.open) words.emplace_back("--open");
  return hand_over(words);
}

ExitCode compare(const CompareArguments& a) {
  std::vector<std::string> words = {"compare", no_option(a.before), no_option(a.after)};
  if (!a.fail_on.empty()) words.insert(words.end(), {"--fail-on", a.fail_on});
  if (a.json) words.emplace_back("--json");
  return hand_over(words);
}

ExitCode trajectory(const TrajectoryArguments& a) {
  if (a.delta < 1) throw UsageError(fmt::format("--delta = {}: must be 1 or more frames", a.delta));
  if (!(a.max_gap_s >= 0 && a.max_gap_s < 1e9))
    throw UsageError(fmt::format("--max-gap = {}: must be 0 or more seconds", a.max_gap_s));
  std::vector<std::string> words = {"trajectory",
                                    no_option(a.truth),
                                    no_option(a.estimate),
                                    "--delta",
                                    fmt::format("{}", a.delta),
                                    "--max-gap",
                                    fmt::format("{}", a.max_gap_s)};
  if (a.align) words.emplace_back("--align");
  if (a.json) words.emplace_back("--json");
  return hand_over(words);
}

}  // namespace

void add_report(CLI::App& app, Command& chosen, const std::string& command_line) {
  const auto a = std::make_shared<ReportArguments>();
  a->command_line = command_line;
  CLI::App& command =
      add_command(app, chosen, "report",
                  "Write report.html, its figures and summary.csv of a run or of localisations", a, report);
  command
      .add_option(
          "dirs", a->folders,
          "folder of a run, or those of its parts, which are merged first; or folders of localize, side "
          "by side on one page")
      ->type_name("DIR")
      ->required()
      ->expected(1, 1000);
  command
      .add_option("--out", a->out,
                  "folder for the page and the merged parts of a run (default: the run's own; for several: "
                  "bench-results/<UTC time>-merged or -localised)")
      ->type_name("DIR");
  command.add_option("--beside", a->beside, "folder of another run, side by side with it on the page")
      ->type_name("DIR");
  command.add_flag("--open", a->open, "open the report in the browser");
}

void add_compare(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<CompareArguments>();
  CLI::App& command = add_command(
      app, chosen, "compare",
      "Is the second run faster or slower than the first? SAME, FASTER, SLOWER or UNCLEAR", a, compare);
  command.add_option("before", a->before, "folder of a run")->type_name("DIR_A")->required();
  command.add_option("after", a->after, "folder of a run")->type_name("DIR_B")->required();
  command.add_option("--fail-on", a->fail_on, "exit 3 if any comparison is SLOWER")
      ->type_name("slower")
      ->check(CLI::IsMember({"slower"}));
  command.add_flag("--json", a->json, "one JSON object on stdout");
}

void add_trajectory(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<TrajectoryArguments>();
  CLI::App& command = add_command(
      app, chosen, "trajectory",
      "Errors of one trajectory against another: ATE, RPE, and KITTI's over path lengths", a, trajectory);
  command.add_option("truth", a->truth, "TUM file: time x y z qx qy qz qw")->type_name("TRUTH")->required();
  command.add_option("estimate", a->estimate, "TUM file that is judged")->type_name("ESTIMATE")->required();
  command.add_flag("--align", a->align, "move the estimate onto the truth first, for the ATE alone");
  command.add_option("--delta", a->delta, "frames of the RPE (default 1)")->type_name("N");
  command.add_option("--max-gap", a->max_gap_s, "poses farther apart in time are not paired (default 0.01)")
      ->type_name("S");
  command.add_flag("--json", a->json, "one JSON object with every number");
}

}  // namespace ndt::harness
