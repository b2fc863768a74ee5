// How far the host has brought a scan, for a kernel that was launched before the scan was checked and copied.
#pragma once

#include <atomic>
#include <cstdint>

namespace ndt {

/// In pinned memory. The host writes it while a kernel reads it.
struct alignas(16) ScanArrival {
  std::int64_t points = 0;  ///< that are in their place
  double per_metre = 0;  ///< one over the scan's mean range [1/m] once all are; less than 0: it will not come
  std::int32_t given_up = 0;  ///< of the kernel: it has waited for too long, and ends without a result

  /// The functions for the host.
  void publish(std::int64_t more) { store(points, more); }
  void complete(double one_over_mean_range) { store(per_metre, one_over_mean_range); }
  void withdraw() { store(per_metre, -1.0); }
  bool kernel_has_given_up() {
    return std::atomic_ref<std::int32_t>(given_up).load(std::memory_order_acquire) != 0;
  }

 private:
  template <class T>
  static void store(T& to, T value) {
    std::atomic_ref<T>(to).store(value, std::memory_order_release);
  }
};

}  // namespace ndt
