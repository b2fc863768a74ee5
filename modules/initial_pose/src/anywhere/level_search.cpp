#include "anywhere/level_search.hpp"

#include <algorithm>

#include "anywhere/place_task.hpp"

namespace ndt::initial_pose {
namespace {

constexpr std::size_t kRootsAtOnce = std::size_t{1} << 19;  // bounded between two looks at the deadline
constexpr std::size_t kDives = std::size_t{1} << 13;
constexpr std::size_t kFirstSlice = std::size_t{1} << 13, kMostSlice = std::size_t{1} << 16;

class LevelSearch {
 public:
  LevelSearch(PlaceTask& task, int wanted, LevelBackend& backend, const PerScan& per_scan,
              const PlaceProgress& progress)
      : task_(task),
        backend_(backend),
        per_scan_(per_scan),
        progress_(progress),
        best_(wanted, task.most()) {}

  PlacesFound found(HostPool& pool) {
    if (task_.boxes().empty() || task_.most() == 0) return task_.found(best_, std::nullopt, 1);
    task_.place_cells(pool);
    backend_.begin(task_.view(), task_.boxes());
    bound_roots();
    const SortedRoots roots = backend_.sort_roots();
    done_ = roots.excluded;
    // The scores at the ends of a few dives exclude most roots before any is split.
    if (roots.count > 0) offer(backend_.dive(std::min(roots.count, kDives)));
    search(roots);
    return task_.found(best_, ended_, share_done());
  }

 private:
  double share_done() const { return static_cast<double>(done_) / task_.poses(); }

  bool ended() {
    if (!ended_) ended_ = interruption(per_scan_);
    return ended_.has_value();
  }

  void offer(std::span<const Node> poses) {
    for (const Node& pose : poses)
      if (pose.bound > 0 && pose.bound >= best_.least()) task_.offer(best_, pose);
  }

  /// The first headings in any case, so that there is an answer.
  void bound_roots() {
    const std::size_t fitting = kRootsAtOnce / task_.boxes().size();
    const int at_once =
        static_cast<int>(std::clamp<std::size_t>(fitting, 1, static_cast<std::size_t>(task_.headings())));
    for (int heading = 0; heading < task_.headings() && (heading == 0 || !ended()); heading += at_once)
      backend_.bound_roots(std::min(at_once, task_.headings() - heading));
  }

  /// Slices of falling bound, until none can hold a wanted pose.
  void search(const SortedRoots& roots) {
    std::size_t at = 0, size = std::min(kFirstSlice, backend_.capacity());
    for (int bound = roots.bound; at < roots.count && bound >= best_.least() && !ended();) {
      const std::size_t count = std::min(size, roots.count - at);
      const SearchedSlice slice = backend_.search(at, count, best_.least());
      if (slice.overflowed) {
        size = (count + 1) / 2;
        continue;
      }
      offer(slice.poses_found);
      at += count;
      bound = slice.next_bound;
      done_ += slice.poses;
      if (slice.widest < backend_.capacity() / 4)
        size = std::min({2 * size, kMostSlice, backend_.capacity()});
      if (progress_) progress_(share_done());
    }
    if (progress_ && !ended_) progress_(1);
  }

  PlaceTask& task_;
  LevelBackend& backend_;
  const PerScan& per_scan_;
  const PlaceProgress& progress_;
  BestPlaces best_;
  std::uint64_t done_ = 0;  ///< poses
  std::optional<Stop> ended_;
};

}  // namespace

PlacesFound search_by_levels(PlaceTask& task, int wanted, LevelBackend& backend, HostPool& pool,
                             const PerScan& per_scan, const PlaceProgress& progress) {
  return LevelSearch(task, wanted, backend, per_scan, progress).found(pool);
}

}  // namespace ndt::initial_pose
