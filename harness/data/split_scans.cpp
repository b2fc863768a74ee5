#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/random.hpp"
#include "data/sources.hpp"

namespace ndt::harness {
namespace {

constexpr std::string_view kSplit = "split:";
constexpr double kDegree = kPi / 180;
constexpr double kMapLeafM = 0.1;  // as maps are thinned that are made of many scans
constexpr int kGuesses = 2;        // a frame

/// Draws the motion of a frame's map: any heading, a tilt of about a degree, and up to 5 m along each axis.
Transform drawn_motion(std::uint64_t seed, std::size_t frame) {
  IntegerRandom random(seed_of(seed, frame));
  constexpr std::int64_t kUnit = 1 << 20;
  const auto within_one = [&] { return static_cast<double>(2 * random.below(kUnit) - kUnit) / kUnit; };
  Pose pose;
  pose.roll = normal_number(random) * kDegree;
  pose.pitch = normal_number(random) * kDegree;
  pose.yaw = within_one() * kPi;
  pose.x = 5 * within_one();
  pose.y = 5 * within_one();
  pose.z = 5 * within_one();
  return to_transform(pose);
}

/// Leaves the points of one half. Every point is drawn into one of the two.
PointCloud half_of(PointCloud scan, std::uint64_t seed, std::size_t frame, bool of_map) {
  IntegerRandom random(seed_of(~seed, frame));
  std::erase_if(scan.points, [&](const Point&) { return (random.below(2) == 0) != of_map; });
  return scan;
}

/// Moves the points themselves, so that the cloud is about the map's origin.
PointCloud moved(PointCloud cloud, const Transform& by) {
  for (Point& p : cloud.points)
    p = cast<float>(rotation_of(by) * (cloud.origin + cast<double>(p)) + translation_of(by));
  cloud.origin = {};
  return cloud;
}

void turn_frame(Frame& frame, std::uint64_t seed, std::size_t index) {
  const GuessNoise noise{.roll_pitch_rad = 0.5 * kDegree, .yaw_rad = 2 * kDegree};
  frame.truth = drawn_motion(seed, index);
  frame.guesses.clear();
  for (std::size_t k = 0; k < kGuesses; ++k)
    frame.guesses.push_back(
        {fmt::format("guess{}", k), noisy_guess(*frame.truth, noise, seed, index * kGuesses + k)});
}

}  // namespace

std::optional<SplitName> split_name(std::string_view name) {
  if (!name.starts_with(kSplit)) return std::nullopt;
  name.remove_prefix(kSplit.size());
  SplitName split;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), split.seed);
  if (error == std::errc() && end != name.data() + name.size() && *end == ':')
    name = {end + 1, name.data() + name.size()};
  else
    split.seed = 1;
  split.dataset = name;
  return split;
}

Dataset split_scans(Dataset dataset, std::uint64_t seed) {
  ScanPreparation filters = dataset.raw_scan ? dataset.scan_preparation : ScanPreparation{};
  filters.voxel_leaf_m.reset();
  filters.sample_points.reset();
  const auto half = [whole = dataset.raw_scan ? dataset.raw_scan : dataset.scan, filters, seed](
                        std::size_t frame, bool of_map) {
    return half_of(prepare(whole(frame), filters).cloud, seed, frame, of_map);
  };
  const ScanPreparation thinning{.voxel_leaf_m = kMapLeafM};
  dataset.map = [half, thinning, seed](std::size_t frame) {
    return prepare(moved(half(frame, true), drawn_motion(seed, frame)), thinning).cloud;
  };
  const auto query = [half](std::size_t frame) { return half(frame, false); };
  if (dataset.raw_scan) {
    dataset.raw_scan = query;
    dataset.scan = [query, scan = dataset.scan_preparation](std::size_t frame) {
      return prepare(query(frame), scan).cloud;
    };
  } else {
    dataset.scan = query;
  }
  for (std::size_t frame = 0; frame < dataset.frames.size(); ++frame)
    turn_frame(dataset.frames[frame], seed, frame);
  dataset.truth = {.quality = "exact: half of a scan's points is the map, moved by the truth", .exact = true};
  dataset.name = fmt::format("{}{}{}", kSplit, seed == 1 ? "" : fmt::format("{}:", seed), dataset.name);
  dataset.description += "; half of each scan is aligned with its other half, which is moved";
  dataset.kind = "split";
  dataset.one_map = false;
  dataset.map_preparation = thinning;
  dataset.preparation = describe_preparation(dataset.scan_preparation, thinning);
  dataset.odometry.clear();
  dataset.gnss.clear();
  dataset.imu.clear();
  dataset.twists.clear();
  dataset.recording.reset();
  return dataset;
}

}  // namespace ndt::harness
