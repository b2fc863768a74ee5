// The poses that a search for places compares: positions one cell apart, headings one cell apart at the
// sketch's reach.
#pragma once

#include <cstdint>

#include "anywhere/place_view.hpp"
#include "ndt/initial_pose/place_pyramid.hpp"
#include "ndt/initial_pose/pose_prior.hpp"
#include "ndt/initial_pose/scan_sketch.hpp"

namespace ndt::initial_pose {

class PlaceLattice {
 public:
  PlaceLattice(const PlacePyramid& pyramid, const ScanSketch& sketch, const PlaceRegion& region);

  /// Positions along each axis; 0 if no point can meet the map.
  const Step& size() const { return size_; }
  int headings() const { return headings_; }
  bool empty() const { return size_.x == 0 || size_.y == 0 || size_.z == 0; }
  Vec3<double> position_m(const Step& step) const;
  double heading_rad(int heading) const;
  /// Writes the cells that hold the sketch's points at the first position.
  void cells_at(int heading, Step* cells) const;
  LatticeView view() const { return {size_, foot_, stands_}; }
  /// Whether the box of 2^level x 2^level positions from a step has one from which there is something to
  /// stand on; true where heights do not come from the map.
  bool may_stand(int level, const Step& from) const;
  /// Number of such positions in the box, none past the lattice's end.
  std::uint64_t count(int level, const Step& from) const;

 private:
  const PlacePyramid& pyramid_;
  const ScanSketch& sketch_;
  double first_m_[3] = {};
  Step size_;
  int headings_ = 1;
  double heading_step_rad_ = 0, first_heading_rad_ = 0;
  bool stands_ = false;
  Step foot_;  ///< the cell below the first position where the ground would be
};

}  // namespace ndt::initial_pose
