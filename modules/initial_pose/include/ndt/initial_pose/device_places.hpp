// The grids of a pyramid on a GPU, for find_places() to search there.
#pragma once

#include <cstddef>
#include <memory>

#include "ndt/initial_pose/place_pyramid.hpp"

namespace ndt::initial_pose {

/// Scores the boxes of a level on the device; not for callers.
class LevelBackend;

/// Made once for a pyramid and any number of searches, one at a time. Compiles and throws without CUDA too.
class DevicePlaces {
 public:
  /// Boxes of a level that there is room for at once, but never fewer than a single root can have.
  static constexpr std::size_t kBoxes = std::size_t{1} << 18;

  /// Copies the grids. Throws std::invalid_argument if there is no such device, std::runtime_error in a build
  /// without CUDA, cuda::Error where the device fails or has too little memory; searches throw the last too.
  explicit DevicePlaces(const PlacePyramid& pyramid, int device = 0, std::size_t boxes = kBoxes);
  ~DevicePlaces();
  DevicePlaces(const DevicePlaces&) = delete;
  DevicePlaces& operator=(const DevicePlaces&) = delete;

  /// For find_places(); not for callers.
  LevelBackend& backend() { return *backend_; }

 private:
  std::unique_ptr<LevelBackend> backend_;
};

}  // namespace ndt::initial_pose
