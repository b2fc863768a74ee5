#include "ndt/voxel/candidate_cells.hpp"

#include <algorithm>

namespace ndt {
namespace {

/// Low and high cell of the inner share of sorted coordinates, with a border for the voxels' reach.
struct Extent {
  int low, high;
  Extent(const std::vector<int>& sorted, double cut) {
    const auto skip = static_cast<std::size_t>(cut * static_cast<double>(sorted.size() - 1));
    low = std::max(sorted[skip] - 2, -kCellLimit);
    high = std::min(sorted[sorted.size() - 1 - skip] + 2, kCellLimit - 1);
  }
  unsigned size() const { return static_cast<unsigned>(high - low + 1); }
};

std::vector<int> sorted_axis(const std::vector<Cell>& cells, int Cell::*axis) {
  std::vector<int> values;
  values.reserve(cells.size());
  for (const Cell& c : cells) values.push_back(c.*axis);
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

CellWindow choose_window(const std::vector<Cell>& voxels, std::uint64_t max_cells) {
  const std::vector<int> x = sorted_axis(voxels, &Cell::x), y = sorted_axis(voxels, &Cell::y),
                         z = sorted_axis(voxels, &Cell::z);
  for (const double cut : {0.0, 0.0005, 0.005, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5}) {
    const Extent ex(x, cut), ey(y, cut), ez(z, cut);
    const std::uint64_t cells = std::uint64_t{ex.size()} * ey.size() * ez.size();
    if (cells <= max_cells) return {{ex.low, ey.low, ez.low}, ex.size(), ey.size(), ez.size(), nullptr};
  }
  return {};  // an empty window: every cell goes through the hash
}

}  // namespace ndt
