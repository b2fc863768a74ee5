#include "io/coloured_ply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <string>

#include "base/io_names.hpp"
#include "ndt/io/cloud_output.hpp"

namespace ndt::harness {
namespace {

/// Records are collected, because a stream takes each number at a cost.
class Records {
 public:
  template <class T>
  void add(T value) {
    auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
    if (std::endian::native != std::endian::little) std::ranges::reverse(bytes);
    text_.append(bytes.data(), bytes.size());
  }
  void add(const Vec3<double>& p, Colour colour) {
    for (const double x : {p.x, p.y, p.z}) add(x);
    for (const std::uint8_t shade : {colour.red, colour.green, colour.blue}) add(shade);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string header(std::size_t points, const std::string& comment, const std::string& more) {
  return fmt::format(
      "ply\nformat binary_little_endian 1.0\n{}element vertex {}\nproperty double x\nproperty double y\n"
      "property double z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n{}end_header\n",
      comment, points, more);
}

Vec3<double> in_map(const Transform& map_from_cloud, const PointCloud& cloud, std::size_t i) {
  return rotation_of(map_from_cloud) * absolute<double>(cloud, i) + translation_of(map_from_cloud);
}

std::uint8_t shade(double share) {
  return static_cast<std::uint8_t>(std::lround(255 * std::clamp(share, 0.0, 1.0)));
}

}  // namespace

Colour score_colour(double share) {
  if (share < 0) return {160, 32, 200};
  return {shade(2 - 2 * share), shade(2 * share), 0};
}

void write_coloured_ply(const std::filesystem::path& file, const PointCloud& cloud,
                        const Transform& map_from_cloud, Colour colour) {
  Records records;
  std::size_t points = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vec3<double> p = in_map(map_from_cloud, cloud, i);
    if (!std::isfinite(p.x + p.y + p.z)) continue;
    records.add(p, colour);
    ++points;
  }
  write_file(file, [&](std::ostream& out) { out << header(points, "", "") << records.text(); });
}

void write_scored_ply(const std::filesystem::path& file, const PointCloud& cloud,
                      const Transform& map_from_cloud, std::span<const std::size_t> indices,
                      std::span<const float> scores) {
  if (indices.size() != scores.size())
    throw std::invalid_argument(
        fmt::format("write_scored_ply: {} scores for {} points", scores.size(), indices.size()));
  const double best = scores.empty() ? 0.0 : static_cast<double>(*std::ranges::max_element(scores));
  Records records;
  for (std::size_t k = 0; k < scores.size(); ++k) {
    const double score = static_cast<double>(scores[k]);
    records.add(in_map(map_from_cloud, cloud, indices[k]), score_colour(score > 0 ? score / best : -1));
    records.add(scores[k]);
  }
  const std::string comment =
      fmt::format("comment score: red near 0, yellow {:.4g}, green {:.4g}; purple 0\n", best / 2, best);
  write_file(file, [&](std::ostream& out) {
    out << header(scores.size(), comment, "property float score\n") << records.text();
  });
}

}  // namespace ndt::harness
