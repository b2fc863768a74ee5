// The time of a scan by stages.
#pragma once

#include <array>
#include <optional>

#include "base/clock.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::harness {

inline constexpr std::size_t kStages = enum_names(localization::Stage{}).size();
/// The times by localization::Stage; nothing for a stage that the scan did not go through.
using StageTimes = std::array<std::optional<double>, kStages>;

struct FrameTimes {
  double filter_ms = 0, diagnostics_ms = 0;
  StageTimes stage_ms{};
};

/// A stopwatch that is read at the end of every stage.
class StageClock {
 public:
  void ended(localization::Stage stage) {
    const double now_ms = elapsed_ms();
    std::optional<double>& spent = stage_ms_[static_cast<std::size_t>(stage)];
    spent = spent.value_or(0) + now_ms - last_ms_;
    last_ms_ = now_ms;
  }
  double elapsed_ms() const { return watch_.elapsed_us() / 1000; }
  const StageTimes& stage_ms() const { return stage_ms_; }

 private:
  Stopwatch watch_;
  double last_ms_ = 0;
  StageTimes stage_ms_{};
};

}  // namespace ndt::harness
