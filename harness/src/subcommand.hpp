// A subcommand and its options, as the file of the command declares them. CLI11 is behind it, and only there: its headers alone
// take every file that includes them as long to compile as the rest of the command.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace ndt::harness {

/// An option that was added; it lives as long as its command.
class SubcommandOption {
 public:
  explicit SubcommandOption(CLI::Option& option) : option_(&option) {}
  SubcommandOption& type_name(const char* name);  ///< of its value, in the help
  SubcommandOption& group(const char* heading);
  SubcommandOption& required(bool required = true);
  SubcommandOption& expected(int least, int most);  ///< so many values
  SubcommandOption& range(int least, int most);     ///< of its value
  SubcommandOption& choices(const std::vector<std::string>& names);
  SubcommandOption& show_default();  ///< what its target holds now

 private:
  friend class Subcommand;
  CLI::Option* option_;
};

class Subcommand {
 public:
  explicit Subcommand(CLI::App& command) : command_(&command) {}

  /// What is given goes to `target`; so does every value, if it is a vector. Without dashes the name is that of a position.
  /// Defined for the types of targets that there are, at the end of subcommand.cpp.
  template <class T>
  SubcommandOption add_option(const char* name, T& target, const std::string& about = "");
  void add_flag(const char* name, bool& target, const char* about);
  /// Added last: cannot be given with any option of the command so far.
  SubcommandOption add_lone_option(const char* name, std::string& target, const char* about);
  /// Not listed in the help.
  void hide();

 private:
  CLI::App* command_;
};

/// A subcommand of the program that calls `chosen` once its command line is read.
Subcommand add_subcommand(CLI::App& program, const char* name, const char* about, std::function<void()> chosen);

/// Reads the command line of a program that has no subcommands, but the options that `declare` adds. Throws UsageError.
void parse_options(std::vector<std::string> words, const std::function<void(Subcommand)>& declare);

}  // namespace ndt::harness
