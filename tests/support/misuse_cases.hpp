// The misuse of users and broken sensors, and the answer each must get, through the library (misuse_test)
// and, through write_catalogue, the command line (test_misuse). The base scene is a room: map and scan of
// 20,000 points, the guess 0.3 m off, resolution 1 m.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "ndt/align/aligner.hpp"

namespace ndt::misuse {

struct Scene {
  PointCloud map, scan;
  Transform guess;
};

/// Clouds of the base scene and a guess 0.3 m from the true pose, the identity.
Scene base();

struct Case {
  std::string name;
  std::function<Scene()> scene;
  std::vector<Stop> stops;  ///< answers that are right
  std::string map_error =
      {};  ///< what an InputError of set_map says; where `stops` is empty too, one must come
  std::string scan_error = {};  ///< of align
  std::int64_t dropped_map = 0, dropped_scan = 0;
  bool pose_of_base = false;  ///< the same bits as the base scene's
};

/// A file may be one of the table's rows, a row of the table several cases.
const std::vector<Case>& cases();

/// A value that an option may not have.
struct BadOption {
  std::string name, value;  ///< as set_option() takes them, the value as a message prints it
  std::string bounds;
  /// Part of the refusal.
  std::string error() const { return "option " + name + " = " + value + ": must be in " + bounds; }
};
const std::vector<BadOption>& bad_options();

/// A guess that is not a rigid transform.
struct BadGuess {
  Transform guess;
  std::string error;            ///< part of the refusal: the property and its size
  std::string flag_error = {};  ///< part of the command line's refusal where it differs
};
std::vector<BadGuess> bad_guesses();

/// Autoware's options at the base scene's resolution.
AlignOptions base_options();

/// The base scene with its map about 5.4e6 m away: as float32 numbers, half a metre apart there, or as a
/// double origin and offsets from it.
Scene far_float();
Scene far_double();

}  // namespace ndt::misuse
