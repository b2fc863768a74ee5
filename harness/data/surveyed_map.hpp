// Maps in LAS, LAZ and E57, which Python libraries read: made into tiles once, by the package ndt_convert,
// and kept.
#pragma once

#include <filesystem>

#include "base/io_names.hpp"
#include "ndt/io/tiled_map.hpp"

namespace ndt::harness {

/// Beside the tiles, JSON: what the file says of its points, such as scale_m, offset_m and crs.
inline constexpr const char* kSurveyFacts = "survey.json";

/// Whether the file's extension is .las, .laz or .e57, in any case. The file is not looked at.
bool is_surveyed_map(const std::filesystem::path& file);

/// Returns the folder of its tiles, 20 m wide or more, with metadata and kSurveyFacts. Coordinates are those
/// of the file: double where they are beyond 8192 m, else float32. The tiles are made on first use, which is
/// said on stderr, below maps_v1 in the folder for generated data (data/sources.hpp). The name of their
/// folder tells the file's path, inode, size and times, so that of a file that has changed others are made.
/// The folder is complete or not there, also where several processes make it at once. Throws InputError for a
/// file that is missing, cannot be read by the libraries, or changes meanwhile, where no Python has the
/// libraries, and where the folder cannot be written.
std::filesystem::path tiles_of_survey(const std::filesystem::path& file);

/// The files of any map that --map names. One in LAS, LAZ or E57 stands for its tiles. Throws as MapFiles and
/// tiles_of_survey do.
MapFiles map_files(const std::filesystem::path& map, BinFields fields = {});

/// The file kSurveyFacts of a map in LAS, LAZ or E57; empty for other maps.
std::filesystem::path survey_facts(const std::filesystem::path& map);

}  // namespace ndt::harness
