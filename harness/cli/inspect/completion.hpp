// Shell completion: the commands and options of ndt-bench as bash, zsh and fish want them. Everything comes
// from the declared options, so that a new one is completed without a line here.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ndt::harness {

struct CompletedOption {
  std::vector<std::string> flags;  ///< with their dashes, long ones first
  std::string about;               ///< one line
  bool takes_value = false, takes_file = false;
  std::vector<std::string> values;  ///< that are known
};

struct CompletedCommand {
  std::string name;  ///< empty: the program
  std::string about;
  bool takes_files = false;  ///< as words without a flag
  std::vector<CompletedOption> options;
  std::vector<CompletedCommand> commands;
};

/// Hidden commands and options are left out.
CompletedCommand completed(const CLI::App& app);

std::string bash_completion(const CompletedCommand& program, std::string_view name);
std::string zsh_completion(const CompletedCommand& program, std::string_view name);
std::string fish_completion(const CompletedCommand& program, std::string_view name);

}  // namespace ndt::harness
