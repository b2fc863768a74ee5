// The search for places by levels without a device: the kernels' work in plain loops.
#pragma once

#include <algorithm>
#include <vector>

#include "anywhere/level_search.hpp"

namespace ndt::initial_pose {

class HostLevels final : public LevelBackend {
 public:
  HostLevels(int levels, std::size_t capacity)
      : capacity_(std::max(capacity, std::size_t{1} << (2 * levels))) {}

  int overflows = 0, slices = 0;

  std::size_t capacity() const override { return capacity_; }

  void begin(const PlaceView& view, std::span<const Box> boxes) override {
    view_ = view, boxes_ = boxes;
    roots_.clear(), bounded_ = 0, excluded_ = 0;
  }

  void bound_roots(int headings) override {
    for (const int end = bounded_ + headings; bounded_ < end; ++bounded_)
      for (std::size_t b = 0; b < boxes_.size(); ++b) {
        const int bound = sum_at(OneLane{}, view_.values[view_.levels], view_.cells_at(bounded_),
                                 view_.points, boxes_[b].from, 1);
        if (bound > 0)
          roots_.push_back({{bound, bounded_, boxes_[b].from}, boxes_[b].poses});
        else
          excluded_ += boxes_[b].poses;
      }
  }

  SortedRoots sort_roots() override {
    std::sort(roots_.begin(), roots_.end(),
              [](const Root& a, const Root& b) { return a.node.bound > b.node.bound; });
    return {roots_.size(), bound(0), excluded_};
  }

  std::span<const Node> dive(std::size_t roots) override {
    found_.clear();
    for (std::size_t k = 0; k < std::min(roots, capacity_); ++k)
      found_.push_back(initial_pose::dive(OneLane{}, view_, roots_.at(k).node));
    return found_;
  }

  SearchedSlice search(std::size_t first, std::size_t count, int least) override {
    SearchedSlice slice;
    slice.next_bound = bound(first + count);
    found_.clear();
    for (std::size_t k = first; k < first + count; ++k) {
      slice.poses += roots_.at(k).poses;
      if (roots_[k].node.bound >= least) found_.push_back(roots_[k].node);
    }
    slice.widest = found_.size();
    for (int level = view_.levels; level > 0; --level) {
      std::vector<Node> next;
      for (const Node& box : found_)
        for (int i = 0; i < 4; ++i)
          if (const Node child = quarter(OneLane{}, view_, level, box, i, least); child.bound >= least)
            next.push_back(child);
      found_ = std::move(next);
      slice.widest = std::max(slice.widest, found_.size());
    }
    slice.overflowed = slice.widest > capacity_;
    overflows += slice.overflowed ? 1 : 0;
    slices += slice.overflowed ? 0 : 1;
    if (!slice.overflowed) slice.poses_found = found_;
    return slice;
  }

 private:
  struct Root {
    Node node;
    std::uint64_t poses;
  };
  int bound(std::size_t k) const { return k < roots_.size() ? roots_[k].node.bound : 0; }

  const std::size_t capacity_;
  PlaceView view_;
  std::span<const Box> boxes_;
  std::vector<Root> roots_;
  int bounded_ = 0;
  std::uint64_t excluded_ = 0;
  std::vector<Node> found_;
};

}  // namespace ndt::initial_pose
