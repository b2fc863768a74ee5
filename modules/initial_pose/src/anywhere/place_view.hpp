// The maths of a search for places over plain arrays: the same source for threads and kernels.
#pragma once

#include <cstdint>

#include "ndt/core/hd.hpp"
#include "ndt/initial_pose/pooled_view.hpp"

namespace ndt::initial_pose {

/// A position, in steps from the lattice's first, or a cell of the pyramid.
struct Step {
  int x = 0, y = 0, z = 0;
};

/// A box of positions at one height.
struct Box {
  Step from;
  std::uint64_t poses = 0;
};

/// A box at a heading, and what none of its poses exceeds. The box of level 0 is a pose, and has its score.
struct Node {
  int bound = 0, heading = 0;
  Step from;
};

struct LatticeView {
  Step size;  ///< positions along each axis
  Step foot;  ///< the cell below the first position where the ground would be
  bool stands = false;
};

/// All that a search reads.
struct PlaceView {
  PooledView values[PooledView::kMostLevels + 1], footing[PooledView::kMostLevels + 1];
  int levels = 0;
  LatticeView lattice;
  int headings = 0, points = 0;
  const Step* cells = nullptr;  ///< of the points at the first position: [headings][points]

  NDT_HD const Step* cells_at(int heading) const {
    return cells + static_cast<std::uint64_t>(heading) * static_cast<std::uint64_t>(points);
  }
};

/// One thread, which sums alone.
struct OneLane {
  NDT_HD static int rank() { return 0; }
  NDT_HD static constexpr int width() { return 1; }
  NDT_HD static int sum(int value) { return value; }
};

/// Points after which a sum that cannot become `least` any more is given up.
inline constexpr int kPointsBetweenChecks = 32;

/// Sum of the values at a box; 0 if it is below `least`. All lanes get it.
template <class Lanes>
NDT_BODY inline int sum_at(const Lanes& lanes, const PooledView& grid, const Step* cells, int points,
                           const Step& from, int least) {
  int sum = 0;
  for (int first = 0; first < points; first += kPointsBetweenChecks) {
    const int end = first + kPointsBetweenChecks < points ? first + kPointsBetweenChecks : points;
    int part = 0;
    for (int i = first + lanes.rank(); i < end; i += lanes.width())
      part += grid.at(cells[i].x + from.x, cells[i].y + from.y, cells[i].z + from.z);
    sum += lanes.sum(part);
    if (sum + (points - end) * PooledView::kFull < least) return 0;
  }
  return sum;
}

/// Whether the box from a step has a position from which there is something to stand on; true where heights
/// do not come from the map. footing: the level of the box.
NDT_HD inline bool may_stand(const LatticeView& lattice, const PooledView& footing, const Step& from) {
  return !lattice.stands ||
         footing.at(lattice.foot.x + from.x, lattice.foot.y + from.y, lattice.foot.z + from.z) != 0;
}

/// One of the four quarters of a box, with bound 0 if it holds no wanted pose. level: that of the box.
template <class Lanes>
NDT_BODY inline Node quarter(const Lanes& lanes, const PlaceView& view, int level, const Node& box, int which,
                             int least) {
  const int half = 1 << (level - 1);
  Node child;
  child.heading = box.heading;
  child.from = {box.from.x + (which & 1) * half, box.from.y + (which >> 1) * half, box.from.z};
  if (child.from.x < view.lattice.size.x && child.from.y < view.lattice.size.y &&
      may_stand(view.lattice, view.footing[level - 1], child.from))
    child.bound =
        sum_at(lanes, view.values[level - 1], view.cells_at(box.heading), view.points, child.from, least);
  return child;
}

/// To one pose of a box, by the best bounds.
template <class Lanes>
NDT_BODY inline Node dive(const Lanes& lanes, const PlaceView& view, Node box) {
  for (int level = view.levels; level > 0; --level) {
    Node best = quarter(lanes, view, level, box, 0, 1);
    for (int i = 1; i < 4; ++i) {
      const Node other = quarter(lanes, view, level, box, i, 1);
      if (other.bound > best.bound) best = other;
    }
    box = best;
  }
  return box;
}

/// Number of a position at a heading.
NDT_HD inline std::uint64_t number_of(const Step& size, int heading, const Step& step) {
  const auto n = [](int value) { return static_cast<std::uint64_t>(value); };
  return ((n(heading) * n(size.z) + n(step.z)) * n(size.y) + n(step.y)) * n(size.x) + n(step.x);
}

}  // namespace ndt::initial_pose
