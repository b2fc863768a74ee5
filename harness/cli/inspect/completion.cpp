#include "cli/inspect/completion.hpp"

#include <algorithm>
#include <map>

#include "data/load_dataset.hpp"
#include "ndt/align/option_table.hpp"
#include "ndt/localization/localizer_options.hpp"
#include "registry/align_arguments.hpp"
#include "registry/registry.hpp"
#include "registry/search_arguments.hpp"
#include "run/presets.hpp"

namespace ndt::harness {
namespace {

using Values = std::map<std::string, std::vector<std::string>, std::less<>>;

template <class Table>
void add_names(Values& values, const Table& table) {
  for_each_option(table, [&]<class Struct, class Value>(const Option<Struct, Value>& option) {
    if constexpr (std::is_enum_v<Value>) {
      const auto names = all_names<Value>();
      values["--" + std::string(option.name)].assign(names.begin(), names.end());
    }
  });
}

/// The values by flag. Datasets and presets of a broken catalogue are left out: completion must not fail.
Values known_values() {
  Values values;
  add_names(values, kProfileChoice);
  add_names(values, kAlignOptions);
  add_names(values, initial_pose::kSearchOptions);
  add_names(values, localization::kLocalizerOptions);
  values["--strategy"] = strategy_names();
  values["--prior"] = {"pose", "box", "map"};
  auto& names = values["--implementation"];
  names.emplace_back(kAuto);
  for (const Implementation& entry : implementations()) names.emplace_back(entry.name);
  try {
    for (const DatasetInfo& info : list_datasets()) values["--dataset"].push_back(info.name);
    for (const Preset& preset : presets()) values["--preset"].push_back(preset.name);
  } catch (const std::exception&) {
  }
  return values;
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

bool is_of_files(const std::string& type) {
  return type.starts_with("FILE") || type.starts_with("DIR") || type == "TRUTH" || type == "ESTIMATE";
}

CompletedOption completed_option(const CLI::Option& option, const Values& known) {
  CompletedOption out;
  for (const std::string& name : option.get_lnames()) out.flags.push_back("--" + name);
  for (const std::string& name : option.get_snames()) out.flags.push_back("-" + name);
  out.about = one_line(option.get_description());
  out.takes_value = option.get_items_expected_max() > 0;
  if (!out.takes_value) return out;
  const std::string type = option.get_type_name();
  out.takes_file = is_of_files(type);
  for (const std::string& flag : out.flags)
    if (const auto at = known.find(flag); at != known.end() && !out.takes_file) out.values = at->second;
  if (type == "NAME" || type == "DIR|DATASET") out.takes_file = out.takes_file || out.values.empty();
  return out;
}

CompletedCommand completed_command(const CLI::App& app, const Values& known) {
  CompletedCommand out;
  out.name = app.get_name();
  out.about = one_line(app.get_description());
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) out.takes_files = true;
    if (!option->get_group().empty() && !(option->get_lnames().empty() && option->get_snames().empty()))
      out.options.push_back(completed_option(*option, known));
  }
  for (const CLI::App* command : app.get_subcommands({}))
    if (!command->get_group().empty()) out.commands.push_back(completed_command(*command, known));
  return out;
}

}  // namespace

CompletedCommand completed(const CLI::App& app) {
  CompletedCommand out = completed_command(app, known_values());
  out.name.clear();
  return out;
}

}  // namespace ndt::harness
