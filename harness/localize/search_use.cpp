#include "localize/search_use.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/metrics.hpp"

namespace ndt::harness {
namespace {

constexpr double kCpuMs = 1000;

}  // namespace

void SearchUse::add(const localization::Recovered& recovered, double ms) {
  const int known = recovered.attempt < attempt ? 0 : attempt;
  searches += static_cast<std::size_t>(recovered.attempt - known);
  attempt = recovered.found ? 0 : recovered.attempt;
  ++scans;
  longest_ms = std::max(longest_ms, ms);
  planned = recovered.planned;
  if (recovered.found) {
    ++found;
    found_after.push_back(recovered.done);
  }
  done = recovered.goes_on() ? recovered.done : 0;
}

std::string SearchUse::text() const {
  std::string text = fmt::format("{} on {} scans: {} found a pose", searches, scans, found);
  if (found > 0)
    text += fmt::format(", after {:.0f} of {} alignments (median)",
                        median(std::vector<double>(found_after.begin(), found_after.end())), planned);
  if (done > 0) text += fmt::format("; the last came to {} of {}", done, planned);
  return text + fmt::format("; {:.2f} s on a scan at most", longest_ms / 1000);
}

double search_time_ms(const std::vector<TimedScan>& scans, double speed, bool on_device) {
  if (!on_device || scans.size() < 2) return kCpuMs;
  std::vector<double> periods_ms;
  for (std::size_t k = 1; k < scans.size(); ++k)
    periods_ms.push_back(1000 * (scans[k].stamp_s - scans[k - 1].stamp_s) / speed);
  return median(periods_ms);
}

std::string progress_words(const localization::ScanReport& report) {
  if (!report.recovery || !report.recovery->goes_on()) return "";
  return fmt::format("search {}: {} of {}", report.recovery->attempt, report.recovery->done,
                     report.recovery->planned);
}

}  // namespace ndt::harness
