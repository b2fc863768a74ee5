// Searches in plans and records.
#pragma once

#include <nlohmann/json.hpp>

#include "run/presets.hpp"
#include "run/search_record.hpp"

namespace ndt::harness {

nlohmann::ordered_json to_json(const SearchSpec& search);
/// Inverse. Throws nlohmann::json::exception.
SearchSpec named_search_from(const nlohmann::ordered_json& j);

/// `found`: with what came of it, else null there.
nlohmann::ordered_json to_json(const SearchRecord& row, bool found);
/// Inverse. Throws nlohmann::json::exception.
SearchRecord search_row_from(const nlohmann::ordered_json& j, bool found);

}  // namespace ndt::harness
