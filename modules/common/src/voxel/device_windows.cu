// The sums of fine cells, and of cells of twice and four times their edge, in hashes; then a thread for each
// window.
#include <algorithm>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>
#include <limits>
#include <optional>

#include "cub_call.cuh"
#include "device_placing.cuh"
#include "device_room.cuh"
#include "device_sorted_points.cuh"
#include "device_statistics.cuh"
#include "device_windows.cuh"
#include "ndt/voxel/voxel_map.hpp"
#include "ndt/voxel/windows.hpp"

namespace ndt {
namespace {

/// The slot of a key in a hash, and whether it is new there.
struct Entered {
  CellEntry* entry;
  bool is_new;
};

__device__ Entered enter(CellEntry* entries, std::uint64_t mask, Key key) {
  using Word = unsigned long long;
  static_assert(sizeof(Word) == sizeof(Key));
  for (std::uint64_t i = hash_key(key) & mask;; i = (i + 1) & mask) {
    const Word before =
        atomicCAS(reinterpret_cast<Word*>(&entries[i].key), Word{CellEntry::kNoKey}, Word{key});
    if (before == CellEntry::kNoKey) return {entries + i, true};
    if (before == key) return {entries + i, false};
  }
}

/// Enters the runs as the cells of the finest layer.
__global__ void fine_kernel(SortedNumbers numbers, const unsigned* starts, unsigned runs,
                            const VoxelSums* sums, CellEntry* entries, std::uint64_t mask, Key* keys,
                            Moments* moments) {
  const unsigned run = blockIdx.x * blockDim.x + threadIdx.x;
  if (run >= runs) return;
  const Key key = numbers.key(starts[run]);
  enter(entries, mask, key).entry->first = run;
  keys[run] = key;
  moments[run] = {static_cast<double>(sums[run].n), sums[run].sum, sums[run].second};
}

/// Enters the parents of a layer's cells, in any order.
__global__ void parent_kernel(CellLayer fine, const Key* fine_keys, unsigned cells, CellEntry* entries,
                              std::uint64_t mask, Key* keys, unsigned* count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= cells) return;
  const Key key = pack(fine.parent(unpack(fine_keys[i])));
  const Entered entered = enter(entries, mask, key);
  if (!entered.is_new) return;
  const unsigned index = atomicAdd(count, 1U);
  entered.entry->first = index;
  keys[index] = key;
}

__global__ void children_kernel(CellLayer fine, CellLayer layer, const Key* keys, unsigned cells,
                                Moments* moments) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < cells) moments[i] = fine.children(layer, unpack(keys[i]));
}

/// Writes the children of a layer's cells; beyond the limits, the nearest child once more.
__global__ void asked_kernel(CellLayer fine, CellLayer layer, const Key* keys, unsigned cells, Key* out) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= 8 * std::size_t{cells}) return;
  const Cell low = fine.first_child(layer, unpack(keys[i / 8]));
  const auto within = [](int c) {
    return c < -kCellLimit ? -kCellLimit : c >= kCellLimit ? kCellLimit - 1 : c;
  };
  const int child = static_cast<int>(i % 8);
  out[i] =
      pack({within(low.x + (child & 1)), within(low.y + (child >> 1 & 1)), within(low.z + (child >> 2))});
}

/// One thread per cell, and one more that sets is_voxel[n] = 0 and clears the census.
__global__ void window_kernel(WindowRule rule, const Key* keys, unsigned n, Voxel* windows,
                              unsigned* is_voxel, OpenCensus* census) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  if (i == n) *census = OpenCensus{};
  VoxelStatistics window;
  const bool valid = i < n && rule(unpack(keys[i]), window);
  if (valid) windows[i] = to_voxel(window);
  is_voxel[i] = valid ? 1 : 0;
}

/// The memory of a CellLayer; keys in any order.
class DeviceLayer {
 public:
  DeviceLayer(cuda::Context& context, unsigned most_cells)
      : context_(context), memory_(context), moments_(context) {
    const std::uint64_t slots = hash_slots(most_cells);
    require_device_room(context, device_layer_bytes(most_cells));
    memory_.reserve({slots, most_cells, 1});
    mask = slots - 1;
    context.fill_bytes(entries(), 0xFF, slots * sizeof(CellEntry));  // kNoKey
    context.fill_bytes(count(), 0, sizeof(unsigned));
  }
  CellEntry* entries() const { return memory_.data<0>(); }
  Key* keys() const { return memory_.data<1>(); }
  Moments* moments() const { return moments_.data(); }
  void reserve_moments(unsigned cells) { moments_.reserve(cells); }
  unsigned* count() const { return memory_.data<2>(); }
  /// Waits for the device.
  unsigned counted() const {
    unsigned cells = 0;
    context_.fetch(&cells, count(), sizeof cells);
    return cells;
  }
  void show(CellLayer& view) const { view.entries = entries(), view.mask = mask, view.sums = moments(); }

  std::uint64_t mask = 0;

 private:
  cuda::Context& context_;
  cuda::DeviceArrays<CellEntry, Key, unsigned> memory_;
  cuda::DeviceBuffer<Moments> moments_;
};

/// All layers of the points' cells.
class DeviceLayers {
 public:
  DeviceLayers(cuda::Context& context, const SortedPoints& sorted, const VoxelSums* sums,
               const MapOrigin& origin, const AlignOptions& options)
      : rule{{}, options.finish_min_points, options.finish_eigenvalue_ratio},
        fine_(context, sorted.runs()),
        coarse_(context, sorted.runs()),
        coarsest_(context, sorted.runs()) {
    const double edge_m = finish_cell_m(options);
    rule.layers[0] = {
        edge_m, {origin.cell[0], origin.cell[1], origin.cell[2]}, origin.position(edge_m), nullptr, 0,
        nullptr};
    fine_.reserve_moments(sorted.runs());
    context.launch(fine_kernel, cuda::grid_for(sorted.runs()), sorted.numbers(), sorted.starts(),
                   sorted.runs(), sums, fine_.entries(), fine_.mask, fine_.keys(), fine_.moments());
    fine_.show(rule.layers[0]);
    coarse_cells_ = add(context, fine_, sorted.runs(), coarse_, 1);
    add(context, coarse_, coarse_cells_, coarsest_, 2);
  }

  /// In any order.
  const Key* coarse_keys() const { return coarse_.keys(); }
  unsigned coarse_cells() const { return coarse_cells_; }

  WindowRule rule;

 private:
  /// Fills a layer from the one before. Returns its number of cells.
  unsigned add(cuda::Context& context, const DeviceLayer& from, unsigned cells, DeviceLayer& to, int index) {
    const CellLayer& fine = rule.layers[index - 1];
    CellLayer& layer = rule.layers[index] = fine.next();
    context.launch(parent_kernel, cuda::grid_for(cells), fine, from.keys(), cells, to.entries(), to.mask,
                   to.keys(), to.count());
    const unsigned count = to.counted();
    to.reserve_moments(count);
    to.show(layer);
    context.launch(children_kernel, cuda::grid_for(count), fine, layer, to.keys(), count, to.moments());
    return count;
  }

  DeviceLayer fine_, coarse_, coarsest_;
  unsigned coarse_cells_ = 0;
};

/// The keys of the cells that may have a window, sorted.
class AskedCells {
 public:
  /// Waits for the device.
  AskedCells(cuda::Context& context, const DeviceLayers& layers) : memory_(context) {
    const std::size_t n = 8 * std::size_t{layers.coarse_cells()};
    if (n > std::numeric_limits<unsigned>::max())
      refuse_so_many_voxels(Limits::kVoxels, layers.rule.layers[0].edge_m);
    require_device_room(context, device_asked_bytes(n));
    cuda::DeviceBuffer<Key> room(context, 2 * n);
    cub::DoubleBuffer<Key> all(room.data(), room.data() + n);
    const auto sort = [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortKeys(scratch, bytes, all, n, 0, kKeyBits, context.stream());
    };
    cuda::DeviceBuffer<unsigned> found(context, 1);
    memory_.reserve(n);
    const auto unique = [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceSelect::Unique(scratch, bytes, all.Current(), memory_.data(), found.data(), n,
                                       context.stream());
    };
    constexpr const char *kSort = "cub::DeviceRadixSort::SortKeys", *kUnique = "cub::DeviceSelect::Unique";
    const std::size_t bytes = std::max(cub_bytes(context, kSort, sort), cub_bytes(context, kUnique, unique));
    const cuda::DeviceBuffer<std::byte> scratch(context, bytes);
    context.launch(asked_kernel, cuda::grid_for(n), layers.rule.layers[0], layers.rule.layers[1],
                   layers.coarse_keys(), layers.coarse_cells(), all.Current());
    cub_call(context, scratch.data(), bytes, kSort, 2 + kKeyBits / 8 + 1, sort);
    cub_call(context, scratch.data(), bytes, kUnique, 2, unique);
    context.fetch(&count_, found.data(), sizeof count_);
  }
  const Key* keys() const { return memory_.data(); }
  unsigned count() const { return count_; }

 private:
  cuda::DeviceBuffer<Key> memory_;
  unsigned count_ = 0;
};

/// The box with the cells that touch it: children of the same cells reach no farther.
CellWindow widened(const CellWindow& box) {
  return {{box.low.x - 1, box.low.y - 1, box.low.z - 1}, box.nx + 2, box.ny + 2, box.nz + 2, nullptr};
}

struct WindowRuns {
  const Key* keys;
  const Voxel* windows;
  const unsigned* is_voxel;

  __device__ Key key(unsigned run) const { return keys[run]; }
  __device__ unsigned slot(unsigned run, Key) const { return run; }
  __device__ const Voxel* found(unsigned run) const { return is_voxel[run] != 0 ? windows + run : nullptr; }
};

}  // namespace

VoxelCensus make_windows(cuda::Context& context, const MapPoints& points, const MapOrigin& origin,
                         const AlignOptions& options, VoxelTable& out, ListCounts& counts) {
  if (points.size == 0) return {};
  AlignOptions cells = window_options(options);
  cells.min_points = 1;
  std::optional<DeviceLayers> layers;
  unsigned runs = 0;
  {
    const SortedPoints sorted(context, points, 1.0F / static_cast<float>(cells.resolution_m), 1);
    runs = sorted.runs();
    counts.begin(widened(sorted.numbers().box));
    require_device_room(context, runs * sizeof(VoxelSums));
    const cuda::DeviceBuffer<VoxelSums> sums(context, runs);
    sum_runs(context, points, sorted, cells, sums.data());
    layers.emplace(context, sorted, sums.data(), origin, options);
  }
  const AskedCells asked(context, *layers);
  const unsigned n = asked.count();
  require_device_room(context, device_windows_bytes(n));
  const std::size_t slots = n + std::size_t{1}, scratch_bytes = slot_scan_bytes(context, n);
  const cuda::DeviceArrays<Voxel, unsigned, unsigned, OpenCensus, std::byte> memory(
      context, {n, slots, slots, 1, scratch_bytes});
  const auto [windows, is_voxel, positions, census, scratch] = memory.data();
  context.launch(window_kernel, cuda::grid_for(n + 1LL), layers->rule, asked.keys(), n, windows, is_voxel,
                 census);
  VoxelCensus made =
      place_voxels(context, WindowRuns{asked.keys(), windows, is_voxel}, n,
                   {is_voxel, positions, n, census, scratch, scratch_bytes}, cells, out, counts.framed());
  if (made.voxels == 0) made.occupied = runs;
  return made;
}

}  // namespace ndt
