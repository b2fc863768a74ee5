// Points on the device in the order of their cells.
#pragma once

#include <cstdint>

#include "cub_call.cuh"
#include "ndt/cuda/buffer.cuh"
#include "ndt/voxel/map_cloud.hpp"

namespace ndt {

using Key = std::uint64_t;

/// Runs of equal keys among those in increasing order.
unsigned count_runs(cuda::Context& context, const Key* sorted_keys, unsigned n);

/// The keys of all points in increasing order, equal ones in cloud order, and the starts of runs with enough
/// points. Waits for the device.
class SortedPoints {
 public:
  /// least: points from which on a run has a start. There is at least one point. Throws InputError if one is
  /// outside the limits of cells.
  SortedPoints(cuda::Context& context, const MapPoints& points, float inverse_resolution, unsigned least);

  unsigned size() const { return n_; }
  const Key* keys() const { return keys_; }
  const unsigned* order() const { return order_; }
  const unsigned* starts() const { return starts_.data(); }
  unsigned runs() const { return runs_; }
  CubScratch& scratch() { return scratch_; }

 private:
  unsigned n_;
  CubScratch scratch_;
  cuda::DeviceBuffer<Key> key_pair_;
  cuda::DeviceBuffer<unsigned> order_pair_;
  cuda::DeviceBuffer<unsigned> starts_;
  const Key* keys_ = nullptr;
  const unsigned* order_ = nullptr;
  unsigned runs_ = 0;
};

}  // namespace ndt
