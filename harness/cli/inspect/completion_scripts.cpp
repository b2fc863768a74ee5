// The scripts of the three shells. Each finds the command among the words before the cursor, then offers its
// options, or the values of the option before the cursor.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>

#include "cli/inspect/completion.hpp"

namespace ndt::harness {
namespace {

std::string joined(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string path_of(const std::string& parent, const std::string& name) {
  return parent.empty() ? name : parent + " " + name;
}

/// Calls f(path, command) for a command and all below it; the program's path is empty.
void for_each_command(const CompletedCommand& command, const std::string& path,
                      const std::function<void(const std::string&, const CompletedCommand&)>& f) {
  f(path, command);
  for (const CompletedCommand& below : command.commands)
    for_each_command(below, path_of(path, below.name), f);
}

std::vector<std::string> names_of(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> names;
  for (const CompletedCommand& command : commands) names.push_back(command.name);
  return names;
}

std::vector<std::string> flags_of(const CompletedCommand& command) {
  std::vector<std::string> flags;
  for (const CompletedOption& option : command.options)
    flags.insert(flags.end(), option.flags.begin(), option.flags.end());
  return flags;
}

// ---- bash

constexpr std::string_view kBash = R"sh(# {name} completion for bash:  source <({name} completion bash)
_ndt_bench_words() {{ COMPREPLY=($(compgen -W "$1" -- "$2")); }}
_ndt_bench_files() {{ compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$1")); }}
_ndt_bench() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command/${{COMP_WORDS[i]}}" in
{paths}    esac
  done
  case "$command:$prev" in
{values}  esac
  case "$command" in
{commands}  esac
}}
complete -F _ndt_bench {name}
for _ndt_bench_alias in "${{!BASH_ALIASES[@]}}"; do  # bash completes no alias by itself
  case ${{BASH_ALIASES[$_ndt_bench_alias]}} in {name}|*/{name}) complete -F _ndt_bench -- "$_ndt_bench_alias";; esac
done
unset _ndt_bench_alias
)sh";

std::string bash_values(const std::string& path, const CompletedCommand& command) {
  std::string text;
  for (const CompletedOption& option : command.options) {
    if (!option.takes_value) continue;
    std::vector<std::string> patterns;
    for (const std::string& flag : option.flags) patterns.push_back(fmt::format("\"{}:{}\"", path, flag));
    std::string does = "return;;";  // nothing is known of it
    if (!option.values.empty())
      does = fmt::format("_ndt_bench_words \"{}\" \"$cur\"; return;;", joined(option.values));
    else if (option.takes_file)
      does = "_ndt_bench_files \"$cur\"; return;;";
    text += fmt::format("    {}) {}\n", fmt::join(patterns, "|"), does);
  }
  return text;
}

std::string bash_command(const std::string& path, const CompletedCommand& command) {
  const std::string words = joined(names_of(command.commands)), flags = joined(flags_of(command));
  std::string otherwise = ";;";
  if (!words.empty())
    otherwise = fmt::format("*) _ndt_bench_words \"{}\" \"$cur\";;", words);
  else if (command.takes_files)
    otherwise = "*) _ndt_bench_files \"$cur\";;";
  else
    otherwise = fmt::format("*) _ndt_bench_words \"{}\" \"$cur\";;", flags);
  return fmt::format("    \"{}\") case \"$cur\" in -*) _ndt_bench_words \"{}\" \"$cur\";; {} esac;;\n", path,
                     flags, otherwise);
}

}  // namespace

std::string bash_completion(const CompletedCommand& program, std::string_view name) {
  std::string paths, values, commands;
  for_each_command(program, "", [&](const std::string& path, const CompletedCommand& command) {
    for (const CompletedCommand& below : command.commands)
      paths +=
          fmt::format("      \"{}/{}\") command=\"{}\";;\n", path, below.name, path_of(path, below.name));
    values += bash_values(path, command);
    commands += bash_command(path, command);
  });
  return fmt::format(kBash, fmt::arg("name", name), fmt::arg("paths", paths), fmt::arg("values", values),
                     fmt::arg("commands", commands));
}

// ---- zsh

namespace {

std::string zsh_quoted(std::string text) {
  for (const char* special : {"\\", "[", "]", ":"})
    text = replaced(text, special, std::string("\\") + special);
  return replaced(text, "'", "'\\''");
}

std::string zsh_function(const std::string& path) {
  return "_ndt_bench" + (path.empty() ? "" : "_" + replaced(replaced(path, " ", "_"), "-", "_"));
}

std::string zsh_option(const CompletedOption& option) {
  std::string value;
  if (option.takes_value)
    value = ":value:" + (option.values.empty() ? option.takes_file ? std::string("_files") : std::string(" ")
                                               : fmt::format("({})", joined(option.values)));
  std::string text;
  for (const std::string& flag : option.flags)
    text += fmt::format(" \\\n    '*{}[{}]{}'", flag, zsh_quoted(option.about), value);
  return text;
}

std::string zsh_command(const std::string& path, const CompletedCommand& command) {
  std::string text = fmt::format("{}() {{\n  local state line\n  _arguments -C", zsh_function(path));
  for (const CompletedOption& option : command.options) text += zsh_option(option);
  if (command.commands.empty())
    return text + (command.takes_files ? " \\\n    '*:file:_files'\n}\n" : "\n}\n");
  text +=
      " \\\n    '1:command:->command' \\\n    '*::argument:->argument'\n"
      "  case $state in\n    command)\n      local -a commands\n      commands=(";
  for (const CompletedCommand& below : command.commands)
    text += fmt::format("\n        '{}:{}'", below.name, zsh_quoted(below.about));
  text += ")\n      _describe command commands;;\n    argument)\n      case $line[1] in\n";
  for (const CompletedCommand& below : command.commands)
    text += fmt::format("        {}) {};;\n", below.name, zsh_function(path_of(path, below.name)));
  return text + "      esac;;\n  esac\n}\n";
}

}  // namespace

std::string zsh_completion(const CompletedCommand& program, std::string_view name) {
  std::string text = fmt::format(
      "#compdef {0}\n# {0} completion for zsh: put it into a folder of $fpath as _{0}, or\n"
      "# source <({0} completion zsh) after compinit\n",
      name);
  for_each_command(program, "", [&](const std::string& path, const CompletedCommand& command) {
    text += zsh_command(path, command);
  });
  return text + fmt::format(
                    "if [ \"$funcstack[1]\" = \"_{0}\" ]; then _ndt_bench \"$@\"; else compdef _ndt_bench "
                    "{0}; fi\n",
                    name);
}

// ---- fish

namespace {

std::string fish_quoted(const std::string& text) {
  return "'" + replaced(replaced(text, "\\", "\\\\"), "'", "\\'") + "'";
}

/// True where exactly this command stands before the cursor.
std::string fish_condition(const std::string& path, const CompletedCommand& command) {
  if (path.empty()) return "__fish_use_subcommand";
  std::string condition =
      "__fish_seen_subcommand_from " + replaced(path, " ", "; and __fish_seen_subcommand_from ");
  if (!command.commands.empty())
    condition += "; and not __fish_seen_subcommand_from " + joined(names_of(command.commands));
  return condition;
}

std::string fish_option(const std::string& line, const CompletedOption& option) {
  std::string text = line;
  for (const std::string& flag : option.flags)
    text += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
  if (!option.values.empty())
    text += " -x -a " + fish_quoted(joined(option.values));
  else if (option.takes_value)
    text += option.takes_file ? " -r -F" : " -x";
  return text + " -d " + fish_quoted(option.about) + "\n";
}

}  // namespace

std::string fish_completion(const CompletedCommand& program, std::string_view name) {
  std::string text = fmt::format("# {0} completion for fish:  {0} completion fish | source\n", name);
  for_each_command(program, "", [&](const std::string& path, const CompletedCommand& command) {
    const std::string line =
        fmt::format("complete -c {} -n {}", name, fish_quoted(fish_condition(path, command)));
    if (!command.takes_files) text += line + " -f\n";
    for (const CompletedCommand& below : command.commands)
      text += fmt::format("{} -a {} -d {}\n", line, below.name, fish_quoted(below.about));
    for (const CompletedOption& option : command.options) text += fish_option(line, option);
  });
  return text;
}

}  // namespace ndt::harness
