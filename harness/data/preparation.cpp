#include "data/preparation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>

namespace ndt::harness {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::optional<CropBox> box(TomlTable& toml, std::string_view key) {
  const auto v = toml.numbers(key, -kInfinity, kInfinity);
  if (!v) return std::nullopt;
  if (v->size() != 6)
    toml.refuse(key, fmt::format("has {} numbers", v->size()), "give [x0, y0, z0, x1, y1, z1] in metres");
  return CropBox{{(*v)[0], (*v)[1], (*v)[2]}, {(*v)[3], (*v)[4], (*v)[5]}};
}

std::string text_of(const ScanPreparation& p) {
  std::vector<std::string> parts;
  if (p.min_range_m || p.max_range_m)
    parts.push_back(
        fmt::format("range {} to {} m", p.min_range_m.value_or(0), p.max_range_m.value_or(kInfinity)));
  if (p.crop_box) parts.emplace_back("crop box");
  if (p.remove_box) parts.emplace_back("remove box");
  if (p.voxel_leaf_m) parts.push_back(fmt::format("voxel leaf {} m", *p.voxel_leaf_m));
  if (p.sample_points) parts.push_back(fmt::format("{} drawn with seed {}", *p.sample_points, p.sample_seed));
  return parts.empty() ? "as it is" : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

ScanPreparation read_preparation(TomlTable& toml, std::string_view cloud) {
  ScanPreparation p;
  p.min_range_m = toml.number("min_range_m", 0, kInfinity);
  p.max_range_m = toml.number("max_range_m", 0, kInfinity);
  p.crop_box = box(toml, "crop_box");
  p.remove_box = box(toml, "remove_box");
  p.voxel_leaf_m = toml.number("voxel_leaf_m", 0, kInfinity);
  p.sample_points = toml.whole("sample_points", 0, std::numeric_limits<std::int64_t>::max());
  p.sample_seed = static_cast<std::uint64_t>(
      toml.whole("sample_seed", 0, std::numeric_limits<std::int64_t>::max()).value_or(1));
  toml.finish();
  try {
    validate(p, cloud);
  } catch (const std::invalid_argument& error) {
    toml.refuse("", error.what(), "give a number in these bounds");
  }
  return p;
}

std::string describe_preparation(const ScanPreparation& scan, const ScanPreparation& map) {
  return fmt::format("scan: {}; map: {}", text_of(scan), text_of(map));
}

}  // namespace ndt::harness
