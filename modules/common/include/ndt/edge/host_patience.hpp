// How long the host waits for a device that has been given alignments, before it says that the device hangs.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace ndt {

/// The work of a launch, at most.
struct DeviceWork {
  std::size_t points = 0, poses = 0, evaluations = 0;  ///< points of the scan; evaluations of each pose
};

class HostPatience {
 public:
  using Clock = std::chrono::steady_clock;

  /// Beyond the caller's deadline, in seconds. A device that goes on has ended long before.
  static constexpr double kBeyondS = 10;
  /// A device that takes longer for a point of an evaluation is no slow device: ten times what one
  /// multiprocessor of a small one takes.
  static constexpr double kPointS = 1e-6;

  HostPatience() = default;
  /// deadline: of the caller, after which every pose ends with its next evaluation; nothing: poses may take
  /// all their evaluations.
  HostPatience(const DeviceWork& work, const std::optional<Clock::time_point>& deadline)
      : deadline_(deadline),
        seconds_(kBeyondS + kPointS * static_cast<double>(work.points) * static_cast<double>(work.poses) *
                                static_cast<double>(deadline ? 1 : work.evaluations + 1)) {}

  /// Tells that a wait begins.
  void begin() { since_.reset(); }
  /// Whether the wait is in vain. Its clock begins at the first of these calls after the deadline.
  bool over(Clock::time_point now) {
    if (deadline_ && now < *deadline_) return false;
    if (!since_) since_ = now;
    return std::chrono::duration<double>(now - *since_).count() >= seconds_;
  }
  double seconds() const { return seconds_; }

 private:
  std::optional<Clock::time_point> deadline_, since_;
  double seconds_ = kBeyondS;
};

}  // namespace ndt
