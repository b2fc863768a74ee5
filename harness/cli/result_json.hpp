// Results as JSON objects; the key names are part of the command line's contract.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "data/scan_preparation.hpp"
#include "ndt/align/aligner.hpp"

namespace ndt::harness {

nlohmann::ordered_json to_json(const AlignResult& result, std::string_view implementation, double build_us,
                               std::span<const double> align_us, bool with_trace);
nlohmann::ordered_json to_json(const Evaluation& evaluation, std::string_view implementation);
nlohmann::ordered_json to_json(std::span<const VoxelRow> voxels, std::string_view implementation, double resolution_m);

/// Sets `key` to the points given and what each filter removed and left; nothing if no filter was asked for.
void put_preparation(nlohmann::ordered_json& object, const char* key, const PreparedCloud& prepared);

/// One object on one line of stdout.
void print_json(const nlohmann::ordered_json& object);

}  // namespace ndt::harness
