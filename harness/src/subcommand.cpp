#include "subcommand.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "ndt/harness/exit_code.hpp"

namespace ndt::harness {

SubcommandOption& SubcommandOption::type_name(const char* name) {
  option_->type_name(name);
  return *this;
}

SubcommandOption& SubcommandOption::group(const char* heading) {
  option_->group(heading);
  return *this;
}

SubcommandOption& SubcommandOption::required(bool required) {
  option_->required(required);
  return *this;
}

SubcommandOption& SubcommandOption::expected(int least, int most) {
  option_->expected(least, most);
  return *this;
}

SubcommandOption& SubcommandOption::range(int least, int most) {
  option_->check(CLI::Range(least, most));
  return *this;
}

SubcommandOption& SubcommandOption::choices(const std::vector<std::string>& names) {
  option_->check(CLI::IsMember(names));
  return *this;
}

SubcommandOption& SubcommandOption::show_default() {
  option_->capture_default_str();
  return *this;
}

template <class T>
SubcommandOption Subcommand::add_option(const char* name, T& target, const std::string& about) {
  return SubcommandOption(*command_->add_option(name, target, about));
}

void Subcommand::add_flag(const char* name, bool& target, const char* about) {
  command_->add_flag(name, target, about);
}

SubcommandOption Subcommand::add_lone_option(const char* name, std::string& target, const char* about) {
  const std::vector<CLI::Option*> others = command_->get_options();
  const SubcommandOption lone = add_option(name, target, about);
  for (CLI::Option* other : others)
    if (other != command_->get_help_ptr()) lone.option_->excludes(other);
  return lone;
}

void Subcommand::hide() { command_->group(""); }

Subcommand add_subcommand(CLI::App& program, const char* name, const char* about, std::function<void()> chosen) {
  CLI::App& command = *program.add_subcommand(name, about);
  command.final_callback(std::move(chosen));
  return Subcommand(command);
}

void parse_options(std::vector<std::string> words, const std::function<void(Subcommand)>& declare) {
  CLI::App program;
  program.set_help_flag();
  declare(Subcommand(program));
  std::ranges::reverse(words);  // CLI11 takes them from the back
  try {
    program.parse(std::move(words));
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
}

template SubcommandOption Subcommand::add_option(const char*, int&, const std::string&);
template SubcommandOption Subcommand::add_option(const char*, std::int64_t&, const std::string&);
template SubcommandOption Subcommand::add_option(const char*, std::size_t&, const std::string&);
template SubcommandOption Subcommand::add_option(const char*, std::string&, const std::string&);
template SubcommandOption Subcommand::add_option(const char*, std::vector<int>&, const std::string&);
template SubcommandOption Subcommand::add_option(const char*, std::vector<std::string>&, const std::string&);
template SubcommandOption Subcommand::add_option(const char*, std::optional<int>&, const std::string&);
template SubcommandOption Subcommand::add_option(const char*, std::optional<std::int64_t>&, const std::string&);
template SubcommandOption Subcommand::add_option(const char*, std::optional<double>&, const std::string&);
template SubcommandOption Subcommand::add_option(const char*, std::optional<std::string>&, const std::string&);

}  // namespace ndt::harness
