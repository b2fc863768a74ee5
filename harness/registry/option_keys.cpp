#include "registry/option_keys.hpp"

#include "io/optional_keys.hpp"

namespace ndt::harness {
namespace {

/// The profile is no option of its own: where it is the standard one, another's may stand below it.
void write_key(nlohmann::ordered_json& j, const char* key, const std::string& value) {
  if (value != AlignArguments().profile) j[key] = value;
}

}  // namespace

void read_options(TomlTable& toml, AlignArguments& arguments) {
  for_each_option(arguments, [&](const char* key, auto& value) { read_key(toml, key, value); });
}

nlohmann::ordered_json options_json(const AlignArguments& arguments) {
  auto j = nlohmann::ordered_json::object();
  for_each_option(arguments, [&](const char* key, const auto& value) { write_key(j, key, value); });
  return j;
}

AlignArguments options_from_json(const nlohmann::ordered_json& j) {
  AlignArguments arguments;
  for_each_option(arguments, [&](const char* key, auto& value) { restore_key(j, key, value); });
  return arguments;
}

}  // namespace ndt::harness
