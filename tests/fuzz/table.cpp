// Any bytes as rows of text (.xyz, .csv). Points that are accepted come back from rows that are written of
// them.
#include <fmt/format.h>

#include <cmath>

#include "base/io_names.hpp"
#include "fuzzing.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/stored_points.hpp"

namespace {

using namespace ndt;
using Points = std::vector<Vec3<double>>;

std::string rows_of(const Points& points) {
  std::string rows;
  for (const auto& p : points) rows += fmt::format("{},{},{}\n", p.x, p.y, p.z);
  return rows;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile file;
  harness::CloudInfo info;
  const auto stored =
      fuzz::read_file_or_refuse([&] { return harness::read_stored_table(file.with(data, size), &info); });
  if (!stored) return 0;
  const auto& points = std::get<Points>(*stored);
  fuzz::require(!points.empty() && points.size() <= (size + 1) / 6, "more points than rows, or none");
  fuzz::require(info.trailing_bytes == 0, "bytes are left behind rows of text");
  const std::string rows = rows_of(points);
  const auto again = std::get<Points>(harness::read_stored_table(
      file.with(reinterpret_cast<const std::uint8_t*>(rows.data()), rows.size()), nullptr));
  fuzz::require(again.size() == points.size(), "points are lost");
  for (std::size_t k = 0; k < points.size(); ++k)
    fuzz::require(
        same(again[k].x, points[k].x) && same(again[k].y, points[k].y) && same(again[k].z, points[k].z),
        "a point does not come back");
  fuzz::read_file_or_refuse([&] { return harness::cloud_of_stored(points, file.path()); });
  return 0;
}
