#include "ndt/initial_pose/place_search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <stdexcept>

#include "best_places.hpp"
#include "ndt/align/option.hpp"
#include "place_lattice.hpp"

namespace ndt::initial_pose {
namespace {

constexpr int kNeighbourhoodLevel = 2;  // 4 x 4 positions, and 4 heights
constexpr double kNeighbourhoodRad = 15 * kPi / 180;
constexpr double kSigmas = 3;
constexpr std::uint64_t kMostRoots = std::uint64_t{1} << 26;
constexpr int kPointsBetweenChecks = 32;

/// A box of positions at one height.
struct Box {
  Step from;
  std::uint64_t poses = 0;
};

/// A box at a heading, and what none of its poses exceeds.
struct Root {
  int bound = 0;
  std::uint32_t heading = 0, box = 0;
};

class PlaceSearch {
 public:
  PlaceSearch(const PlacePyramid& pyramid, const ScanSketch& sketch, const PlaceQuery& query, HostPool& pool,
              const PerScan& per_scan, const PlaceProgress& progress)
      : pyramid_(pyramid),
        lattice_(pyramid, sketch, query.region),
        pool_(pool),
        per_scan_(per_scan),
        progress_(progress),
        most_(static_cast<int>(sketch.points.size()) * PlacePyramid::kFull),
        sector_(sector_of(lattice_.headings(), query.region.heading_rad)),
        best_(query.places, most_) {}

  PlacesFound found(const PlaceQuery& query, const ScanSketch& sketch) {
    PlacesFound found;
    found.headings = lattice_.headings();
    found.ground_below_m = sketch.ground_below_m;
    make_boxes();
    found.lattice = static_cast<double>(poses_) * lattice_.headings();
    bound_roots();
    search_roots();
    if (best_.empty() && !roots_.empty()) dive(roots_.front());
    for (const BestPlaces::Entry& entry : best_.best()) found.places.push_back(place(entry, query.guess));
    if (found.places.empty()) found.places.push_back(centre(query));
    found.interrupted = ended_.load() ? interruption(per_scan_) : std::nullopt;
    found.coverage = found.interrupted ? share_done() : 1;
    return found;
  }

 private:
  /// Headings of a neighbourhood: all of them where they reach less far.
  static int sector_of(int headings, double reach_rad) {
    const double share = kNeighbourhoodRad / (2 * std::min(reach_rad, kPi));  // infinite for one heading
    return static_cast<int>(std::clamp(headings * share, 1.0, static_cast<double>(headings)));
  }

  double share_done() const {
    const double all = static_cast<double>(poses_) * lattice_.headings();
    return all > 0 ? static_cast<double>(done_.load()) / all : 1;
  }

  bool ended() {
    if (!ended_ && interruption(per_scan_)) ended_ = true;
    return ended_;
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

  /// The boxes that tile the lattice at the coarsest level and hold a pose.
  void make_boxes() {
    if (lattice_.empty()) return;
    const int level = pyramid_.levels(), edge = 1 << level;
    const Step& size = lattice_.size();
    for (int z = 0; z < size.z; ++z)
      for (int y = 0; y < size.y; y += edge) {
        for (int x = 0; x < size.x; x += edge)
          if (const std::uint64_t poses = lattice_.count(level, {x, y, z}); poses > 0) {
            boxes_.push_back({{x, y, z}, poses});
            poses_ += poses;
          }
        require_few(boxes_.size());
      }
  }

  void require_few(std::size_t boxes) const {
    if (boxes * static_cast<std::uint64_t>(lattice_.headings()) > kMostRoots)
      throw std::invalid_argument(fmt::format(
          "places: {} boxes of positions and more, at {} headings, are too many; give a smaller box, "
          "most of all in z, or longer cells",
          boxes, lattice_.headings()));
  }

  /// The bound of every box at every heading, and the roots by falling bound.
  void bound_roots() {
    const auto headings = static_cast<std::size_t>(lattice_.headings());
    cells_.resize(headings);
    std::vector<std::vector<Root>> by_heading(headings);
    std::atomic<std::size_t> next{0};
    run([&](HostTeam&) {
      for (std::size_t k; (k = next.fetch_add(1)) < headings && (k == 0 || !ended());) {
        cells_[k] = lattice_.cells_at(static_cast<int>(k));
        for (std::size_t b = 0; b < boxes_.size(); ++b) {
          const int bound = score(pyramid_.levels(), cells_[k], boxes_[b].from, 1);
          if (bound > 0)
            by_heading[k].push_back({bound, static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(b)});
          else
            done_ += boxes_[b].poses;
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
        const Root& root = roots_[k];
        const Box& box = boxes_[root.box];
        descend(pyramid_.levels(), root.heading, box.from, root.bound);
        if (ended_) return;  // perhaps within the box
        done_ += box.poses;
        if (progress_ && team.rank() == 0) progress_(share_done());
      }
    });
  }

  /// Sum of the values at a box; some number below `least` if it is below.
  int score(int level, const std::vector<Step>& cells, const Step& from, int least) const {
    const PooledGrid::Level& grid = pyramid_.values().level(level);
    int sum = 0, left = static_cast<int>(cells.size()), until_check = kPointsBetweenChecks;
    for (const Step& cell : cells) {
      sum += grid.at(cell.x + from.x, cell.y + from.y, cell.z + from.z);
      --left;
      if (--until_check > 0) continue;
      if (sum + left * PlacePyramid::kFull < least) return 0;
      until_check = kPointsBetweenChecks;
    }
    return sum;
  }

  struct Child {
    int bound;
    Step from;
  };
  using Children = std::array<Child, 4>;

  /// The quarters of a box, the most promising first; those that cannot hold a wanted pose have bound 0.
  Children quarters(int level, std::uint32_t heading, const Step& from) const {
    Children children;
    const int half = 1 << (level - 1);
    for (int i = 0; i < 4; ++i) {
      Child& child = children[static_cast<std::size_t>(i)];
      child.from = {from.x + (i & 1) * half, from.y + (i >> 1) * half, from.z};
      const bool inside = child.from.x < lattice_.size().x && child.from.y < lattice_.size().y;
      child.bound = inside && lattice_.may_stand(level - 1, child.from)
                        ? score(level - 1, cells_[heading], child.from, best_.least())
                        : 0;
    }
    std::stable_sort(children.begin(), children.end(),
                     [](const Child& a, const Child& b) { return a.bound > b.bound; });
    return children;
  }

  void descend(int level, std::uint32_t heading, const Step& from, int bound) {
    if (bound < best_.least() || ended()) return;
    if (level == 0) return offer(heading, from, bound);
    for (const Child& child : quarters(level, heading, from))
      descend(level - 1, heading, child.from, child.bound);
  }

  /// To one pose of a box, by the best bounds.
  void dive(const Root& root) {
    Child at{root.bound, boxes_[root.box].from};
    for (int level = pyramid_.levels(); level > 0; --level)
      at = quarters(level, root.heading, at.from).front();
    if (at.bound > 0) offer(root.heading, at.from, at.bound);
  }

  void offer(std::uint32_t heading, const Step& step, int score) {
    best_.offer(
        number(static_cast<int>(heading) / sector_,
               {step.x >> kNeighbourhoodLevel, step.y >> kNeighbourhoodLevel, step.z >> kNeighbourhoodLevel}),
        {score, number(static_cast<int>(heading), step)});
  }

  std::uint64_t number(int heading, const Step& step) const {
    const Step& size = lattice_.size();
    const auto of = [](int value) { return static_cast<std::uint64_t>(value); };
    return ((of(heading) * of(size.z) + of(step.z)) * of(size.y) + of(step.y)) * of(size.x) + of(step.x);
  }

  Place place(const BestPlaces::Entry& entry, const Pose& guess) const {
    const Step& size = lattice_.size();
    std::uint64_t rest = entry.index;
    const auto take = [&rest](int count) {
      const auto part = static_cast<int>(rest % static_cast<std::uint64_t>(count));
      rest /= static_cast<std::uint64_t>(count);
      return part;
    };
    Step step;
    step.x = take(size.x), step.y = take(size.y), step.z = take(size.z);
    return {turned(guess, lattice_.heading_rad(static_cast<int>(rest)), lattice_.position_m(step)),
            static_cast<double>(entry.score) / most_};
  }

  static Pose turned(const Pose& guess, double heading_rad, const Vec3<double>& position) {
    const Mat3<double> about_vertical = rotation_of(Pose{0, 0, 0, 0, 0, heading_rad});
    return principal(derivative_pose(make_transform(about_vertical * rotation_of(guess), position)));
  }

  static Place centre(const PlaceQuery& query) {
    return {turned(query.guess, 0, 0.5 * (query.region.low + query.region.high)), 0};
  }

  const PlacePyramid& pyramid_;
  PlaceLattice lattice_;
  HostPool& pool_;
  const PerScan& per_scan_;
  const PlaceProgress& progress_;
  const int most_;    ///< the largest sum
  const int sector_;  ///< headings of a neighbourhood
  BestPlaces best_;
  std::vector<Box> boxes_;
  std::uint64_t poses_ = 0;  ///< positions of all boxes
  std::vector<std::vector<Step>> cells_;
  std::vector<Root> roots_;
  std::atomic<std::uint64_t> done_{0};  ///< poses
  std::atomic<bool> ended_{false};
};

void require_valid(const PlaceQuery& query) {
  const Vec3<double>&low = query.region.low, &high = query.region.high;
  if (!std::isfinite(low.x + low.y + low.z + high.x + high.y + high.z) ||
      !(low.x <= high.x && low.y <= high.y && low.z <= high.z))
    throw std::invalid_argument(fmt::format(
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

double heading_reach_rad(std::optional<double> sigma_yaw_rad) {
  return sigma_yaw_rad ? std::min(kSigmas * *sigma_yaw_rad, kPi) : kPi;
}

PlaceRegion around(const PosePrior& prior, std::optional<double> sigma_yaw_rad) {
  const Vec3<double> mean{prior.mean.x, prior.mean.y, prior.mean.z},
      reach{kSigmas * prior.sigma[0], kSigmas * prior.sigma[1], kSigmas * prior.sigma[2]};
  return {mean - reach, mean + reach, false, heading_reach_rad(sigma_yaw_rad)};
}

PlacesFound find_places(const PlacePyramid& pyramid, const PointCloud& scan, const PlaceQuery& query,
                        HostPool& pool, const PerScan& per_scan, const PlaceProgress& progress) {
  require_valid(query);
  const ScanSketch sketch = sketch_of(scan, rotation_of(query.guess), pyramid.cell_m());
  return PlaceSearch(pyramid, sketch, query, pool, per_scan, progress).found(query, sketch);
}

}  // namespace ndt::initial_pose
