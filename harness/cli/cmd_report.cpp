// ndt-bench report and compare: hand over to the Python package ndt_report.
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/programs.hpp"
#include "base/project_folder.hpp"
#include "cli/commands.hpp"
#include "ndt/core/error.hpp"

namespace ndt::harness {
namespace {

struct ReportArguments {
  std::string folder;
  bool open = false;
};

struct CompareArguments {
  std::string before, after, fail_on;
  bool json = false;
};

/// The first on PATH that has what the package needs, else the system's, else the first: the package says
/// what is missing.
std::string find_python() {
  const std::string first = find_program("python3");
  for (const std::string& python : {first, std::string("/usr/bin/python3")})
    if (!python.empty() && output_of(fmt::format("'{}' -c 'import pandas, matplotlib, jinja2'", python)))
      return python;
  return first;
}

/// The package's own exit code is this program's: it takes this process over.
ExitCode hand_over(std::vector<std::string> words) {
  const std::filesystem::path package = project_folder("reports/ndt_report").parent_path();
  const std::string python = find_python();
  if (python.empty()) throw InputError("python3 is not on PATH; on Debian: apt-get install python3");
  const char* before = std::getenv("PYTHONPATH");
  ::setenv("PYTHONPATH", (package.string() + (before && *before ? fmt::format(":{}", before) : "")).c_str(),
           1);
  words.insert(words.begin(), {python, "-m", "ndt_report"});
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(python.c_str(), pointers.data());
  throw InputError(fmt::format("{} does not start: {}", python, std::generic_category().message(errno)));
}

ExitCode report(const ReportArguments& a) {
  std::vector<std::string> words = {"report", a.folder};
  if (a.open) words.emplace_back("--open");
  return hand_over(std::move(words));
}

ExitCode compare(const CompareArguments& a) {
  std::vector<std::string> words = {"compare", a.before, a.after};
  if (!a.fail_on.empty()) words.insert(words.end(), {"--fail-on", a.fail_on});
  if (a.json) words.emplace_back("--json");
  return hand_over(std::move(words));
}

}  // namespace

void add_report(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<ReportArguments>();
  CLI::App& command = add_command(app, chosen, "report",
                                  "Write report.html, its figures and summary.csv of a run", a, report);
  command.add_option("dir", a->folder, "folder of a run")->type_name("DIR")->required();
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

}  // namespace ndt::harness
