// The synthetic town drive: a laser scanner driven through streets of houses, trees, poles and parked cars,
// ray-cast on hilly ground, with the exact pose of every scan. Integer random numbers and + - * / sqrt alone:
// the same options give the same bytes with every compiler that keeps to IEEE 754, at every optimisation
// level and for any number of threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace ndt::harness {

enum class TownScale {
  small,     ///< 8 scans of 16 beams around one corner: for tests, in seconds even under sanitizers
  standard,  ///< more than 60 scans of 64 beams over more than 300 m with two turns
  drive,     ///< the same streets, 10 scans a second on a car that keeps to 10 m/s and 20 degrees a second
  large,     ///< more than 2 km and a map of more than 10 M points
  // The others are with that car, too.
  long_drive,  ///< the streets of large with 32 beams, 64 for the map: 4.8 km, more than 5000 scans, a map of
               ///< more than 10 M points
  tunnel,      ///< 300 m of plain tunnel between two stretches of street
  field,       ///< few things on open hills
  junction,    ///< a left turn at a crossing, with traffic
  kidnap,      ///< begins elsewhere than its guess, and is carried around a corner between two scans
  // Six scans among curved and rough things, without a car.
  park,     ///< trees and bushes on hills
  oldtown,  ///< crooked fronts with sills, round towers
  works,    ///< tanks, spheres and pipes
  woods     ///< trunks and crowns on rough ground
};

/// Throws UsageError naming the scales.
TownScale town_scale(std::string_view name);
std::string town_scale_name(TownScale scale);
/// "small, standard, drive ...".
std::string town_scale_names();

struct TownOptions {
  TownScale scale = TownScale::standard;
  std::uint64_t seed = 1;
  int threads = 0;          ///< 0: one per core; the bytes are the same for any number
  bool traffic = false;     ///< vehicles move along with the car and towards it; needs a car
  int beams = 0;            ///< of a scan, evenly; the map keeps the drive's. 0: the drive's
  bool distortion = false;  ///< a sweep takes the 0.1 s between scans, while the car moves; needs a car
};

/// Facts about a written town.
struct TownSummary {
  std::string name;  ///< the dataset's: the plan's, with _traffic, _distorted, _beams<n>, and _seed<n> for
                     ///< another seed than 1
  int scans = 0;
  std::int64_t scan_points = 0;  ///< of all scans together
  std::int64_t map_points = 0;
  double drive_m = 0;  ///< from the first scan to the last, along the drive
  std::uintmax_t bytes = 0;
};

/// Called with the finished share, 0 to 1, by one thread at a time.
using TownProgress = std::function<void(double fraction)>;

/// Makes `folder` a dataset: dataset.toml, map.pcd, scans/000000.pcd and on, truth.tum, odometry.tum,
/// gnss.tum. Scans are in the sensor's frame (x forward, z up), at the true pose unless they are distorted.
/// Their range noise is 2 cm (1 sigma). The map has one centroid per 0.2 m leaf, from a second drive over the
/// same streets, 0.4 m beside the first. That drive has its own noise and meets no traffic. All coordinates
/// are whole millimetres before they become float32.
///
/// The folder is written beside the final place as <folder>.part.XXXXXX and renamed when complete, so the
/// folder is complete or missing. Throws InputError if the folder exists and is not empty, or cannot be
/// written, and std::invalid_argument for threads outside [0, 256]. Throws UsageError for traffic or
/// distortion without a car. Throws it also for beams that neither divide the drive's nor are a multiple up
/// to 256.
TownSummary write_town(const TownOptions& options, const std::filesystem::path& folder,
                       const TownProgress& progress = {});

}  // namespace ndt::harness
