#include "ndt/localization/sight_watch.hpp"

namespace ndt::localization {

void SightWatch::judge(const PointCloud& scan, ScanReport& report) {
  if (!lines_ || every_ == 0 || report.verdict != Verdict::ok) return;
  if (report.source == PoseSource::searched) wait_ = 0;
  if (wait_-- > 0) return;
  report.sight = lines_->look(initial_pose::ScanRays(scan), report.map_from_scan);
  const bool contradicts = report.sight->contradiction() > bound_;
  wait_ = contradicts ? 0 : every_ - 1;
  if (!contradicts) return;
  report.verdict = Verdict::doubtful;
  report.reason = Reason::contradicted;
}

}  // namespace ndt::localization
