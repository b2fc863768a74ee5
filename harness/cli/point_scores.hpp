// Scores of single points as a file for other programs.
#pragma once

#include <filesystem>
#include <span>

#include "ndt/core/point_cloud.hpp"

namespace ndt::harness {

/// A CSV file with the heading index,x_m,y_m,z_m,score and one line per finite point of the scan: its index in the scan, non-
/// finite points counted, its coordinates in the scan's frame, and its entry of Evaluation::point_scores. All digits are
/// kept. Throws InputError if it cannot be written, std::logic_error unless there is one score per finite point.
void write_point_scores(const std::filesystem::path& file, const PointCloud& scan, std::span<const float> scores);

}  // namespace ndt::harness
