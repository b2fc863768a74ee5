// The searches of a localisation for a lost pose: the time that a scan has for them, and how far they came.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "localize/scan_sequence.hpp"
#include "ndt/localization/scan_report.hpp"

namespace ndt::harness {

/// Counts searches, each of which may take several scans.
struct SearchUse {
  std::size_t searches = 0, found = 0, scans = 0;
  double longest_ms = 0;              ///< on one scan
  std::vector<int> found_after = {};  ///< proposals of each search that found a pose
  int attempt = 0;                    ///< of the last search, 0 if it found a pose
  int done = 0, planned = 0;          ///< its proposals so far, 0 if it has ended, and in all

  /// ms: what it took.
  void add(const localization::Recovered& recovered, double ms);
  /// "8 on 11 scans: 3 found a pose, after 100 of 200 alignments (median); 0.90 s on a scan at most".
  std::string text() const;
};

/// The time for a search on one scan [ms]: the median time between scans on a GPU, 1 s on a CPU. Scans arrive
/// `speed` times as fast as they were recorded.
double search_time_ms(const std::vector<TimedScan>& scans, double speed, bool on_device);

/// "search 3: 100 of 200" while one goes on, for a progress line; else empty.
std::string progress_words(const localization::ScanReport& report);

}  // namespace ndt::harness
