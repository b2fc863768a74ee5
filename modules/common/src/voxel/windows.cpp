#include "ndt/voxel/windows.hpp"

#include <algorithm>

#include "ndt/exec/host_team.hpp"
#include "ndt/voxel/cell_sums.hpp"
#include "ndt/voxel/near_voxels.hpp"

namespace ndt {
namespace {

/// The sums of the 3 x 3 x 3 cells around one cell after another, by increasing key. Each of the nine rows of
/// cells is read on from where it was, so no cell is searched for.
class NearRows {
 public:
  /// keys: of all cells, increasing. first: the first cell that is asked for.
  NearRows(const CellLayer& layer, const std::vector<std::uint64_t>& keys, const Cell& first)
      : layer_(layer), keys_(keys) {
    std::size_t* at = at_;
    for_each_row(first, [&](std::uint64_t low, std::uint64_t high) {
      const auto found = low > high ? keys_.begin() : std::ranges::lower_bound(keys_, low);
      *at++ = static_cast<std::size_t>(found - keys_.begin());
    });
  }

  /// Adds in the order of CellLayer::around(), so that the bits are the same.
  Moments around(const Cell& c, const Vec3<double>& place) {
    Moments total;
    std::size_t* at = at_;
    for_each_row(c, [&](std::uint64_t low, std::uint64_t high) {
      if (low > high) return void(++at);
      while (*at < keys_.size() && keys_[*at] < low) ++*at;
      for (std::size_t i = *at++; i < keys_.size() && keys_[i] <= high; ++i)
        add_moved(layer_.sums[i], layer_.centre(unpack(keys_[i])) - place, total);
    });
    return total;
  }

 private:
  /// Calls f(first key, last key) for each row; beyond the limits the last is before the first.
  template <class F>
  static void for_each_row(const Cell& c, F&& f) {
    const int low = std::max(c.x - 1, -kCellLimit), high = std::min(c.x + 1, kCellLimit - 1);
    for (int z = c.z - 1; z <= c.z + 1; ++z)
      for (int y = c.y - 1; y <= c.y + 1; ++y)
        if (in_limits({c.x, y, z}))
          f(pack({low, y, z}), pack({high, y, z}));
        else
          f(1, 0);
  }

  const CellLayer& layer_;
  const std::vector<std::uint64_t>& keys_;
  std::size_t at_[9];
};

}  // namespace

AlignOptions window_options(const AlignOptions& options) {
  AlignOptions fine = options;
  fine.resolution_m = finish_cell_m(options);
  fine.neighbours = Neighbours::direct1;
  fine.min_points = options.finish_min_points;
  return fine;
}

ChangedWindows::ChangedWindows(std::span<const PointBox> boxes, const MapOrigin& origin,
                               const AlignOptions& options)
    : origin_(origin),
      shift_(Vec3<double>{} - origin.position(options.resolution_m)),
      inverse_edge_(1.0F / static_cast<float>(options.resolution_m)) {
  for (const PointBox& box : boxes) {
    Cell low, high;
    if (!cell_of(local(box.low), inverse_edge_, low) || !cell_of(local(box.high), inverse_edge_, high))
      all_ = true;
    ranges_.push_back({{coarse(low.x, 0), coarse(low.y, 1), coarse(low.z, 2)},
                       {coarse(high.x, 0), coarse(high.y, 1), coarse(high.z, 2)}});
  }
}

std::int64_t ChangedWindows::coarse(int coordinate, int k) const {
  return (origin_.cell[k] + coordinate) >> (WindowRule::kLayers - 1);
}

bool ChangedWindows::is_near(const Cell& cell, int cells) const {
  const std::int64_t at[3] = {coarse(cell.x, 0), coarse(cell.y, 1), coarse(cell.z, 2)};
  return std::ranges::any_of(ranges_, [&](const Range& range) {
    for (int k = 0; k < 3; ++k)
      if (at[k] < range.low[k] - cells || at[k] > range.high[k] + cells) return false;
    return true;
  });
}

bool ChangedWindows::reads(const Point& p) const {
  Cell cell;
  return !cell_of(local(p), inverse_edge_, cell) || is_near(cell, 2);
}

/// Makes the hash of the keys, which may repeat, and numbers them; keeps each once.
void Windows::Layer::enter_keys(CellLayer& view) {
  entries.assign(hash_slots(keys.size()), {});
  view.entries = entries.data(), view.mask = entries.size() - 1;
  std::uint32_t count = 0;
  for (const std::uint64_t key : keys) {
    std::uint64_t i = hash_key(key) & view.mask;
    while (entries[i].key != key && entries[i].key != CellEntry::kNoKey) i = (i + 1) & view.mask;
    if (entries[i].key == key) continue;
    entries[i] = {key, count, 1};
    keys[count++] = key;
  }
  keys.resize(count);
}

Windows::Windows(const MapPoints& points, const MapOrigin& origin, const AlignOptions& options)
    : rule_{{}, options.finish_min_points, options.finish_eigenvalue_ratio}, threads_(options.threads) {
  const double edge_m = finish_cell_m(options);
  const SummedCells summed = sum_cells(points, edge_m, 1, most_counted_fine_cells(points.size));
  occupied_ = summed.occupied;
  if (occupied_ == 0) return;
  layers_[0].keys.reserve(summed.cells.size()), layers_[0].sums.reserve(summed.cells.size());
  for (const SummedCell& one : summed.cells) {
    layers_[0].keys.push_back(pack(one.cell));
    layers_[0].sums.push_back({static_cast<double>(one.sums.n), one.sums.sum, one.sums.second});
  }
  rule_.layers[0] = {
      edge_m, {origin.cell[0], origin.cell[1], origin.cell[2]}, origin.position(edge_m), nullptr, 0, nullptr};
  for (int l = 0; l < WindowRule::kLayers; ++l) {
    CellLayer& layer = rule_.layers[l];
    if (l > 0) {
      const CellLayer& fine = rule_.layers[l - 1];
      layer = fine.next();
      layers_[l].keys.reserve(layers_[l - 1].keys.size());
      for (const std::uint64_t key : layers_[l - 1].keys)
        layers_[l].keys.push_back(pack(fine.parent(unpack(key))));
    }
    layers_[l].enter_keys(layer);
    if (l > 0)
      for (const std::uint64_t key : layers_[l].keys)
        layers_[l].sums.push_back(rule_.layers[l - 1].children(layer, unpack(key)));
    layer.sums = layers_[l].sums.data();
  }
  ask_children();
}

void Windows::ask_children() {
  const CellLayer &fine = rule_.layers[0], &coarse = rule_.layers[1];
  asked_.reserve(8 * layers_[1].keys.size());
  for (const std::uint64_t key : layers_[1].keys) {
    const Cell low = fine.first_child(coarse, unpack(key));
    for (int child = 0; child < 8; ++child)
      if (const Cell cell{low.x + (child & 1), low.y + (child >> 1 & 1), low.z + (child >> 2)};
          in_limits(cell))
        asked_.push_back(pack(cell));
  }
  std::ranges::sort(asked_);
}

/// Fits the windows of the cells asked_[first, end). n = 0 where there is none.
void Windows::fit(std::size_t first, std::size_t end, VoxelStatistics* out) const {
  NearRows rows(rule_.layers[0], layers_[0].keys, unpack(asked_[first]));
  for (std::size_t i = first; i < end; ++i, ++out) {
    const Cell cell = unpack(asked_[i]);
    if (!rule_.fit(cell, rows.around(cell, rule_.layers[0].centre(cell)), *out)) out->n = 0;
  }
}

void Windows::for_each(const std::function<void(const Cell&, const VoxelStatistics&)>& f) const {
  constexpr std::size_t kTask = 512, kRoom = 128 * kTask;
  HostPool pool(threads_);
  std::vector<VoxelStatistics> room(std::min(kRoom, asked_.size()));
  for (std::size_t first = 0; first < asked_.size(); first += room.size()) {
    const std::size_t count = std::min(room.size(), asked_.size() - first);
    pool.for_each((count + kTask - 1) / kTask, [&](auto& team, std::size_t task) {
      team.once([&] {
        const std::size_t begin = task * kTask;
        fit(first + begin, first + std::min(count, begin + kTask), room.data() + begin);
      });
    });
    for (std::size_t i = 0; i < count; ++i)
      if (room[i].n > 0) f(unpack(asked_[first + i]), room[i]);
  }
}

}  // namespace ndt
