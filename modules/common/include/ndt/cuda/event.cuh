// A point in a stream's time, for measuring on the device.
#pragma once

#include "ndt/cuda/context.cuh"

namespace ndt::cuda {

class Event {
 public:
  explicit Event(Context& context) : context_(context) {
    context.call("cudaEventCreate", [&] { return cudaEventCreate(&event_); });
  }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void record() {
    context_.call("cudaEventRecord", [&] { return cudaEventRecord(event_, context_.stream()); });
  }
  /// Device time since `start` [µs]; both must have been reached.
  double us_since(const Event& start) const {
    float ms = 0;
    context_.call("cudaEventElapsedTime", [&] { return cudaEventElapsedTime(&ms, start.event_, event_); });
    return 1000.0 * static_cast<double>(ms);
  }

 private:
  Context& context_;
  cudaEvent_t event_ = nullptr;
};

}  // namespace ndt::cuda
