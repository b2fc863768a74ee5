#include "ndt/localization/diagnosis.hpp"

#include <algorithm>

#include "ndt/core/formatted.hpp"
#include "ndt/localization/beside.hpp"
#include "ndt/localization/gates.hpp"

namespace ndt::localization {
namespace {

/// Whether the scan itself could be used.
void diagnose_scan(ScanReport& report, const LocalizerOptions& options) {
  if (report.reason == Reason::scan_empty)
    report.diagnosis.raise(Level::warn, "the scan has no point that is a measurement");
  if (report.reason == Reason::scan_frozen)
    report.diagnosis.raise(Level::warn, formatted("{} scans in a row have the same bytes: is the sensor or "
                                                  "its driver frozen?",
                                                  report.same_bytes));
  if (report.reason == Reason::scan_short_range)
    report.diagnosis.raise(Level::warn, formatted("the scan reaches {:.1f} m, less than the {:g} m required",
                                                  report.farthest_m, options.required_range_m));
}

void diagnose_sweep(ScanReport& report) {
  const Deskew& deskew = report.deskew;
  if (!deskew.fault.empty())
    report.diagnosis.raise(
        Level::warn,
        formatted("the points are not moved by their times, which are no sweep: {}", deskew.fault));
  if (deskew.timed() && !deskew.done)
    report.diagnosis.raise(Level::warn, "the points are not moved by their times: no motion is known yet");
}

void diagnose_prediction(ScanReport& report, const LocalizerOptions& options) {
  if (report.prediction.odometry_miss != Miss::none)
    report.diagnosis.raise(
        Level::warn, formatted("odometry was not used ({}), but {}",
                               to_string(report.prediction.odometry_miss), to_string(report.prediction.by)));
  if (report.gnss_miss == Miss::contradicts)
    report.diagnosis.raise(
        Level::warn, formatted("GNSS was not used: {:.1f} m from the prediction", report.gnss_beside_m));
  else if (report.gnss_miss != Miss::none)
    report.diagnosis.raise(Level::warn, formatted("GNSS was not used ({})", to_string(report.gnss_miss)));
  if (report.beyond_reach)
    report.diagnosis.raise(Level::warn, "the last accepted pose is too old, or turned too far since");
  if (report.rejected >= options.lost_after)
    report.diagnosis.raise(Level::warn, formatted("{} scans in a row were rejected", report.rejected));
}

void diagnose_spread(const std::optional<Spread>& spread, Diagnosis& diagnosis,
                     const LocalizerOptions& options) {
  if (judged(spread, options) == SpreadVerdict::passed) return;
  if (!spread->known)
    diagnosis.raise(Level::warn, "the spread is unknown: an alignment from beside the result gave no pose");
  else
    diagnosis.raise(Level::warn, formatted("the spread is {:.3f} m, more than {:g} m", spread->distance_m,
                                           options.spread_bound_m));
}

void diagnose_alignment(ScanReport& report, const LocalizerOptions& options) {
  if (!report.aligned) return;
  Diagnosis& diagnosis = report.diagnosis;
  const Measured m = measured(*report.aligned, report.prediction.map_from_scan, report.gap_s, options);
  const Judgement& judgement = report.judgement;
  if (!judgement.iterations_ok)
    diagnosis.raise(Level::warn, formatted("the alignment took all {} iterations", options.max_iterations));
  if (judgement.oscillates)
    diagnosis.raise(Level::warn, formatted("the alignment reversed {} times in a row", m.oscillations));
  if (!judgement.score_ok)
    diagnosis.raise(Level::warn, formatted("{} {:.4f} is not above {:.4g}", to_string(options.score), m.score,
                                           *options.least_score));
  if (!judgement.jump_ok)
    diagnosis.raise(Level::warn, formatted("the result is {:.2f} m from the prediction, more than {:g} m",
                                           m.jump_m, largest_jump_m(m, options)));
  diagnose_spread(report.spread, diagnosis, options);
  if (report.turned && holds(*report.turned))
    diagnosis.raise(
        Level::warn,
        formatted("the scan seems to leave a direction free, but alignments from beside the result "
                  "come back to it within {:.3f} m",
                  report.turned->distance_m));
  if (judgement.reason == Reason::unproven)
    diagnosis.raise(Level::warn, formatted("{} {:.4f} is not judged: no threshold is known",
                                           to_string(options.score), m.score));
  if (m.stop != Stop::converged && m.stop != Stop::max_iterations)
    diagnosis.raise(Level::warn, formatted("the alignment ended as {}", to_string(m.stop)));
}

void diagnose_search(ScanReport& report, const LocalizerOptions& options) {
  if (!report.recovery) return;
  const Recovered& recovery = *report.recovery;
  report.diagnosis.raise(
      Level::warn,
      formatted("search {} with {} of {} particles and sigma {:.1f} m {}: NVTL {:.4f}, {}{}",
                recovery.attempt, recovery.done, recovery.planned, recovery.prior.sigma[0],
                recovery.found       ? "found a pose"
                : recovery.goes_on() ? "goes on"
                                     : "found nothing",
                recovery.nvtl, to_string(recovery.stop), recovery.ambiguous ? ", ambiguous" : ""));
  diagnose_spread(recovery.spread, report.diagnosis, options);
}

void diagnose_sight(ScanReport& report) {
  if (report.reason != Reason::contradicted) return;
  report.diagnosis.raise(Level::warn,
                         formatted("what the scan sees contradicts the map: it looks through {:.0f} % of the "
                                   "map's points in view, and "
                                   "{:.0f} % of its own stand before all of them",
                                   100 * report.sight->seen_through, 100 * report.sight->unmapped));
}

void diagnose_covariance(ScanReport& report) {
  if (report.covariance_missing.empty()) return;
  report.diagnosis.raise(Level::warn,
                         formatted("covariance: {}; the fixed one is given", report.covariance_missing));
}

}  // namespace

void Diagnosis::raise(Level to, std::string message) {
  level = std::max(level, to);
  messages.push_back(std::move(message));
}

void diagnose(ScanReport& report, const LocalizerOptions& options) {
  diagnose_scan(report, options);
  diagnose_sweep(report);
  diagnose_prediction(report, options);
  diagnose_alignment(report, options);
  diagnose_search(report, options);
  diagnose_sight(report);
  diagnose_covariance(report);
  if (report.verdict == Verdict::lost) report.diagnosis.raise(Level::error, "the pose is lost");
}

}  // namespace ndt::localization
