// Other work on the GPU, while something else is tested.
#pragma once

#include <memory>

namespace ndt {

/// Keeps a stream of its own busy with kernels and fills, from a thread, until it is destroyed.
class BusyStream {
 public:
  /// Returns when the first work is done. Throws std::runtime_error if there is none to be had.
  BusyStream();
  ~BusyStream();

  /// Kernels that have ended so far. Throws std::runtime_error if a CUDA call failed.
  long long kernels() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace ndt
