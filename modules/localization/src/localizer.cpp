#include "ndt/localization/localizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ndt/localization/covariance.hpp"

namespace ndt::localization {
namespace {

/// Checked before the first member takes them.
const LocalizerOptions& valid(const LocalizerOptions& options) {
  validate(options);
  return options;
}

}  // namespace

Localizer::Localizer(Aligner& tracker, const LocalizerOptions& options, Searcher searcher)
    : tracker_(tracker),
      options_(valid(options)),
      searcher_(std::move(searcher)),
      predictor_(options),
      gnss_(options.buffer_age_s, options.buffer_jump_m),
      recovery_(options) {}

void Localizer::start_at(const Transform& map_from_scan) {
  require_rigid(map_from_scan, "start_at");
  predictor_.start_at(map_from_scan);
  recovery_.reset();
  search_first_ = false;
  begin();
}

void Localizer::start_by_search(const initial_pose::PosePrior& prior) {
  if (!recovery_.on())
    throw std::invalid_argument("start_by_search: recovery-particles = 0: a search needs one or more");
  recovery_.begin_with(prior);
  predictor_.start_at(to_transform(prior.mean));
  search_first_ = true;
  begin();
}

void Localizer::begin() {
  started_ = true;
  last_stamp_s_.reset();
  rejected_ = 0;
}

ScanReport Localizer::localize(double stamp_s, const PointCloud& scan, const PerScan& limits) {
  require_next(stamp_s);
  ScanReport report;
  report.stamp_s = stamp_s;
  report.prediction = predictor_.at(stamp_s);
  report.map_from_scan = report.prediction.map_from_scan;
  PerScan per_scan = limits;
  regularise(per_scan, report);
  const bool can_align = usable(scan, report);
  if (can_align && !search_first_) align(scan, per_scan, report);

  report.rejected = report.source == PoseSource::aligned ? 0 : rejected_ + 1;
  const bool lost = search_first_ || report.rejected >= options_.lost_after;
  if (lost && can_align && recovery_.on()) search(scan, per_scan, report);
  if (report.source == PoseSource::predicted) report.verdict = lost ? Verdict::lost : Verdict::doubtful;
  settle(scan, per_scan, report);
  diagnose(report, options_);
  return report;
}

void Localizer::require_next(double stamp_s) const {
  if (!started_)
    throw std::logic_error("localize: there is no start; call start_at or start_by_search before");
  if (!std::isfinite(stamp_s))
    throw std::invalid_argument(fmt::format("localize: time {} is not finite", stamp_s));
  if (last_stamp_s_ && stamp_s <= *last_stamp_s_)
    throw std::invalid_argument(fmt::format(
        "localize: time {} does not come after {}, the scan before; give scans in the order of their times",
        stamp_s, *last_stamp_s_));
}

bool Localizer::usable(const PointCloud& scan, ScanReport& report) const {
  double farthest = 0;
  for (const Point& p : scan.points) {
    const Vec3<double> at = scan.origin + cast<double>(p);
    const double square = dot(at, at);
    if (!std::isfinite(square)) continue;
    ++report.points;
    farthest = std::max(farthest, square);
  }
  report.farthest_m = std::sqrt(farthest);
  if (report.points == 0)
    report.reason = Reason::scan_empty;
  else if (report.farthest_m < options_.required_range_m)
    report.reason = Reason::scan_short_range;
  return report.reason == Reason::none;
}

void Localizer::regularise(PerScan& per_scan, ScanReport& report) {
  if (!per_scan.regularisation && gnss_.size() > 0) {
    const PoseBuffer::Found found = gnss_.at(report.stamp_s);
    report.gnss_miss = found.miss;
    if (found.pose) per_scan.regularisation = RegularisationTarget{(*found.pose)(0, 3), (*found.pose)(1, 3)};
  }
  report.regularisation = per_scan.regularisation;
  gnss_.forget_before(report.stamp_s);
}

void Localizer::align(const PointCloud& scan, const PerScan& per_scan, ScanReport& report) {
  const Transform& guess = report.prediction.map_from_scan;
  tracker_.score_batch(scan, {&guess, 1}, {&report.before.emplace(), 1});
  report.aligned = tracker_.align(scan, guess, per_scan);
  report.moved_m = translation_error_m(guess, report.aligned->map_from_scan);
  report.judgement = judged(measured(*report.aligned, guess, options_), options_);
  report.reason = report.judgement.reason;
  if (!report.judgement.accepted) return;
  report.source = PoseSource::aligned;
  report.map_from_scan = report.aligned->map_from_scan;
  report.verdict = report.reason == Reason::none ? Verdict::ok : Verdict::doubtful;
}

void Localizer::search(const PointCloud& scan, const PerScan& per_scan, ScanReport& report) {
  Aligner& aligner = searcher_ ? searcher_() : tracker_;
  report.recovery = recovery_.search(aligner, scan, report.prediction.map_from_scan, per_scan);
  if (!report.recovery->found) {
    report.reason = Reason::not_found;
    return;
  }
  report.source = PoseSource::searched;
  report.map_from_scan = report.recovery->result.map_from_scan;
  report.reason = report.recovery->reliable ? Reason::none : Reason::unproven;
  report.verdict = report.recovery->reliable ? Verdict::ok : Verdict::doubtful;
  report.rejected = 0;
}

/// The covariance of the pose, and what it means for the scans to come.
void Localizer::settle(const PointCloud& scan, const PerScan& per_scan, ScanReport& report) {
  last_stamp_s_ = report.stamp_s;
  rejected_ = report.rejected;
  const double stamp_s = report.stamp_s;
  if (report.source == PoseSource::predicted) {
    predictor_.assume(stamp_s, report.map_from_scan);
    if (report.verdict == Verdict::lost) predictor_.forget_velocity();
    return;
  }
  search_first_ = false;
  recovery_.reset();
  const bool searched = report.source == PoseSource::searched;
  // Where something was predicted, a jump corrects a wrong pose; where nothing was, it may be how fast it
  // goes.
  const bool corrected = report.reason == Reason::jump && report.prediction.by != Prediction::none;
  if (searched || corrected)
    predictor_.jump_to(stamp_s, report.map_from_scan);
  else
    predictor_.follow(stamp_s, report.map_from_scan);
  const AlignResult& result = searched ? report.recovery->result : *report.aligned;
  const Estimate estimate = estimated(tracker_, scan, result, options_, per_scan);
  if (estimate.xy) report.covariance_by = options_.covariance;
  report.covariance_missing = estimate.missing;
  report.covariance = pose_covariance(result.map_from_scan, estimate.xy, options_);
}

}  // namespace ndt::localization
