// The filters of scan_preparation.hpp as keys of a TOML table.
#pragma once

#include "data/scan_preparation.hpp"
#include "io/toml_fields.hpp"

namespace ndt::harness {

/// Throws InputError for an unknown key or a value out of range.
ScanPreparation read_preparation(TomlTable& toml, std::string_view cloud);

/// One line for people: "scan: range 2 to 100 m, voxel leaf 1 m; map: as it is".
std::string describe_preparation(const ScanPreparation& scan, const ScanPreparation& map);

}  // namespace ndt::harness
