// The facts about one scan when it is done.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "localize/scan_sequence.hpp"
#include "ndt/localization/following_map.hpp"
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

struct LocalizedScan {
  std::size_t frame = 0;
  const TimedScan* scan = nullptr;
  const localization::ScanReport* report = nullptr;
  double execution_ms = 0;
  std::size_t dropped = 0;          ///< scans before it that were not localised
  std::optional<double> delay_s{};  ///< in real time, from its arrival to when it was worked on
  double cpu_ms = 0;  ///< CPU time of the thread, from the filters to the diagnostics, all that the map takes
  const PointCloud* cloud = nullptr;  ///< the scan, filtered
  FrameTimes times{};
  std::optional<std::size_t> map_tiles{};               ///< of a map that follows the vehicle
  std::optional<localization::MapUpdate> map_update{};  ///< before this scan
  bool map_building = false;                            ///< the next map was being built beside this scan
  std::string diagnostics{};                            ///< its line of diagnostics.jsonl
};

/// From its filters to its diagnostics; reading and writing files is in no time.
inline double frame_ms(const LocalizedScan& scan) {
  return scan.times.filter_ms + scan.execution_ms + scan.times.diagnostics_ms;
}

}  // namespace ndt::harness
