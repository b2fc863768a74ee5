// JSON that others may have written: its depth is limited, because values are copied, compared and printed by
// recursion, which would exhaust the stack.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

namespace ndt::harness {

inline constexpr int kJsonLevels = 64;

struct ParsedJson {
  nlohmann::ordered_json value;
  const char* fault = nullptr;  ///< what is wrong with the text, as in "<file> <fault>"; null if nothing is
};

ParsedJson parse_json(std::string_view text);

/// Reads a file of at most Limits::kMetadataBytes. Throws InputError with this advice.
nlohmann::ordered_json read_json(const std::filesystem::path& file, std::string_view advice);

/// Returns the entry at "/key/key", null where there is none, whatever stands in its place.
nlohmann::ordered_json entry_at(const nlohmann::ordered_json& value, const char* pointer);

}  // namespace ndt::harness
