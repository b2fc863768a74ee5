#include "option_keys.hpp"

#include <limits>

namespace ndt::harness {
namespace {

constexpr double kAny = std::numeric_limits<double>::max();

void read(TomlTable& toml, const char* key, std::string& value) { value = toml.text(key).value_or(value); }
void read(TomlTable& toml, const char* key, std::optional<std::string>& value) {
  if (auto given = toml.text(key)) value = std::move(given);
}
void read(TomlTable& toml, const char* key, std::optional<double>& value) {
  if (const auto given = toml.number(key, -kAny, kAny)) value = given;
}
void read(TomlTable& toml, const char* key, std::optional<int>& value) {
  if (const auto given = toml.whole(key, 0, std::numeric_limits<int>::max())) value = static_cast<int>(*given);
}

void write(nlohmann::ordered_json& j, const char* key, const std::string& value) {
  if (value != AlignArguments().profile) j[key] = value;
}
template <class T>
void write(nlohmann::ordered_json& j, const char* key, const std::optional<T>& value) {
  if (value) j[key] = *value;
}

void restore(const nlohmann::ordered_json& j, const char* key, std::string& value) { value = j.value(key, value); }
template <class T>
void restore(const nlohmann::ordered_json& j, const char* key, std::optional<T>& value) {
  if (j.contains(key)) value = j.at(key).get<T>();
}

}  // namespace

void read_options(TomlTable& toml, AlignArguments& arguments) {
  for_each_option(arguments, [&](const char* key, auto& value) { read(toml, key, value); });
}

nlohmann::ordered_json options_json(const AlignArguments& arguments) {
  auto j = nlohmann::ordered_json::object();
  for_each_option(arguments, [&](const char* key, const auto& value) { write(j, key, value); });
  return j;
}

AlignArguments options_from_json(const nlohmann::ordered_json& j) {
  AlignArguments arguments;
  for_each_option(arguments, [&](const char* key, auto& value) { restore(j, key, value); });
  return arguments;
}

}  // namespace ndt::harness
