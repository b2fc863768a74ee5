#include "anywhere/place_task.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>

#include "ndt/core/formatted.hpp"

namespace ndt::initial_pose {
namespace {

constexpr int kNeighbourhoodLevel = 2;  // 4 x 4 positions, and 4 heights
constexpr double kNeighbourhoodRad = 15 * kPi / 180;
constexpr std::uint64_t kMostRoots = std::uint64_t{1} << 26;

/// Headings of a neighbourhood: all of them where they reach less far.
int sector_of(int headings, double reach_rad) {
  const double share = kNeighbourhoodRad / (2 * std::min(reach_rad, kPi));  // infinite for one heading
  return static_cast<int>(std::clamp(headings * share, 1.0, static_cast<double>(headings)));
}

Pose turned(const Pose& guess, double heading_rad, const Vec3<double>& position) {
  const Mat3<double> about_vertical = rotation_of(Pose{0, 0, 0, 0, 0, heading_rad});
  return principal(derivative_pose(make_transform(about_vertical * rotation_of(guess), position)));
}

/// Runs f(k) for k < n on every thread. f must not throw.
template <class F>
void for_each_of(HostPool& pool, int n, F&& f) {
  std::atomic<int> next{0};
  pool.run([&](HostTeam&) {
    for (int k; (k = next.fetch_add(1, std::memory_order_relaxed)) < n;) f(k);
  });
}

}  // namespace

PlaceView grids_of(const PlacePyramid& pyramid) {
  PlaceView view;
  view.levels = pyramid.levels();
  for (int k = 0; k <= view.levels; ++k) {
    view.values[k] = pyramid.values().level(k).view();
    view.footing[k] = pyramid.footing().level(k).view();
  }
  return view;
}

PlaceTask::PlaceTask(const PlacePyramid& pyramid, const ScanSketch& sketch, const PlaceQuery& query,
                     HostPool& pool)
    : pyramid_(pyramid),
      query_(query),
      sketch_(sketch),
      lattice_(pyramid, sketch, query.region),
      levels_(pyramid.levels()),
      most_(static_cast<int>(sketch.points.size()) * PlacePyramid::kFull),
      sector_(sector_of(lattice_.headings(), query.region.heading_rad)),
      cells_(static_cast<std::size_t>(lattice_.headings()) * sketch.points.size()),
      view_(grids_of(pyramid)) {
  view_.lattice = lattice_.view();
  view_.headings = lattice_.headings();
  view_.points = static_cast<int>(sketch.points.size());
  view_.cells = cells_.data();
  if (!lattice_.empty()) make_boxes(pool);
}

void PlaceTask::make_boxes(HostPool& pool) {
  const Step& size = lattice_.size();
  const int edge = 1 << levels_, columns = (size.x - 1) / edge + 1, rows = (size.y - 1) / edge + 1;
  const auto across = static_cast<std::size_t>(columns);
  std::vector<std::uint64_t> poses(across * static_cast<std::size_t>(rows));
  for (int z = 0; z < size.z; ++z) {
    for_each_of(pool, rows, [&](int row) {
      for (int column = 0; column < columns; ++column)
        poses[static_cast<std::size_t>(row) * across + static_cast<std::size_t>(column)] =
            lattice_.count(levels_, {column * edge, row * edge, z});
    });
    for (int row = 0, k = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column, ++k)
        if (const std::uint64_t count = poses[static_cast<std::size_t>(k)]; count > 0) {
          boxes_.push_back({{column * edge, row * edge, z}, count});
          positions_ += count;
        }
    require_few();
  }
}

void PlaceTask::require_few() const {
  if (boxes_.size() * static_cast<std::uint64_t>(headings()) > kMostRoots)
    throw std::invalid_argument(
        formatted("places: {} boxes of positions and more, at {} headings, are too many; give a smaller box, "
                  "most of all in z, or longer cells",
                  boxes_.size(), headings()));
}

void PlaceTask::place_cells(HostPool& pool) {
  for_each_of(pool, headings(), [&](int heading) { place_cells(heading); });
}

void PlaceTask::offer(BestPlaces& best, const Node& leaf) const {
  const Step& step = leaf.from;
  best.offer(number_of(lattice_.size(), leaf.heading / sector_,
                       {step.x >> kNeighbourhoodLevel, step.y >> kNeighbourhoodLevel,
                        step.z >> kNeighbourhoodLevel}),
             {leaf.bound, number_of(lattice_.size(), leaf.heading, step)});
}

Place PlaceTask::place(const BestPlaces::Entry& entry) const {
  const Step& size = lattice_.size();
  std::uint64_t rest = entry.index;
  const auto take = [&rest](int count) {
    const auto part = static_cast<int>(rest % static_cast<std::uint64_t>(count));
    rest /= static_cast<std::uint64_t>(count);
    return part;
  };
  Step step;
  step.x = take(size.x), step.y = take(size.y), step.z = take(size.z);
  return {pyramid_.in_map(
              turned(query_.guess, lattice_.heading_rad(static_cast<int>(rest)), lattice_.position_m(step))),
          static_cast<double>(entry.score) / most_};
}

PlacesFound PlaceTask::found(const BestPlaces& best, std::optional<Stop> interrupted,
                             double share_done) const {
  PlacesFound found;
  found.headings = headings();
  found.ground_below_m = sketch_.ground_below_m;
  found.lattice = poses();
  for (const BestPlaces::Entry& entry : best.best()) found.places.push_back(place(entry));
  if (found.places.empty())
    found.places.push_back(
        {pyramid_.in_map(turned(query_.guess, 0, 0.5 * (query_.region.low + query_.region.high))), 0});
  found.interrupted = interrupted;
  found.coverage = interrupted ? share_done : 1;
  return found;
}

void BestPlaces::offer(std::uint64_t neighbourhood, const Entry& entry) {
  const std::lock_guard lock(mutex_);
  int least = least_;
  if (entry.score < least) return;
  const auto [at, is_first] = best_of_.try_emplace(neighbourhood, entry);
  Entry& best = at->second;
  if (!is_first) {
    if (entry.score < best.score || (entry.score == best.score && entry.index > best.index)) return;
    --count_of_[static_cast<std::size_t>(best.score)];
    if (best.score > least) --above_;
    best = entry;
  }
  ++count_of_[static_cast<std::size_t>(entry.score)];
  if (entry.score > least) ++above_;
  most_ = std::max(most_, entry.score);
  while (above_ >= wanted_ || least < most_ * kLeastOfBest / 100)
    above_ -= count_of_[static_cast<std::size_t>(++least)];
  least_ = least;
}

std::vector<BestPlaces::Entry> BestPlaces::best() const {
  std::vector<Entry> entries;
  for (const auto& [neighbourhood, entry] : best_of_)
    if (entry.score >= least()) entries.push_back(entry);
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.score != b.score ? a.score > b.score : a.index < b.index;
  });
  if (entries.size() > static_cast<std::size_t>(wanted_)) entries.resize(static_cast<std::size_t>(wanted_));
  return entries;
}

}  // namespace ndt::initial_pose
