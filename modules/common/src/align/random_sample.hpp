// A random sample of items in parts, of which each may have a worker.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ndt/align/sample_key.hpp"
#include "ndt/core/workers.hpp"

namespace ndt {

/// Draws `count` of the items that parts have together, or all if there are no more. Items of a part are
/// those of the parts before it and its own, numbered from 0.
class RandomSample {
 public:
  RandomSample(std::span<const Part> parts, std::size_t count, std::uint64_t seed, const Workers& workers);

  /// Whether item k is drawn.
  bool has(std::size_t k) const { return all_ || keys_(k) <= last_; }
  /// The number of items that are drawn before those of a part; of all items for the part after the last.
  std::size_t before(std::size_t part) const { return before_[part]; }
  std::size_t size() const { return before_.back(); }

 private:
  void draw(std::span<const Part> parts, std::size_t count, const Workers& workers);

  SampleKeys keys_;
  bool all_;
  std::uint64_t last_ = 0;  ///< the largest key of an item that is drawn
  std::vector<std::size_t> before_;
};

}  // namespace ndt
