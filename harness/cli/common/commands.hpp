// The subcommands of ndt-bench. Each add_ function declares its options and, if the command line asks for it,
// sets `chosen` to what main shall do.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

#include "base/errors.hpp"

namespace ndt::harness {

using Command = std::function<ExitCode()>;

void add_list(CLI::App& app, Command& chosen);
void add_doctor(CLI::App& app, Command& chosen);
void add_align(CLI::App& app, Command& chosen);
void add_evaluate(CLI::App& app, Command& chosen);
void add_diff(CLI::App& app, Command& chosen);
void add_profile(CLI::App& app, Command& chosen);
void add_voxels(CLI::App& app, Command& chosen);
void add_map(CLI::App& app, Command& chosen);
void add_initial_pose(CLI::App& app, Command& chosen);
void add_localize(CLI::App& app, Command& chosen, const std::string& command_line);
void add_run(CLI::App& app, Command& chosen, const std::string& command_line);
void add_measure_job(CLI::App& app, Command& chosen);
void add_merge(CLI::App& app, Command& chosen, const std::string& command_line);
void add_report(CLI::App& app, Command& chosen, const std::string& command_line);
void add_compare(CLI::App& app, Command& chosen);
void add_trajectory(CLI::App& app, Command& chosen);
void add_export(CLI::App& app, Command& chosen);
void add_generate(CLI::App& app, Command& chosen);
void add_datasets(CLI::App& app, Command& chosen);
/// Last: it completes what was added before.
void add_completion(CLI::App& app, Command& chosen);

/// A subcommand whose options live in one `Arguments` value that outlives the parsing.
template <class Arguments>
CLI::App& add_command(CLI::App& app, Command& chosen, const char* name, const char* about,
                      const std::shared_ptr<Arguments>& arguments, ExitCode (*run)(const Arguments&)) {
  CLI::App& command = *app.add_subcommand(name, about);
  command.final_callback(
      [arguments, run, &chosen] { chosen = [arguments, run] { return run(*arguments); }; });
  return command;
}

}  // namespace ndt::harness
