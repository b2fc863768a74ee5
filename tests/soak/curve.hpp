// Memory and time of one piece of work done very often, and whether both stay flat.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ndt::soak {

/// The use of this process since the work began.
struct Sample {
  std::int64_t done = 0;
  double seconds = 0;      ///< by the clock
  double cpu_seconds = 0;  ///< of all threads
  std::int64_t resident_kib = 0;
  std::int64_t device_kib = 0;  ///< taken on device 0 by all processes; 0 without a device
};

/// Growth from the third to the last quarter of the work that still counts as flat: of the median resident
/// memory, and of the device's. A leak of 5 bytes an alignment is more in a million of them.
inline constexpr std::int64_t kMostGrowth_kib = 1024;
/// Time of one piece in the last quarter of the work over that in the second: lower quartiles, which other
/// work on the machine moves least.
inline constexpr double kMostSlowing = 1.1;

struct Verdict {
  std::int64_t growth_kib = 0, device_growth_kib = 0;
  double slowing = 1;
  bool memory_flat() const { return growth_kib <= kMostGrowth_kib && device_growth_kib <= kMostGrowth_kib; }
  bool time_flat() const { return slowing <= kMostSlowing; }
};

/// On a device by the clock; else by the time of the CPU, which other work on the machine changes less.
Verdict judge(const std::vector<Sample>& samples, bool on_device);

/// Does `once` so often, or until the time is over (0: there is none), and takes about 200 samples.
std::vector<Sample> sampled(std::int64_t times, double seconds,
                            const std::function<void(std::int64_t)>& once);

/// Columns implementation, what, done, seconds, cpu_seconds, resident_kib, device_kib.
class Curves {
 public:
  /// Throws std::runtime_error if the file cannot be written.
  explicit Curves(const std::string& file);
  void add(const std::string& implementation, const std::string& what, const std::vector<Sample>& samples);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace ndt::soak
