#include "io/json_file.hpp"

#include "base/errors.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/text.hpp"

namespace ndt::harness {

using json = nlohmann::ordered_json;

namespace {

/// Counts brackets outside of strings: of all that a parser reads before it finds a fault, that is the depth.
bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '"') in_string = !in_string;
    if (in_string && c == '\\') ++k;  // what is escaped ends no string
    if (in_string) continue;
    if ((c == '[' || c == '{') && ++depth > kJsonLevels) return true;
    if (c == ']' || c == '}') --depth;
  }
  return false;
}

}  // namespace

ParsedJson parse_json(std::string_view text) {
  if (is_too_deep(text)) return {nullptr, "is nested too deeply"};
  json value = json::parse(text, nullptr, false);
  if (value.is_discarded()) return {nullptr, "is not JSON"};
  return {std::move(value), nullptr};
}

json read_json(const std::filesystem::path& file, std::string_view advice) {
  ParsedJson parsed = parse_json(whole_text(file, Limits::kMetadataBytes, advice));
  if (parsed.fault) throw refusal(printable_name(file.string()), "", parsed.fault, advice);
  return std::move(parsed.value);
}

json entry_at(const json& value, const char* pointer) {
  const json::json_pointer at(pointer);
  return value.contains(at) ? value.at(at) : json();
}

}  // namespace ndt::harness
