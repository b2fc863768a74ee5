#include "ndt/align/voxel_grid.hpp"

#include <algorithm>
#include <limits>

namespace ndt {

void VoxelGrid::thin(PointCloud& cloud, double leaf_m) {
  if (cloud.size() == 0) return;
  const bool timed = cloud.times.size() == cloud.size();
  const PointRow all{cloud.points.data(), timed ? cloud.times.data() : nullptr, cloud.size()};
  fill({&all, 1}, cloud.origin, leaf_m);
  for (std::size_t k = 0; k < size(); ++k) {  // there are no more leaves than points, and all are summed
    cloud.points[k] = centroid(k);
    if (timed) cloud.times[k] = time_s(k);
  }
  cloud.points.resize(size());
  cloud.times.resize(timed ? size() : 0);
}

void VoxelGrid::fill(std::span<const PointRow> rows, const Vec3<double>& origin, double leaf_m,
                     const Workers& workers) {
  leaves_.clear();
  if (std::ranges::all_of(rows, [](const PointRow& row) { return row.size == 0; })) return;
  const LeafNumbers numbers(rows, origin, leaf_m, workers);
  units_ = numbers.units();
  rows_ = rows.size();
  if (tables_.size() < rows_) tables_.resize(rows_);
  workers.each(rows_, [&](std::size_t r) { tables_[r].fill(numbers, r, rows[r]); });
  join(workers);
}

Point VoxelGrid::centroid(std::size_t k) const {
  const LeafSums& sums = leaves_[k]->sums;
  return centroid_of(sums, leaf_at(units_.origin + cast<double>(sums.any), units_.leaf_m), units_);
}

/// Joins the leaves of all rows. Each worker joins those whose numbers lie in a range of its own.
void VoxelGrid::join(const Workers& workers) {
  constexpr std::size_t kEach = 16;  // numbers of a row that tell how the leaves are spread
  std::vector<std::uint64_t> spread;
  std::size_t most = 0;
  for (std::size_t r = 0; r < rows_; ++r) {
    const auto order = tables_[r].order();
    most += order.size();
    for (std::size_t k = 0; k < kEach && !order.empty(); ++k)
      spread.push_back(order[order.size() * k / kEach].number);
  }
  std::ranges::sort(spread);
  const std::size_t ranges = rows_;
  const auto begin_of = [&](std::size_t range) {
    if (range == ranges) return std::numeric_limits<std::uint64_t>::max();
    return range == 0 ? 0 : spread[part_of(spread.size(), range, ranges).begin];
  };
  leaves_.resize(most);
  std::vector<Part> written(ranges);
  workers.each(ranges, [&](std::size_t range) {
    std::size_t before = 0;  // no more leaves than these have lower numbers
    for (const Part& part : rows_between(0, begin_of(range))) before += part.size();
    const std::size_t count = join_between(begin_of(range), begin_of(range + 1), leaves_.data() + before);
    written[range] = {before, before + count};
  });
  std::size_t end = 0;
  for (const Part& part : written) {
    std::copy_n(leaves_.begin() + static_cast<std::ptrdiff_t>(part.begin), part.size(),
                leaves_.begin() + static_cast<std::ptrdiff_t>(end));
    end += part.size();
  }
  leaves_.resize(end);
}

/// The leaves of every row with numbers in [begin, end).
std::vector<Part> VoxelGrid::rows_between(std::uint64_t begin, std::uint64_t end) const {
  std::vector<Part> parts;
  for (std::size_t r = 0; r < rows_; ++r) {
    const auto order = tables_[r].order();
    const auto place = [&](std::uint64_t number) {
      return static_cast<std::size_t>(
          std::ranges::lower_bound(order, number, {}, &LeafTable::Numbered::number) - order.begin());
    };
    parts.push_back({place(begin), place(end)});
  }
  return parts;
}

/// Adds up leaves that several rows have, in the order of the rows. Returns the number of leaves.
std::size_t VoxelGrid::join_between(std::uint64_t begin, std::uint64_t end, const GridLeaf** out) {
  std::vector<Part> left = rows_between(begin, end);
  const GridLeaf** const first = out;
  const auto number = [&](std::size_t r) {
    return left[r].size() > 0 ? tables_[r].order()[left[r].begin].number : end;
  };
  while (true) {
    std::uint64_t next = end;
    for (std::size_t r = 0; r < rows_; ++r) next = std::min(next, number(r));
    if (next == end) return static_cast<std::size_t>(out - first);
    GridLeaf* joined = nullptr;
    for (std::size_t r = 0; r < rows_; ++r) {
      if (number(r) != next) continue;
      GridLeaf& leaf = tables_[r].leaf(tables_[r].order()[left[r].begin++]);
      if (joined == nullptr)
        joined = &leaf;
      else
        joined->sums += leaf.sums;
    }
    *out++ = joined;
  }
}

}  // namespace ndt
