#include "data/density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "ndt/core/error.hpp"

namespace ndt::harness {
namespace {

constexpr std::string_view kRaw = "raw", kMade = "as made";
/// A leaf that leaves more of the points than this thins nothing.
constexpr double kThinnedShareMost = 0.9;

/// Returns the number of a text that is its shortest form, or nothing: a density has one name.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return fmt::format("{}", number) == text ? std::optional(number) : std::nullopt;
}

/// Returns the filters of a density, none for raw, and nothing for any other text.
std::optional<ScanPreparation> thinning_of(std::string_view density) {
  ScanPreparation thinning;
  if (density == kRaw) return thinning;
  if (density.ends_with('m'))
    thinning.voxel_leaf_m = number_of<double>(density.substr(0, density.size() - 1));
  else
    thinning.sample_points = number_of<std::int64_t>(density);
  if (!thinning.active()) return std::nullopt;
  try {
    validate(thinning);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  return thinning;
}

/// Groups the digits of a number by commas.
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string label_of(const ScanPreparation& thinning) {
  std::string label;
  if (thinning.voxel_leaf_m) label = fmt::format("{} m", *thinning.voxel_leaf_m);
  if (thinning.sample_points)
    label += fmt::format("{}{} random", label.empty() ? "" : ", ", grouped(*thinning.sample_points));
  return label;
}

/// Says why the points of a scan are too few for the density; empty if they are enough.
std::string too_few(const PointCloud& scan, const ScanPreparation& thinning) {
  const auto points = static_cast<std::int64_t>(scan.size());
  if (thinning.sample_points && points < *thinning.sample_points)
    return fmt::format("has {} points; take fewer points at random", points);
  if (!thinning.voxel_leaf_m) return {};
  const std::size_t left = prepare(scan, thinning).cloud.size();
  const double share = static_cast<double>(left) / static_cast<double>(std::max<std::int64_t>(points, 1));
  if (share <= kThinnedShareMost) return {};
  return fmt::format("keeps {:.0f} % of its points, so its files are as sparse; take a larger leaf",
                     100 * share);
}

}  // namespace

std::string density_of(const Dataset& dataset) {
  if (!dataset.raw_scan) return std::string(kMade);
  const std::string label = label_of(dataset.scan_preparation);
  return label.empty() ? dataset.raw_density : label;
}

NameAndDensity name_and_density(std::string_view name) {
  const auto at = name.rfind('@');
  if (at == std::string_view::npos || !is_density(name.substr(at + 1))) return {name, {}};
  return {name.substr(0, at), name.substr(at + 1)};
}

bool is_density(std::string_view density) { return thinning_of(density).has_value(); }

std::string label_of(std::string_view density) {
  const std::string label = label_of(thinning_of(density).value());
  return label.empty() ? std::string(kRaw) : label;
}

Dataset at_density(Dataset dataset, std::string_view density) {
  const ScanPreparation thinning = thinning_of(density).value();
  const std::string found = dataset.raw_scan ? dataset.raw_density : std::string(kMade);
  if (density == kRaw && found != kRaw)
    throw InputError(
        fmt::format("dataset {} has no raw scans: they are '{}'; leave out @raw", dataset.name, found));
  ScanPreparation filters = dataset.raw_scan ? dataset.scan_preparation : ScanPreparation{};
  filters.voxel_leaf_m.reset();
  filters.sample_points.reset();
  if (!dataset.raw_scan) dataset.raw_scan = dataset.scan;
  if (const std::string why = too_few(prepare(dataset.raw_scan(0), filters).cloud, thinning); !why.empty())
    throw InputError(
        fmt::format("dataset {}@{}: scan {} {}", dataset.name, density, dataset.frames.at(0).name, why));
  dataset.scan_preparation = overridden(filters, thinning);
  dataset.scan = [raw = dataset.raw_scan, filters = dataset.scan_preparation](std::size_t frame) {
    return prepare(raw(frame), filters).cloud;
  };
  dataset.name = fmt::format("{}@{}", dataset.name, density);
  dataset.preparation = describe_preparation(dataset.scan_preparation, dataset.map_preparation);
  return dataset;
}

}  // namespace ndt::harness
