// ndt-bench completion: a script that lets a shell complete its commands, options and names.
#include <fmt/format.h>

#include "cli/common/commands.hpp"
#include "cli/inspect/completion.hpp"

namespace ndt::harness {
namespace {

struct CompletionCommand {
  std::string shell;
  const CLI::App* program = nullptr;
};

ExitCode completion(const CompletionCommand& a) {
  const CompletedCommand program = completed(*a.program);
  const auto script = a.shell == "bash"  ? bash_completion
                      : a.shell == "zsh" ? zsh_completion
                                         : fish_completion;
  fmt::print("{}", script(program, a.program->get_name()));
  return ExitCode::ok;
}

}  // namespace

void add_completion(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<CompletionCommand>();
  a->program = &app;
  CLI::App& command = add_command(
      app, chosen, "completion",
      "Print a script for a shell to complete with: source <(ndt-bench completion bash)", a, completion);
  command.add_option("shell", a->shell, "bash, zsh or fish")
      ->type_name("SHELL")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
}

}  // namespace ndt::harness
