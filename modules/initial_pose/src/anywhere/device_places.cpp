#include "ndt/initial_pose/device_places.hpp"

#include <algorithm>
#include <stdexcept>

#include "anywhere/level_search.hpp"
#include "anywhere/place_task.hpp"
#include "ndt/cuda/device.hpp"

namespace ndt::initial_pose {
namespace {

#ifdef NDT_WITH_CUDA
std::unique_ptr<LevelBackend> levels_of(const PlacePyramid& pyramid, int device, std::size_t boxes) {
  return make_cuda_levels(grids_of(pyramid), device,
                          std::max(boxes, std::size_t{1} << (2 * pyramid.levels())));
}
#else
std::unique_ptr<LevelBackend> levels_of(const PlacePyramid&, int, std::size_t) {
  throw std::runtime_error("places cannot be searched on a device: " + cuda_state().unavailable);
}
#endif

}  // namespace

DevicePlaces::DevicePlaces(const PlacePyramid& pyramid, int device, std::size_t boxes)
    : backend_(levels_of(pyramid, device, boxes)) {}

DevicePlaces::~DevicePlaces() = default;

}  // namespace ndt::initial_pose
