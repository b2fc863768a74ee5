#include "town/leaf_sums.hpp"

#include <algorithm>

namespace ndt::harness::town {
namespace {

constexpr std::int32_t kEdge = 200;      // millimetres
constexpr std::int32_t kHalf = 1 << 20;  // cubes on either side of the origin: 21 bits a coordinate

std::int32_t cube_of(std::int32_t mm) { return mm >= 0 ? mm / kEdge : -((kEdge - 1 - mm) / kEdge); }

Leaf leaf_of(const Millimetres& p) {
  const std::int32_t x = cube_of(p.x), y = cube_of(p.y), z = cube_of(p.z);
  const auto bits = [](std::int32_t cube) { return static_cast<std::uint64_t>(cube + kHalf); };
  const auto beyond = [](std::int32_t mm, std::int32_t cube) {
    return static_cast<std::uint32_t>(mm - cube * kEdge);
  };
  return {bits(z) << 42 | bits(y) << 21 | bits(x), 1, beyond(p.x, x), beyond(p.y, y), beyond(p.z, z)};
}

Millimetres centroid(const Leaf& leaf) {
  const auto coordinate = [&leaf](std::uint64_t bits, std::uint32_t sum) {
    const auto cube = static_cast<std::int32_t>(bits & 0x1FFFFF) - kHalf;
    const std::uint64_t rounded = (2 * std::uint64_t{sum} + leaf.points) / (2 * std::uint64_t{leaf.points});
    return cube * kEdge + static_cast<std::int32_t>(rounded);
  };
  return {coordinate(leaf.key, leaf.x), coordinate(leaf.key >> 21, leaf.y),
          coordinate(leaf.key >> 42, leaf.z)};
}

/// Appends the leaf, or adds it to the last one if that is the same cube.
void append(LeafRun& run, const Leaf& leaf) {
  if (run.empty() || run.back().key != leaf.key) {
    run.push_back(leaf);
    return;
  }
  Leaf& last = run.back();
  last.points += leaf.points;
  last.x += leaf.x;
  last.y += leaf.y;
  last.z += leaf.z;
}

LeafRun merged(const LeafRun& a, const LeafRun& b) {
  LeafRun run;
  run.reserve(a.size() + b.size());
  auto i = a.begin(), j = b.begin();
  while (i != a.end() && j != b.end()) append(run, j->key < i->key ? *j++ : *i++);
  for (; i != a.end(); ++i) append(run, *i);
  for (; j != b.end(); ++j) append(run, *j);
  return run;
}

}  // namespace

LeafRun leaf_run(const std::vector<Millimetres>& points) {
  LeafRun leaves;
  leaves.reserve(points.size());
  for (const Millimetres& p : points) leaves.push_back(leaf_of(p));
  std::ranges::sort(leaves, {}, &Leaf::key);  // equal keys in any order: their sums are the same
  LeafRun run;
  for (const Leaf& leaf : leaves) append(run, leaf);
  return run;
}

void LeafSums::add(LeafRun run) {
  while (!runs_.empty() && runs_.back().size() < 2 * run.size()) {
    run = merged(runs_.back(), run);
    runs_.pop_back();
  }
  runs_.push_back(std::move(run));
}

std::vector<Millimetres> LeafSums::take_centroids() {
  LeafRun all;
  for (; !runs_.empty(); runs_.pop_back()) all = merged(runs_.back(), all);
  std::vector<Millimetres> centroids;
  centroids.reserve(all.size());
  for (const Leaf& leaf : all) centroids.push_back(centroid(leaf));
  return centroids;
}

}  // namespace ndt::harness::town
