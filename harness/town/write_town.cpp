#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/random.hpp"
#include "io/rate_file.hpp"
#include "ndt/align/option.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/cloud_file.hpp"
#include "ndt/io/output_file.hpp"
#include "ndt/io/trajectory.hpp"
#include "town/inertial.hpp"
#include "town/leaf_sums.hpp"
#include "town/other_sensors.hpp"
#include "town/town_plan.hpp"
#include "town/traffic.hpp"

namespace ndt::harness {

namespace town {
namespace {

constexpr std::string_view kTemplate = R"(# Written by ndt-bench generate town.
format = 1
name = "{name}"
description = "{description}"
kind = "scan_to_map"
map = "map.pcd"
scans = ["scans/*.pcd"]
resolution_m = 2.0

[truth]
file = "truth.tum"
format = "tum"
quality = "exact: the poses the scans were cast from"
exact = true
accuracy_m = 0.0

[odometry]
file = "odometry.tum"

[gnss]
file = "gnss.tum"
{inertial}
[guess]
kind = "noise"
seed = 1
count = {guesses}
xy_sigma_m = {guess_m:.1f}
z_sigma_m = 0.05
roll_pitch_sigma_deg = 0.5
yaw_sigma_deg = {guess_deg:.1f}

[preparation.scan]
voxel_leaf_m = 1.0

[provenance]
licence = "Apache-2.0"
source = "generated: {source}"
obtain = "ndt-bench generate town --scale {scale} --seed {seed}{options} --out DIR"
)";

/// The tables of sensors that a car has.
constexpr std::string_view kInertial = R"(
[imu]
file = "imu.csv"

[twist]
file = "twist.csv"
)";

std::string source(const TownPlan& plan, const TownOptions& options) {
  const auto beams = [](const LidarModel& lidar) {
    const std::string of =
        lidar.every_beam > 1 ? fmt::format("{} of ", lidar.beams / lidar.every_beam) : std::string();
    return fmt::format("{}{} beams, {} azimuths", of, lidar.beams, lidar.azimuths);
  };
  std::string text =
      fmt::format("{}, range noise {:.0f} cm; map of a second drive{}, 0.2 m leaves", beams(plan.lidar),
                  100 * plan.lidar.noise_m, plan.map_lidar ? " with " + beams(*plan.map_lidar) : "");
  if (plan.traffic || options.traffic) text += "; vehicles that move, and are not in the map";
  if (options.distortion)
    text +=
        "; a sweep lasts 0.1 s, and each point is in the sensor's frame of its own time, field t in seconds "
        "after "
        "the scan's: 0.1 s * (a / 360 - 0.5), a being its azimuth in degrees from ahead to the left, 0 to "
        "360";
  return text;
}

TownPlan plan_with(const TownOptions& options) {
  TownPlan plan = plan_of(options.scale);
  if (options.beams == 0) return plan;
  constexpr int kMostBeams = 256;
  LidarModel& lidar = plan.lidar;
  const bool more = options.beams > lidar.beams && options.beams <= kMostBeams;
  const bool even =
      more ? options.beams % lidar.beams == 0 : options.beams > 0 && lidar.beams % options.beams == 0;
  if (!even)
    throw UsageError(
        fmt::format("--beams {} neither divides the {} beams of scale {} nor is a multiple up to {}",
                    options.beams, lidar.beams, town_scale_name(options.scale), kMostBeams));
  if (!plan.map_lidar) plan.map_lidar = lidar;
  if (more)
    lidar.beams = options.beams;
  else
    lidar.every_beam = lidar.beams / options.beams;
  return plan;
}

/// The dataset's name: town, or town_seed7 for another seed than 1.
std::string dataset_name(const TownPlan& plan, const TownOptions& options) {
  std::string name = plan.name;
  if (options.traffic) name += "_traffic";
  if (options.distortion) name += "_distorted";
  if (options.beams > 0) name += fmt::format("_beams{}", options.beams);
  if (options.seed != 1) name += fmt::format("_seed{}", options.seed);
  return name;
}

/// The text that makes a folder a dataset.
std::string dataset_toml(const TownPlan& plan, const TownOptions& options) {
  const bool astray = plan.jump.has_value();  // who is carried off does not know where it begins, either
  return fmt::format(
      kTemplate, fmt::arg("name", dataset_name(plan, options)), fmt::arg("description", plan.description),
      fmt::arg("guess_m", astray ? 6.0 : 0.3), fmt::arg("guess_deg", astray ? 60.0 : 2.0),
      fmt::arg("guesses", plan.guesses), fmt::arg("source", source(plan, options)),
      fmt::arg("scale", town_scale_name(options.scale)), fmt::arg("seed", options.seed),
      fmt::arg("inertial", plan.car ? kInertial : ""),
      fmt::arg("options",
               std::string(options.traffic ? " --traffic" : "") +
                   (options.distortion ? " --distortion" : "") +
                   (options.beams > 0 ? fmt::format(" --beams {}", options.beams) : std::string())));
}

/// Calls work(i) for every i in [0, count), on `threads` threads. Ends early with the first exception.
template <class Work>
void in_parallel(int count, int threads, const Work& work) {
  std::atomic<int> next{0};
  const auto run = [&] {
    try {
      for (int i = next++; i < count; i = next++) work(i);
    } catch (...) {
      next = count;
      throw;
    }
  };
  std::vector<std::future<void>> workers;
  for (int k = 0; k < threads; ++k) workers.push_back(std::async(std::launch::async, run));
  for (auto& worker : workers) worker.wait();
  for (auto& worker : workers) worker.get();
}

/// The seeds that are derived from the one seed of the options.
enum Seeds : std::uint64_t {
  kWorldSeed,
  kScanNoise,
  kMapNoise,
  kOdometryNoise,
  kGnssNoise,
  kTrafficSeed,
  kMapFrame,
  kImuNoise,
  kTwistNoise
};

PointCloud in_cloud(const std::vector<Millimetres>& points) {
  PointCloud cloud;
  cloud.points.reserve(points.size());
  for (const Millimetres& p : points) cloud.points.push_back(cast<float>(in_metres(p)));
  return cloud;
}

/// One town being driven through, twice.
class Writer {
 public:
  Writer(const TownOptions& options, const TownProgress& progress)
      : options_(options),
        progress_(progress),
        plan_(plan_with(options)),
        world_(build_world(plan_, seed_of(options.seed, kWorldSeed))),
        frame_(world_, plan_,
               seed_of(seed_of(options.seed, kMapFrame), static_cast<std::uint64_t>(options.scale))),
        lidar_(plan_.lidar),
        map_lidar_(plan_.map_lidar.value_or(plan_.lidar)),
        scan_drive_(scan_drive(plan_)),
        map_drive_(map_drive(plan_)),
        stops_(scan_stops(plan_, scan_drive_)) {
    if (plan_.traffic || options_.traffic)
      traffic_.emplace(plan_, stops_.back().time_s, seed_of(options_.seed, kTrafficSeed));
  }

  TownSummary write(const std::filesystem::path& folder);

 private:
  int scans() const { return static_cast<int>(stops_.size()); }
  int map_scans() const { return static_cast<int>(whole_below(map_drive_.length_m() / plan_.map_step_m)); }
  Transform pose_at(double along_m) const { return sensor_pose(world_.ground(), scan_drive_.at(along_m)); }

  double sweeps_after_stop(std::size_t azimuth) const {
    return static_cast<double>(azimuth) / plan_.lidar.azimuths - 0.5;
  }
  std::vector<Transform> sweep_poses(const ScanStop& stop) const;
  void write_scan(const std::filesystem::path& folder, int i);
  void add_to_map(int i);
  std::vector<StampedTransform> truth() const;
  void write_inertial(const std::filesystem::path& folder) const;
  std::optional<std::size_t> carried_scan() const;
  void one_more_done();

  const TownOptions& options_;
  const TownProgress& progress_;
  const TownPlan plan_;
  const World world_;
  const MapFrame frame_;
  const Lidar lidar_, map_lidar_;
  const Drive scan_drive_, map_drive_;
  const std::vector<ScanStop> stops_;
  std::optional<Traffic> traffic_;

  std::mutex mutex_;  ///< guards all members below while threads run
  LeafSums map_;
  int done_ = 0;
  std::int64_t scan_points_ = 0;
};

/// One for all azimuths, or one for each of them around the time of the stop.
std::vector<Transform> Writer::sweep_poses(const ScanStop& stop) const {
  if (!options_.distortion) return {pose_at(stop.along_m)};
  std::vector<Transform> poses;
  for (std::size_t k = 0; k < static_cast<std::size_t>(plan_.lidar.azimuths); ++k)
    poses.push_back(pose_at(stop.along_m + sweeps_after_stop(k) * plan_.car->period_s * stop.speed_m_s));
  return poses;
}

void Writer::write_scan(const std::filesystem::path& folder, int i) {
  const std::uint64_t noise = seed_of(seed_of(options_.seed, kScanNoise), static_cast<std::uint64_t>(i));
  const ScanStop& stop = stops_[static_cast<std::size_t>(i)];
  std::vector<Solid> passing;
  if (traffic_) passing = traffic_->at(world_.ground(), stop.time_s, stop.along_m);
  std::vector<std::size_t> azimuths;
  PointCloud cloud = in_cloud(lidar_.scan(world_, passing, sweep_poses(stop), noise, &azimuths));
  if (options_.distortion)
    for (const std::size_t azimuth : azimuths)
      cloud.times.push_back(static_cast<float>(sweeps_after_stop(azimuth) * plan_.car->period_s));
  write_pcd(folder / fmt::format("{:06}.pcd", i), cloud);
  const std::lock_guard lock(mutex_);
  scan_points_ += static_cast<std::int64_t>(cloud.size());
  one_more_done();
}

void Writer::add_to_map(int i) {
  const std::uint64_t noise = seed_of(seed_of(options_.seed, kMapNoise), static_cast<std::uint64_t>(i));
  const Transform pose = sensor_pose(world_.ground(), map_drive_.at((i + 0.5) * plan_.map_step_m));
  const Transform map_from_sensor = frame_.map_from_sensor(pose);
  const Mat3<double> rotation = rotation_of(map_from_sensor);
  const Vec3<double> translation = translation_of(map_from_sensor);
  std::vector<Millimetres> points = map_lidar_.scan(world_, pose, noise);
  for (Millimetres& p : points) p = in_millimetres(rotation * in_metres(p) + translation);
  LeafRun run = leaf_run(points);
  const std::lock_guard lock(mutex_);
  map_.add(std::move(run));
  one_more_done();
}

std::vector<StampedTransform> Writer::truth() const {
  std::vector<StampedTransform> poses;
  for (const ScanStop& stop : stops_)
    poses.push_back({stop.time_s, frame_.map_from_sensor(pose_at(stop.along_m))});
  return poses;
}

/// Five measurements between two scans.
void Writer::write_inertial(const std::filesystem::path& folder) const {
  constexpr std::size_t kBetween = 5;
  std::vector<StampedTransform> poses;
  for (const ScanStop& stop : stops_)
    for (std::size_t k = 0; k < kBetween; ++k) {
      const double after_s = plan_.car->period_s * static_cast<double>(k) / kBetween;
      poses.push_back(
          {stop.time_s + after_s, frame_.map_from_sensor(pose_at(stop.along_m + after_s * stop.speed_m_s))});
    }
  std::vector<std::size_t> carried;
  if (const auto scan = carried_scan()) carried.push_back(kBetween * *scan);
  const std::vector<Pace> paces = paces_of(poses, carried);
  write_imu(folder / "imu.csv", imu_of(paces, seed_of(options_.seed, kImuNoise)));
  write_twists(folder / "twist.csv", twists_of(paces, seed_of(options_.seed, kTwistNoise)));
}

/// The one that the car was carried to.
std::optional<std::size_t> Writer::carried_scan() const {
  const auto stop = std::ranges::find_if(stops_, &ScanStop::carried);
  if (stop == stops_.end()) return std::nullopt;
  return static_cast<std::size_t>(stop - stops_.begin());
}

void Writer::one_more_done() {
  ++done_;
  if (progress_) progress_(static_cast<double>(done_) / (scans() + map_scans()));
}

TownSummary Writer::write(const std::filesystem::path& folder) {
  const std::filesystem::path scan_folder = folder / "scans";
  make_folder(scan_folder);
  const int threads = options_.threads == 0 ? core_count() : options_.threads;
  in_parallel(scans() + map_scans(), threads,
              [&](int i) { i < scans() ? write_scan(scan_folder, i) : add_to_map(i - scans()); });
  const PointCloud map = in_cloud(map_.take_centroids());
  write_pcd(folder / "map.pcd", map);
  const std::vector<StampedTransform> poses = truth();
  write_tum(folder / "truth.tum", poses);
  write_tum(folder / "odometry.tum",
            odometry_of(poses, seed_of(options_.seed, kOdometryNoise), carried_scan()));
  write_tum(folder / "gnss.tum", gnss_of(poses, plan_.outages, seed_of(options_.seed, kGnssNoise)));
  if (plan_.car) write_inertial(folder);
  write_text(folder / "dataset.toml", dataset_toml(plan_, options_));

  TownSummary summary{.name = dataset_name(plan_, options_),
                      .scans = scans(),
                      .scan_points = scan_points_,
                      .map_points = static_cast<std::int64_t>(map.size()),
                      .drive_m = stops_.back().along_m,
                      .bytes = 0};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) summary.bytes += entry.file_size();
  return summary;
}

}  // namespace
}  // namespace town

namespace {

/// Things that move need times, which only a car's drive has.
void require_a_car(const TownOptions& options) {
  const bool asked = options.traffic || options.distortion;
  if (!asked || town::plan_of(options.scale).car) return;
  throw UsageError(
      fmt::format("{} needs a drive with a car; scale {} has a scan every few metres: choose scale drive",
                  options.traffic ? "--traffic" : "--distortion", town_scale_name(options.scale)));
}

}  // namespace

TownSummary write_town(const TownOptions& options, const std::filesystem::path& folder,
                       const TownProgress& progress) {
  require_whole("threads", options.threads, 0, Limits::kThreads);
  require_a_car(options);
  FolderInMaking making(folder);
  const TownSummary summary = town::Writer(options, progress).write(making.path());
  making.finish();
  return summary;
}

}  // namespace ndt::harness
