#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/output_file.hpp"
#include "cli/print.hpp"

namespace ndt::harness {
namespace {

/// Finite as finite_points means it: in float32, in the scan's frame.
std::vector<std::size_t> finite_indices(const PointCloud& scan) {
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < scan.size(); ++i) {
    const Point p = cast<float>(scan.origin + cast<double>(scan.points[i]));
    if (std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z)) indices.push_back(i);
  }
  return indices;
}

}  // namespace

void write_point_scores(const std::filesystem::path& file, const PointCloud& scan, std::span<const float> scores) {
  const std::vector<std::size_t> indices = finite_indices(scan);
  if (indices.size() != scores.size())
    throw std::logic_error(
        fmt::format("write_point_scores: {} scores for {} finite points", scores.size(), indices.size()));
  const bool as_stored = scan.origin.x == 0 && scan.origin.y == 0 && scan.origin.z == 0;  // with a float's digits
  std::string text = "index,x_m,y_m,z_m,score";
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const auto add_line = [&](const auto& p) {
      fmt::format_to(std::back_inserter(text), "\n{},{},{},{},{}", indices[k], p.x, p.y, p.z, scores[k]);
    };
    const Point& offset = scan.points[indices[k]];
    if (as_stored)
      add_line(offset);
    else
      add_line(scan.origin + cast<double>(offset));
  }
  write_text(file, text);
}

}  // namespace ndt::harness
