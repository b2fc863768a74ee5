// What users and broken sensors hand to an aligner, and the answer each must get. The base scene is a room:
// map and scan of 20,000 points, the guess 0.3 m off, resolution 1 m.
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

/// Autoware's options at the base scene's resolution.
AlignOptions base_options();

/// The base scene with its map about 5.4e6 m away: as float32 numbers, half a metre apart there, or as a
/// double origin and offsets from it.
Scene far_float();
Scene far_double();

}  // namespace ndt::misuse
