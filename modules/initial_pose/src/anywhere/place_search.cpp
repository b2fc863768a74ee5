#include "ndt/initial_pose/place_search.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <stdexcept>

#include "anywhere/level_search.hpp"
#include "anywhere/place_task.hpp"
#include "ndt/align/option.hpp"
#include "ndt/core/formatted.hpp"
#include "ndt/initial_pose/device_places.hpp"

namespace ndt::initial_pose {
namespace {

/// A box at a heading, and what none of its poses exceeds.
struct Root {
  int bound = 0;
  std::uint32_t heading = 0, box = 0;
};

/// Branch and bound on threads: each takes the next root and searches it depth first.
class PlaceSearch {
 public:
  PlaceSearch(PlaceTask& task, int wanted, HostPool& pool, const PerScan& per_scan,
              const PlaceProgress& progress)
      : task_(task),
        view_(task.view()),
        pool_(pool),
        per_scan_(per_scan),
        progress_(progress),
        best_(wanted, task.most()) {}

  PlacesFound found() {
    bound_roots();
    search_roots();
    if (best_.empty() && !roots_.empty())
      if (const Node leaf = dive(OneLane{}, view_, node(roots_.front())); leaf.bound > 0)
        task_.offer(best_, leaf);
    return task_.found(best_, ended_.load() ? interruption(per_scan_) : std::nullopt, share_done());
  }

 private:
  double share_done() const {
    return task_.poses() > 0 ? static_cast<double>(done_.load()) / task_.poses() : 1;
  }

  bool ended() {
    if (!ended_ && interruption(per_scan_)) ended_ = true;
    return ended_;
  }

  Node node(const Root& root) const {
    return {root.bound, static_cast<int>(root.heading), task_.boxes()[root.box].from};
  }

  /// Runs body on every worker. The first exception ends the search and is thrown here, because none may
  /// leave a pool's body.
  template <class Body>
  void run(Body&& body) {
    std::exception_ptr error;
    std::mutex mutex;
    pool_.run([&](HostTeam& team) {
      try {
        body(team);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!error) error = std::current_exception();
        ended_ = true;
      }
    });
    if (error) std::rethrow_exception(error);
  }

  /// The bound of every box at every heading, and the roots by falling bound.
  void bound_roots() {
    const auto headings = static_cast<std::size_t>(task_.headings());
    const std::vector<Box>& boxes = task_.boxes();
    std::vector<std::vector<Root>> by_heading(headings);
    std::atomic<std::size_t> next{0};
    run([&](HostTeam&) {
      for (std::size_t k; (k = next.fetch_add(1)) < headings && (k == 0 || !ended());) {
        const auto heading = static_cast<int>(k);
        task_.place_cells(heading);
        for (std::size_t b = 0; b < boxes.size(); ++b) {
          const int bound = sum_at(OneLane{}, view_.values[view_.levels], view_.cells_at(heading),
                                   view_.points, boxes[b].from, 1);
          if (bound > 0)
            by_heading[k].push_back({bound, static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(b)});
          else
            done_ += boxes[b].poses;
        }
      }
    });
    for (std::vector<Root>& roots : by_heading) {
      roots_.insert(roots_.end(), roots.begin(), roots.end());
      roots = {};
    }
    std::stable_sort(roots_.begin(), roots_.end(),
                     [](const Root& a, const Root& b) { return a.bound > b.bound; });
  }

  void search_roots() {
    std::atomic<std::size_t> next{0};
    run([&](HostTeam& team) {
      for (std::size_t k; (k = next.fetch_add(1)) < roots_.size() && !ended();) {
        descend(view_.levels, node(roots_[k]));
        if (ended_) return;  // perhaps within the box
        done_ += task_.boxes()[roots_[k].box].poses;
        if (progress_ && team.rank() == 0) progress_(share_done());
      }
    });
  }

  /// Searches the quarters, the most promising first.
  void descend(int level, const Node& box) {
    if (box.bound < best_.least() || ended()) return;
    if (level == 0) return task_.offer(best_, box);
    std::array<Node, 4> children;
    for (int i = 0; i < 4; ++i)
      children[static_cast<std::size_t>(i)] = quarter(OneLane{}, view_, level, box, i, best_.least());
    std::stable_sort(children.begin(), children.end(),
                     [](const Node& a, const Node& b) { return a.bound > b.bound; });
    for (const Node& child : children) descend(level - 1, child);
  }

  PlaceTask& task_;
  const PlaceView& view_;
  HostPool& pool_;
  const PerScan& per_scan_;
  const PlaceProgress& progress_;
  BestPlaces best_;
  std::vector<Root> roots_;
  std::atomic<std::uint64_t> done_{0};  ///< poses
  std::atomic<bool> ended_{false};
};

void require_valid(const PlaceQuery& query) {
  const Vec3<double>&low = query.region.low, &high = query.region.high;
  if (!std::isfinite(low.x + low.y + low.z + high.x + high.y + high.z) ||
      !(low.x <= high.x && low.y <= high.y && low.z <= high.z))
    throw std::invalid_argument(formatted(
        "places: the box from {:g},{:g},{:g} to {:g},{:g},{:g} has no inside; give the smaller corner "
        "first, in metres",
        low.x, low.y, low.z, high.x, high.y, high.z));
  require_closed("farthest heading", query.region.heading_rad, 0, 1e3);
  require_whole("places", query.places, 1, static_cast<std::int64_t>(Limits::kBatch));
}

}  // namespace

PlaceRegion whole_map(const PlacePyramid& pyramid) {
  return {pyramid.corner(), pyramid.far_corner(), true, kPi};
}

PlacesFound find_places(const PlacePyramid& pyramid, const PointCloud& scan, const PlaceQuery& query,
                        HostPool& pool, const PerScan& per_scan, const PlaceProgress& progress,
                        DevicePlaces* device) {
  require_valid(query);
  const ScanSketch sketch = sketch_of(scan, rotation_of(query.guess), pyramid.cell_m());
  PlaceTask task(pyramid, sketch, query, pool);
  if (device) return search_by_levels(task, query.places, device->backend(), pool, per_scan, progress);
  return PlaceSearch(task, query.places, pool, per_scan, progress).found();
}

}  // namespace ndt::initial_pose
