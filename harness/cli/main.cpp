// ndt-bench: declares the subcommands, runs the chosen one, and is the only place where failures become exit
// codes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <new>
#include <span>
#include <vector>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/interruption.hpp"
#include "base/standard_streams.hpp"
#include "base/terminal.hpp"
#include "cli/common/commands.hpp"
#include "peers/peer_process.hpp"

namespace {

using ndt::harness::ExitCode;

int fail(ExitCode code, std::string_view message) {
  ndt::harness::notice("{} {}\n", ndt::harness::toned("ndt-bench:", ndt::harness::Tone::bad, stderr),
                       message);
  return static_cast<int>(code);
}

int lost_output() {
  return fail(ExitCode::bad_input, "cannot write to stdout; give it a file or a pipe that can be written");
}

/// A full disk or a closed pipe must not look like success.
int finish(ExitCode code) {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) return lost_output();
  return static_cast<int>(code);
}

/// CLI11 takes an empty word for 0; and "--resume $UNSET" would begin a new run. Poses and boxes, which may
/// be several words, say themselves what is missing.
void refuse_empty_values(CLI::App& app) {
  const CLI::Validator given(
      [](const std::string& value) { return std::string(value.empty() ? "the value is empty" : ""); }, "");
  for (CLI::App* command : app.get_subcommands({})) {
    for (CLI::Option* option : command->get_options())
      if (const std::string type = option->get_type_name(); !type.empty() && type != "POSE" && type != "BOX")
        option->transform(given);  // before the other checks
    refuse_empty_values(*command);
  }
}

void declare(CLI::App& app, ndt::harness::Command& chosen, const std::string& command_line) {
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string(ndt::harness::build_info().version));
  ndt::harness::add_list(app, chosen);
  ndt::harness::add_doctor(app, chosen);
  ndt::harness::add_align(app, chosen);
  ndt::harness::add_evaluate(app, chosen);
  ndt::harness::add_diff(app, chosen);
  ndt::harness::add_profile(app, chosen);
  ndt::harness::add_voxels(app, chosen);
  ndt::harness::add_map(app, chosen);
  ndt::harness::add_initial_pose(app, chosen);
  ndt::harness::add_localize(app, chosen, command_line);
  ndt::harness::add_run(app, chosen, command_line);
  ndt::harness::add_measure_job(app, chosen);
  ndt::harness::add_merge(app, chosen, command_line);
  ndt::harness::add_report(app, chosen, command_line);
  ndt::harness::add_compare(app, chosen);
  ndt::harness::add_trajectory(app, chosen);
  ndt::harness::add_export(app, chosen);
  ndt::harness::add_generate(app, chosen);
  ndt::harness::add_datasets(app, chosen);
  ndt::harness::add_completion(app, chosen);
  refuse_empty_values(app);
  app.footer(
      "Exit codes: 0 ok, 1 usage, 2 bad input, 3 regression, 4 some jobs failed, 5 no usable device.\n"
      "First steps:\n"
      "  ndt-bench export --dataset courtyard --out courtyard\n"
      "  ndt-bench align --map courtyard/map.pcd --scan courtyard/scan.pcd --guess 0.3,-0.2,0,0,0,0.03\n"
      "  ndt-bench run --preset smoke");
}

/// Options that only ./run localize has, which reads and writes bags, and makes lists of localisations.
constexpr std::array<std::string_view, 26> kOptionsOfRun{
    "--base-frame",  "--body-from-scan", "--cloud-points", "--every",       "--frame",
    "--gnss-topic",  "--imu-topic",      "--twist-topic",  "--longest-gap", "--map-crs",
    "--map-frame",   "--map-origin",     "--max-scans",    "--mcap",        "--map-projector-info",
    "--odometry-tf", "--odometry-topic", "--only",         "--open",        "--pose-tf",
    "--pose-topic",  "--preset",         "--receive-time", "--rerun",       "--topic",
    "--view"};

/// Names an option that the command does not have, and the nearest that it has; empty if it has all.
std::string unknown_option(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_group().empty())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  for (const std::string& word : command.remaining()) {
    const std::string given = word.substr(0, word.find('='));
    if (!given.starts_with("-") || given.find_first_of("0123456789") == 1) continue;
    const std::string nearest = ndt::harness::nearest_name(given, names);
    const bool nested = command.get_parent() != nullptr && command.get_parent()->get_parent() != nullptr;
    const std::string name = (nested ? command.get_parent()->get_name() + " " : "") + command.get_name();
    if (name == "localize" && std::ranges::find(kOptionsOfRun, given) != kOptionsOfRun.end())
      return fmt::format("localize has no option {}; ./run localize has it: give it the same arguments",
                         given);
    if (name == "align" && given == "--view")
      return "align has no option --view; ./run align has it: give it the same arguments";
    return fmt::format("{} has no option {};{} see ndt-bench {} --help", name, ndt::harness::printable(given),
                       nearest.empty() ? "" : fmt::format(" did you mean {}?", nearest), name);
  }
  return "";
}

/// Returns what CLI11 says, but names unknown options and commands, with the nearest match. CLI11 would call
/// a misspelt one missing.
std::string usage_message(const CLI::App& app, const CLI::ParseError& error, std::span<char* const> words) {
  if (!app.get_subcommands().empty()) {
    const CLI::App* command = app.get_subcommands().front();
    if (words.size() > 2 && !command->get_subcommands({}).empty())
      return usage_message(*command, error, words.subspan(1));
    if (std::string unknown = unknown_option(*command); !unknown.empty()) return unknown;
  }
  if (!app.get_subcommands().empty() || words.size() < 2 || words[1][0] == '-')
    return fmt::format("{}; see ndt-bench --help", error.what());
  std::vector<std::string> names;
  for (const CLI::App* command :
       app.get_subcommands([](const CLI::App* a) { return !a->get_group().empty(); }))
    names.push_back(command->get_name());
  return ndt::harness::unknown_name(app.get_parent() ? app.get_name() + " command" : "command", words[1],
                                    names)
      .what();
}

}  // namespace

int main(int argc, char** argv) {
  ndt::harness::open_standard_streams();
  if (argc > 3 && std::string_view(argv[1]) == ndt::harness::kGuardCommand)
    ndt::harness::guard_peer(argv + 2);  // what a PeerProcess starts; its words are not ours to read
  CLI::App app{"Align point clouds with the implementations of the NDT suite, and measure them side by side",
               "ndt-bench"};
  try {
    ndt::harness::Command command;
    declare(app, command, ndt::harness::command_line({argv, static_cast<std::size_t>(argc)}));
    app.parse(argc, argv);
    return finish(command());
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0)
      return finish(static_cast<ExitCode>(app.exit(error)));  // help and version
    return fail(ExitCode::usage, usage_message(app, error, {argv, static_cast<std::size_t>(argc)}));
  } catch (const ndt::harness::Interrupted& error) {
    std::fflush(stdout);
    ndt::harness::end_by(error.signal);
  } catch (const std::bad_alloc& error) {
    return fail(
        ndt::harness::exit_code_of(error),
        "out of memory; give smaller clouds or a coarser resolution, or allow the process more memory");
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return lost_output();  // fmt throws where more than a buffer is printed
    return fail(ndt::harness::exit_code_of(error), error.what());
  }
}
