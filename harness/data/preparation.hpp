// Filters of clouds as a dataset's TOML table has them, and in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/toml_fields.hpp"
#include "ndt/align/preparation.hpp"

namespace ndt::harness {

/// Reads the filters from the keys of a TOML table. Throws InputError for an unknown key or a value out of
/// range.
ScanPreparation read_preparation(TomlTable& toml, std::string_view cloud);

/// Describes both in one line: "scan: range 2 to 100 m, voxel leaf 1 m; map: as it is".
std::string describe_preparation(const ScanPreparation& scan, const ScanPreparation& map);

/// The draw of the generated towns, whose scans stay as they are. Draws `count` of the points, order kept,
/// every subset equally likely; returns all of them if there are at most `count`. The same seed gives the
/// same points on every platform.
std::vector<Point> random_sample(const std::vector<Point>& points, std::int64_t count, std::uint64_t seed);

}  // namespace ndt::harness
