#include "ndt/voxel/near_voxels.hpp"

#include <algorithm>

namespace ndt {
namespace {

std::vector<int> sorted_axis(const std::vector<Cell>& cells, int Cell::*axis) {
  std::vector<int> values;
  values.reserve(cells.size());
  for (const Cell& c : cells) values.push_back(c.*axis);
  std::sort(values.begin(), values.end());
  return values;
}

}  // namespace

std::optional<CellWindow> window_around(const Cell& low, const Cell& high, std::uint64_t max_cells) {
  const auto first = [](int c) { return std::max(c - kWindowBorder, -kCellLimit); };
  const auto size = [&](int l, int h) {
    return static_cast<unsigned>(std::min(h + kWindowBorder, kCellLimit - 1) - first(l) + 1);
  };
  const CellWindow window{{first(low.x), first(low.y), first(low.z)},
                          size(low.x, high.x),
                          size(low.y, high.y),
                          size(low.z, high.z),
                          nullptr};
  if (window.cells() > max_cells) return std::nullopt;
  return window;
}

std::optional<CellWindow> window_of_all(const std::vector<Cell>& voxels, std::uint64_t max_cells) {
  Cell low = voxels.front(), high = low;
  for (const Cell& c : voxels) {
    low = {std::min(low.x, c.x), std::min(low.y, c.y), std::min(low.z, c.z)};
    high = {std::max(high.x, c.x), std::max(high.y, c.y), std::max(high.z, c.z)};
  }
  return window_around(low, high, max_cells);
}

CellWindow choose_window(const std::vector<Cell>& voxels, std::uint64_t max_cells) {
  if (const auto whole = window_of_all(voxels, max_cells)) return *whole;  // without a sort: most maps fit
  const std::vector<int> x = sorted_axis(voxels, &Cell::x), y = sorted_axis(voxels, &Cell::y),
                         z = sorted_axis(voxels, &Cell::z);
  for (const double cut : kWindowCuts) {
    const std::size_t first = first_kept(cut, voxels.size()), last = voxels.size() - 1 - first;
    if (const auto window =
            window_around({x[first], y[first], z[first]}, {x[last], y[last], z[last]}, max_cells))
      return *window;
  }
  return {};  // an empty window: every cell goes through the hash
}

}  // namespace ndt
