#include "ndt/harness/presets.hpp"

#include "ndt/harness/unknown_name.hpp"

namespace ndt::harness {

std::span<const Preset> presets() {
  static const std::vector<Preset> kPresets = {
      {"smoke",
       "all available implementations on the built-in scenes, one thread and all cores; under a minute",
       {"courtyard", "courtyard_5k"}},
  };
  return kPresets;
}

const Preset& find_preset(std::string_view name) {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) {
    if (preset.name == name) return preset;
    names.emplace_back(preset.name);
  }
  throw unknown_name("preset", name, names);
}

}  // namespace ndt::harness
