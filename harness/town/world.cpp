#include "town/world.hpp"

#include <algorithm>

namespace ndt::harness::town {
namespace {

/// One coordinate of a ray's way through the cells.
struct Track {
  Track(double from_m, double along_m, double first_border, int first_cell)
      : from(from_m), along(along_m), origin(first_border), cell(first_cell) {
    find_border();
  }
  void step() {
    cell += along > 0 ? 1 : -1;
    find_border();
  }

  double from, along, origin;
  int cell;
  double leaves = kNoHit;  ///< distance to the border where the ray leaves the cell

 private:
  void find_border() {
    if (along != 0) leaves = (origin + (along > 0 ? cell + 1 : cell) * Cells::kEdge - from) / along;
  }
};

/// Calls visit(column, row) for the cells that a solid's footprint touches.
template <class Visit>
void for_cells(const Cells& cells, const Solid& solid, const Visit& visit) {
  const Footprint f = footprint(solid);
  const int last_column = std::min(cells.column_of(f.x1), cells.columns - 1);
  const int last_row = std::min(cells.row_of(f.y1), cells.rows - 1);
  for (int row = std::max(cells.row_of(f.y0), 0); row <= last_row; ++row)
    for (int column = std::max(cells.column_of(f.x0), 0); column <= last_column; ++column) visit(column, row);
}

}  // namespace

World::World(Ground ground, std::vector<Solid> solids)
    : ground_(std::move(ground)), solids_(std::move(solids)) {
  const Cells& cells = ground_.cells();
  first_in_cell_.assign(cells.index(0, cells.rows) + 1, 0);
  for (const Solid& solid : solids_)
    for_cells(cells, solid, [&](int column, int row) { ++first_in_cell_[cells.index(column, row) + 1]; });
  for (std::size_t k = 1; k < first_in_cell_.size(); ++k) first_in_cell_[k] += first_in_cell_[k - 1];

  in_cells_.resize(first_in_cell_.back());
  std::vector<std::uint32_t> next(first_in_cell_);
  for (std::size_t i = 0; i < solids_.size(); ++i)
    for_cells(cells, solids_[i], [&](int column, int row) {
      in_cells_[next[cells.index(column, row)]++] = static_cast<std::uint32_t>(i);
    });
}

double World::cast(const Ray& ray, double farthest) const {
  const Cells& cells = ground_.cells();
  Track x(ray.from.x, ray.along.x, cells.x0, cells.column_of(ray.from.x));
  Track y(ray.from.y, ray.along.y, cells.y0, cells.row_of(ray.from.y));
  double nearest = kNoHit, enter = 0;
  while (cells.holds(x.cell, y.cell) && enter < farthest) {
    const double leave = std::min(std::min(x.leaves, y.leaves), farthest);
    const std::size_t cell = cells.index(x.cell, y.cell);
    for (std::uint32_t k = first_in_cell_[cell]; k < first_in_cell_[cell + 1]; ++k)
      nearest = std::min(nearest, hit(solids_[in_cells_[k]], ray));
    nearest = std::min(nearest, ground_.hit(ray, x.cell, y.cell, enter, leave));
    if (nearest <= leave) return nearest;
    (x.leaves < y.leaves ? x : y).step();
    enter = leave;
  }
  return kNoHit;
}

}  // namespace ndt::harness::town
