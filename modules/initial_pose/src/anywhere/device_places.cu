// The search for places on a device: a thread bounds a root, a warp a box of the levels below.
#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>
#include <stdexcept>

#include "anywhere/level_kernels.cuh"
#include "anywhere/level_search.hpp"
#include "ndt/cuda/buffer.cuh"
#include "ndt/cuda/device.hpp"

namespace ndt::initial_pose {
namespace {

bool same_extent(const PooledView& a, const PooledView& b) {
  return std::equal(a.size, a.size + 3, b.size) && a.offset == b.offset;
}

std::size_t cells_of(const PooledView& grid) {
  std::size_t cells = 1;
  for (const int side : grid.size) cells *= static_cast<std::size_t>(side);
  return cells;
}

std::size_t bytes_of(const PlaceView& grids) {
  std::size_t bytes = 0;
  for (int k = 0; k <= grids.levels; ++k) bytes += cells_of(grids.values[k]) + cells_of(grids.footing[k]);
  return bytes;
}

class CudaLevels final : public LevelBackend {
 public:
  CudaLevels(const PlaceView& grids, int device, std::size_t capacity)
      : context_(device),
        capacity_(capacity),
        blocks_(8U * static_cast<unsigned>(
                         cuda_state().devices.at(static_cast<std::size_t>(device)).multiprocessors)),
        grids_(context_, bytes_of(grids)),
        cells_(context_),
        boxes_(context_),
        bounds_(context_),
        numbers_(context_),
        sorted_bounds_(context_),
        sorted_numbers_(context_),
        scratch_(context_),
        queues_{cuda::DeviceBuffer<Node>(context_, capacity_), cuda::DeviceBuffer<Node>(context_, capacity_)},
        counts_(context_, 1),
        host_counts_(context_, 1),
        host_poses_(context_, capacity_) {
    std::uint8_t* to = grids_.data();
    view_.levels = grids.levels;
    for (int k = 0; k <= view_.levels; ++k) {
      view_.values[k] = copied(grids.values[k], to);
      view_.footing[k] = copied(grids.footing[k], to);
    }
    context_.synchronise();
  }
  ~CudaLevels() override { context_.settle(); }

  std::size_t capacity() const override { return capacity_; }

  void begin(const PlaceView& view, std::span<const Box> boxes) override {
    if (view.levels != view_.levels || !same_extent(view.values[0], view_.values[0]))
      throw std::invalid_argument("places: the device holds the grids of another map");
    const std::size_t cells = static_cast<std::size_t>(view.headings) * static_cast<std::size_t>(view.points),
                      roots = static_cast<std::size_t>(view.headings) * boxes.size();
    cells_.reserve(cells), boxes_.reserve(boxes.size());
    bounds_.reserve(roots), numbers_.reserve(roots);
    sorted_bounds_.reserve(roots), sorted_numbers_.reserve(roots);
    view_.lattice = view.lattice;
    view_.headings = view.headings, view_.points = view.points;
    view_.cells = cells_.data();
    box_count_ = static_cast<unsigned>(boxes.size());
    bounded_ = 0;
    context_.upload(cells_.data(), view.cells, cells * sizeof(Step));
    context_.upload(boxes_.data(), boxes.data(), boxes.size_bytes());
    clear_counts();
    context_.synchronise();  // the caller may now throw
  }

  void bound_roots(int headings) override {
    context_.launch(bound_roots_kernel, cuda::grid_for(box_count_, static_cast<unsigned>(headings)), view_,
                    boxes_.data(), box_count_, bounded_, bounds_.data(), numbers_.data(), counts_.data());
    context_.synchronise();
    bounded_ += headings;
  }

  SortedRoots sort_roots() override {
    const auto n = static_cast<unsigned>(bounded_) * box_count_;
    const int bits = std::bit_width(static_cast<unsigned>(view_.points * PooledView::kFull));
    const auto sort = [&](void* scratch, std::size_t& bytes) {
      return cub::DeviceRadixSort::SortPairsDescending(scratch, bytes, bounds_.data(), sorted_bounds_.data(),
                                                       numbers_.data(), sorted_numbers_.data(), n, 0, bits,
                                                       context_.stream());
    };
    std::size_t bytes = 0;
    context_.call("cub::DeviceRadixSort::SortPairsDescending (size)", [&] { return sort(nullptr, bytes); });
    scratch_.reserve(bytes);
    context_.call("cub::DeviceRadixSort::SortPairsDescending", [&] { return sort(scratch_.data(), bytes); });
    context_.launch(next_bound_kernel, cuda::Grid{1, 32}, sorted_bounds_.data(), 0U, n, counts_.data());
    const LevelCounts& counts = download_counts();
    roots_ = counts.roots;
    return {roots_, counts.next_bound, counts.poses};
  }

  std::span<const Node> dive(std::size_t roots) override {
    const std::size_t n = std::min(roots, capacity_);
    context_.launch(dive_kernel, cuda::grid_for(static_cast<long long>(32 * n)), view_, sorted_roots(),
                    static_cast<unsigned>(n), queues_[0].data());
    return download_poses(queues_[0].data(), n);
  }

  SearchedSlice search(std::size_t first, std::size_t count, int least) override {
    const auto begin = static_cast<unsigned>(first), n = static_cast<unsigned>(count),
               room = static_cast<unsigned>(capacity_);
    clear_counts();
    context_.launch(roots_kernel, cuda::grid_for(n), sorted_roots(), begin, n, least,
                    queues_[view_.levels % 2].data(), counts_.data(), view_.levels);
    for (int level = view_.levels; level > 0; --level)
      context_.launch(quarters_kernel, cuda::Grid{blocks_, kLevelThreads}, view_, level, least, room,
                      queues_[level % 2].data(), queues_[(level + 1) % 2].data(), counts_.data());
    context_.launch(next_bound_kernel, cuda::Grid{1, 32}, sorted_bounds_.data(), begin + n, roots_,
                    counts_.data());
    const LevelCounts& counts = download_counts();
    SearchedSlice slice;
    slice.widest = *std::max_element(counts.boxes, counts.boxes + view_.levels + 1);
    slice.overflowed = slice.widest > capacity_;
    slice.poses = counts.poses;
    slice.next_bound = counts.next_bound;
    if (!slice.overflowed) slice.poses_found = download_poses(queues_[0].data(), counts.boxes[0]);
    return slice;
  }

 private:
  PooledView copied(PooledView view, std::uint8_t*& to) {
    context_.upload(to, view.values, cells_of(view));
    view.values = to;
    to += cells_of(view);
    return view;
  }

  RootsView sorted_roots() const {
    return {sorted_bounds_.data(), sorted_numbers_.data(), boxes_.data(), box_count_};
  }

  void clear_counts() { context_.fill_bytes(counts_.data(), 0, sizeof(LevelCounts)); }

  const LevelCounts& download_counts() {
    context_.download(host_counts_.data(), counts_.data(), sizeof(LevelCounts));
    context_.synchronise();
    return host_counts_[0];
  }

  std::span<const Node> download_poses(const Node* poses, std::size_t n) {
    if (n == 0) return {};
    context_.download(host_poses_.data(), poses, n * sizeof(Node));
    context_.synchronise();
    return {host_poses_.data(), n};
  }

  cuda::Context context_;
  const std::size_t capacity_;
  const unsigned blocks_;  ///< blocks that fill the device
  cuda::DeviceBuffer<std::uint8_t> grids_;
  cuda::DeviceBuffer<Step> cells_;
  cuda::DeviceBuffer<Box> boxes_;
  cuda::DeviceBuffer<unsigned> bounds_, numbers_, sorted_bounds_, sorted_numbers_;
  cuda::DeviceBuffer<char> scratch_;
  cuda::DeviceBuffer<Node> queues_[2];  ///< of even and odd levels
  cuda::DeviceBuffer<LevelCounts> counts_;
  cuda::PinnedBuffer<LevelCounts> host_counts_;
  cuda::PinnedBuffer<Node> host_poses_;
  PlaceView view_;
  unsigned box_count_ = 0, roots_ = 0;
  int bounded_ = 0;  ///< headings
};

}  // namespace

std::unique_ptr<LevelBackend> make_cuda_levels(const PlaceView& grids, int device, std::size_t capacity) {
  return std::make_unique<CudaLevels>(grids, device, capacity);
}

}  // namespace ndt::initial_pose
