// ndt-bench list: what there is to run, and what is missing and why.
#include <fmt/format.h>

#include "cli/common/commands.hpp"
#include "cli/common/print.hpp"
#include "data/load_dataset.hpp"
#include "ndt/cuda/device.hpp"
#include "peers/peer_file.hpp"
#include "registry/registry.hpp"
#include "run/measurement.hpp"
#include "run/presets.hpp"

namespace ndt::harness {
namespace {

using json = nlohmann::ordered_json;

struct ListCommand {
  bool json = false, columns = false;
};

/// "available", "unavailable_reason" (null when available).
json with_availability(json entry, const std::string& reason) {
  entry["available"] = reason.empty();
  entry["unavailable_reason"] = reason.empty() ? json() : json(reason);
  return entry;
}

json implementation_json(const Implementation& entry) {
  return with_availability({{"name", entry.name},
                            {"runs_on", entry.runs_on},
                            {"schedule", entry.schedule},
                            {"peer", entry.peer},
                            {"for_use", !entry.not_for_use},
                            {"note", entry.note.empty() ? json() : json(entry.note)}},
                           entry.unavailable_reason());
}

void print_entry(std::string_view name, std::string_view about, const std::string& reason) {
  fmt::print("  {:<22} {}\n", name, about);
  if (!reason.empty()) fmt::print("  {:<22} not available: {}\n", "", reason);
}

/// Shortens the reason that keeps every implementation from a GPU: it is said once, above them.
void print_implementation(const Implementation& entry) {
  std::string reason = entry.unavailable_reason();
  if (!reason.empty() && reason == cuda_state().unavailable) reason = "no GPU";
  print_entry(entry.name, fmt::format("{}: {}", entry.runs_on, entry.schedule), reason);
  if (!entry.note.empty()) fmt::print("  {:<22} {}\n", "", entry.note);
}

/// One whose file cannot be used is listed too, with the reason.
template <class Show, class ShowError>
void for_each_peer(Show show, ShowError show_error) {
  for (const std::string& name : peer_names()) try {
      show(find_implementation(name));
    } catch (const InputError& error) {
      show_error(name, error.what());
    }
}

json listing() {
  json all = {{"auto", choose_implementation(kAuto).name},
              {"implementations", json::array()},
              {"peers", json::array()},
              {"datasets", json::array()},
              {"presets", json::array()}};
  for (const Implementation& entry : implementations())
    all["implementations"].push_back(implementation_json(entry));
  for_each_peer([&](const Implementation& entry) { all["peers"].push_back(implementation_json(entry)); },
                [&](const std::string& name, const char* why) {
                  all["peers"].push_back(with_availability({{"name", name}}, why));
                });
  for (const DatasetInfo& info : list_datasets())
    all["datasets"].push_back(
        with_availability({{"name", info.name}, {"description", info.description}}, info.unavailable_reason));
  for (const Preset& preset : presets())
    all["presets"].push_back({{"name", preset.name}, {"description", preset.description}});
  return all;
}

ExitCode list(const ListCommand& a) {
  if (a.columns) {
    fmt::print("{}\n", row_schema_json());
    return ExitCode::ok;
  }
  if (a.json) {
    print_json(listing());
    return ExitCode::ok;
  }
  fmt::print("implementations (auto = {})\n", choose_implementation(kAuto).name);
  if (const std::string& why = cuda_state().unavailable; !why.empty()) fmt::print("  no GPU: {}\n", why);
  for (const Implementation& entry : implementations()) print_implementation(entry);
  fmt::print("peers from outside, measured when named\n");
  for_each_peer(print_implementation,
                [](const std::string& name, const char* why) { print_entry(name, "", why); });
  fmt::print("datasets\n");
  for (const DatasetInfo& info : list_datasets())
    print_entry(info.name, info.description, info.unavailable_reason);
  fmt::print("presets\n");
  for (const Preset& preset : presets()) print_entry(preset.name, preset.description, "");
  return ExitCode::ok;
}

}  // namespace

void add_list(CLI::App& app, Command& chosen) {
  const auto a = std::make_shared<ListCommand>();
  CLI::App& command = add_command(app, chosen, "list",
                                  "Implementations, datasets and presets; available or why not", a, list);
  command.add_flag("--json", a->json, "one JSON object on stdout");
  command.add_flag("--columns", a->columns,
                   "instead: every key of a row of results.jsonl, as one JSON object on stdout");
}

}  // namespace ndt::harness
