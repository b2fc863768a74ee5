#include "ndt/voxel/windows.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "ndt/voxel/cell_sums.hpp"

namespace ndt {
namespace {

constexpr int kLayers = 3;

/// Cells of one edge and their sums, found by a hash.
class Layer {
 public:
  /// origin: the cell of the global grid that cells are relative to, one coordinate an axis.
  Layer(double edge_m, const MapOrigin& origin, const Vec3<double>& zero, std::size_t cells)
      : edge_m_(edge_m),
        origin_(origin),
        zero_(zero),
        mask_(std::bit_ceil(2 * std::max<std::size_t>(cells, 1)) - 1),
        slots_(mask_ + 1, {CellEntry::kNoKey, 0}) {
    sums_.reserve(cells);
    keys_.reserve(cells);
  }

  /// Map-local position of a cell's centre.
  Vec3<double> centre(const Cell& c) const {
    const auto axis = [&](int cell, int k) {
      return (static_cast<double>(origin_.cell[k] + cell) + 0.5) * edge_m_;
    };
    return Vec3<double>{axis(c.x, 0), axis(c.y, 1), axis(c.z, 2)} - zero_;
  }
  /// The cell of twice the edge that holds a cell, relative to the coarser origin.
  Cell parent(const Cell& c) const {
    const auto axis = [&](int cell, int k) {
      return static_cast<int>(((origin_.cell[k] + cell) >> 1) - (origin_.cell[k] >> 1));
    };
    return {axis(c.x, 0), axis(c.y, 1), axis(c.z, 2)};
  }
  MapOrigin parent_origin() const {
    return {{origin_.cell[0] >> 1, origin_.cell[1] >> 1, origin_.cell[2] >> 1}};
  }

  /// The sums of a cell about its centre, which are made if need be.
  Moments& at(const Cell& cell) {
    Slot& slot = slots_[find(pack(cell))];
    if (slot.key == CellEntry::kNoKey) {
      slot = {pack(cell), static_cast<std::uint32_t>(sums_.size())};
      sums_.emplace_back();
      keys_.push_back(slot.key);
    }
    return sums_[slot.index];
  }
  const std::vector<std::uint64_t>& keys() const { return keys_; }
  const Moments& sums(std::size_t k) const { return sums_[k]; }
  double edge_m() const { return edge_m_; }

  /// Sums of the 3 x 3 x 3 cells around one, about a place.
  Moments around(const Cell& own, const Vec3<double>& place) const {
    Moments total;
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
          const Cell cell{own.x + dx, own.y + dy, own.z + dz};
          if (!in_limits(cell)) continue;
          const Slot& slot = slots_[find(pack(cell))];
          if (slot.key != CellEntry::kNoKey) add_moved(sums_[slot.index], centre(cell) - place, total);
        }
    return total;
  }

 private:
  struct Slot {
    std::uint64_t key;
    std::uint32_t index;
  };
  /// The slot that has the key, or is free for it.
  std::size_t find(std::uint64_t key) const {
    std::size_t i = hash_key(key) & mask_;
    while (slots_[i].key != key && slots_[i].key != CellEntry::kNoKey) i = (i + 1) & mask_;
    return i;
  }

  double edge_m_;
  MapOrigin origin_;
  Vec3<double> zero_;
  std::size_t mask_;
  std::vector<Slot> slots_;
  std::vector<Moments> sums_;
  std::vector<std::uint64_t> keys_;
};

/// The cells with points, fine to coarse. zero: the map's origin [m].
std::vector<Layer> layers_of(const SummedCells& summed, const MapOrigin& origin, double edge_m) {
  const Vec3<double> zero = origin.position(edge_m);
  std::vector<Layer> layers;
  layers.emplace_back(edge_m, origin, zero, summed.cells.size());
  for (const SummedCell& one : summed.cells)
    layers[0].at(one.cell) = {static_cast<double>(one.sums.n), one.sums.sum, one.sums.second};
  for (int l = 1; l < kLayers; ++l) {
    const Layer& fine = layers.back();
    Layer coarse(2 * fine.edge_m(), fine.parent_origin(), zero, fine.keys().size());
    for (std::size_t k = 0; k < fine.keys().size(); ++k) {
      const Cell cell = unpack(fine.keys()[k]), parent = fine.parent(cell);
      add_moved(fine.sums(k), fine.centre(cell) - coarse.centre(parent), coarse.at(parent));
    }
    layers.push_back(std::move(coarse));
  }
  return layers;
}

/// Every cell that has points or touches one that has, once, by increasing key.
std::vector<std::uint64_t> touched(const Layer& layer) {
  std::vector<std::uint64_t> keys;
  keys.reserve(27 * layer.keys().size());
  for (const std::uint64_t key : layer.keys()) {
    const Cell c = unpack(key);
    for (int dz = -1; dz <= 1; ++dz)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          if (const Cell near{c.x + dx, c.y + dy, c.z + dz}; in_limits(near)) keys.push_back(pack(near));
  }
  std::ranges::sort(keys);
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

}  // namespace

std::int64_t for_each_window(const MapPoints& points, const MapOrigin& origin, const AlignOptions& options,
                             const std::function<void(const Cell&, const VoxelStatistics&)>& f) {
  const double edge_m = finish_cell_m(options);
  const SummedCells summed = sum_cells(points, edge_m, 1, most_counted_cells(points.size));
  const std::vector<Layer> layers = layers_of(summed, origin, edge_m);
  for (const std::uint64_t key : touched(layers[0])) {
    const Vec3<double> place = layers[0].centre(unpack(key));
    Cell cell = unpack(key);
    for (const Layer& layer : layers) {
      const Moments sums = layer.around(cell, place);
      VoxelStatistics window;
      if (sums.n >= options.finish_min_points &&
          make_window(sums, place, options.finish_eigenvalue_ratio, window)) {
        f(unpack(key), window);
        break;
      }
      cell = layer.parent(cell);
    }
  }
  return summed.occupied;
}

}  // namespace ndt
