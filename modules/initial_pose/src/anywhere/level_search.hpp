// The search for places on a device: breadth first, slice by slice of the best roots, where threads go depth
// first. The places are the same, because which poses are wanted depends on their scores alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "anywhere/place_view.hpp"
#include "ndt/align/aligner.hpp"
#include "ndt/initial_pose/place_query.hpp"

namespace ndt {
class HostPool;
}

namespace ndt::initial_pose {

class PlaceTask;

/// The boxes of the coarsest level at all headings that were bounded, by falling bound.
struct SortedRoots {
  std::size_t count = 0;       ///< with a bound above 0
  int bound = 0;               ///< the largest
  std::uint64_t excluded = 0;  ///< poses of the others
};

/// The outcome of some neighbouring roots.
struct SearchedSlice {
  bool overflowed = false;            ///< a level had more boxes than there is room for: nothing else is told
  std::size_t widest = 0;             ///< boxes of the fullest level
  std::uint64_t poses = 0;            ///< of the roots
  int next_bound = 0;                 ///< of the root behind the slice; 0 if there is none
  std::span<const Node> poses_found;  ///< with `least` or more, in any order, until the next call
};

/// The place where the boxes are bounded. Virtual, so that CUDA stays behind the interface: it is called a
/// few times a slice, not a box.
class LevelBackend {
 public:
  virtual ~LevelBackend() = default;

  /// Boxes that a level has room for; at least as many as a single root has poses.
  virtual std::size_t capacity() const = 0;
  /// All that is pointed to must stay until the search is over. Throws std::invalid_argument for another
  /// pyramid than the backend's.
  virtual void begin(const PlaceView& view, std::span<const Box> boxes) = 0;
  /// Bounds the boxes at some headings, the next ones each time. Returns when that is done.
  virtual void bound_roots(int headings) = 0;
  virtual SortedRoots sort_roots() = 0;
  /// One pose of each of the first roots, reached by the best bounds; valid until the next call.
  virtual std::span<const Node> dive(std::size_t roots) = 0;
  /// Splits the roots [first, first + count), level by level, and drops what is below `least`.
  virtual SearchedSlice search(std::size_t first, std::size_t count, int least) = 0;
};

/// Only in builds with CUDA. grids: those of a pyramid, which are copied. capacity: at least 4^levels. Throws
/// as DevicePlaces does.
std::unique_ptr<LevelBackend> make_cuda_levels(const PlaceView& grids, int device, std::size_t capacity);

/// As find_places().
PlacesFound search_by_levels(PlaceTask& task, int wanted, LevelBackend& backend, HostPool& pool,
                             const PerScan& per_scan, const PlaceProgress& progress);

}  // namespace ndt::initial_pose
