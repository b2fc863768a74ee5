// The town as a ray sees it: ground and solids, found cell by cell.
#pragma once

#include <cstdint>
#include <vector>

#include "town/ground.hpp"

namespace ndt::harness::town {

class World {
 public:
  World(Ground ground, std::vector<Solid> solids);

  const Ground& ground() const { return ground_; }
  const std::vector<Solid>& solids() const { return solids_; }

  /// Returns the distance to the ray's first hit, up to `farthest` [m], or kNoHit. The ray must begin within
  /// the area, above the ground and outside all solids; nothing is outside the area.
  double cast(const Ray& ray, double farthest) const;

 private:
  Ground ground_;
  std::vector<Solid> solids_;
  std::vector<std::uint32_t> first_in_cell_;  ///< cell k holds in_cells_[first_in_cell_[k]] up to [k + 1]
  std::vector<std::uint32_t> in_cells_;
};

}  // namespace ndt::harness::town
