// ndt-bench merge: parts of one run, joined into one folder.
#include <fmt/format.h>

#include "base/errors.hpp"
#include "cli/common/commands.hpp"
#include "cli/common/interruptible.hpp"
#include "run/merge.hpp"

namespace ndt::harness {
namespace {

struct MergeCommand {
  std::vector<std::string> parts;
  std::string out, command_line;
};

ExitCode merge(const MergeCommand& a) {
  const std::size_t measurements = interruptible(
      [&] {
        return merge_runs({a.parts.begin(), a.parts.end()}, a.out, a.command_line);
      },
      [] { return kNothingMerged; });
  const std::string name = printable_name(a.out);
  fmt::print("{} measurements of {} parts in {}\nnext: ndt-bench report {}\n", measurements, a.parts.size(),
             name, name);
  return ExitCode::ok;
}

}  // namespace

void add_merge(CLI::App& app, Command& chosen, const std::string& command_line) {
  const auto a = std::make_shared<MergeCommand>();
  a->command_line = command_line;
  CLI::App& command =
      add_command(app, chosen, "merge",
                  "Join the folders of a run that several processes shared (run --shard)", a, merge);
  command.add_option("dirs", a->parts, "folders of the parts, two or more")
      ->type_name("DIR")
      ->required()
      ->expected(2, 1000);
  command.add_option("--out", a->out, "folder for all measurements; must be new or empty")
      ->type_name("DIR")
      ->required();
}

}  // namespace ndt::harness
