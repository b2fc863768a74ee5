// A dataset of a benchmark: frames, each a scan with its guesses and perhaps its truth, and the map that they
// are registered onto.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io_names.hpp"
#include "data/preparation.hpp"
#include "ndt/core/point_cloud.hpp"
#include "ndt/core/pose.hpp"
#include "ndt/io/trajectory.hpp"
#include "ndt/localization/stamped_pose.hpp"

namespace ndt::harness {

/// A guess relative to the truth, in the truth's frame; angles in degrees.
struct GuessOffset {
  double x_m = 0, y_m = 0, z_m = 0, yaw_deg = 0;
};

struct NamedGuess {
  std::string name;
  Transform map_from_scan;
  std::optional<GuessOffset> offset{};  ///< of guesses on a grid
};

struct Frame {
  std::string name;
  std::optional<Transform> truth;  ///< map_from_scan
  std::vector<NamedGuess> guesses;
  std::optional<double> stamp_s{};  ///< time of the scan, where there are times
};

/// How good a dataset's truth is, and which distance from it counts as success.
struct TruthFacts {
  std::string quality;  ///< one line; empty without truth
  bool exact = false;
  double accuracy_m = 0;  ///< smaller errors are within the truth's own error
  double success_translation_m = 0.2, success_rotation_deg = 1.0;
};

/// All scans of a dataset without a map, in their order, to be followed through another map.
struct Recording {
  std::vector<std::string> names;
  std::vector<double> times_s;  ///< empty where there are none
  std::function<PointCloud(std::size_t scan)> raw_scan;
};

/// Clouds are read when asked for, and prepared (filtered) as the dataset says.
struct Dataset {
  std::string name, description;
  /// scan_to_map, sequence (every scan onto the one before it), pair, or no_pose: a scan that does not belong
  /// on its map, so that every pose is wrong
  std::string kind = "scan_to_map";
  std::string licence, source, preparation;
  std::vector<std::string> notes;  ///< lines that a person should read
  double resolution_m = 2.0;
  TruthFacts truth;
  std::vector<Frame> frames;
  std::vector<StampedTransform> odometry;          ///< of another sensor, in a world of its own; may be empty
  std::vector<StampedTransform> gnss;              ///< positions of the scanner in the map; may be empty
  std::vector<localization::StampedImu> imu;       ///< in the scanner's axes; may be empty
  std::vector<localization::StampedTwist> twists;  ///< of the scanner; may be empty
  bool one_map = true;                             ///< the same for every frame
  std::function<PointCloud(std::size_t frame)> map, scan;
  std::function<PointCloud(std::size_t frame)> raw_scan;  ///< not yet filtered; empty where scans are made
  ScanPreparation scan_preparation;                       ///< makes a scan of a raw one
  ScanPreparation map_preparation;                        ///< of a map that is read from a file
  std::string raw_density = "raw";                        ///< says how raw scans are thinned already
  std::optional<Recording> recording;                     ///< of kind sequence
};

struct DatasetInfo {
  std::string name, description;
  std::string unavailable_reason;  ///< empty = it can be loaded
};

}  // namespace ndt::harness
