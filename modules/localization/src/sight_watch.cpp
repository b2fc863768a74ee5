#include "ndt/localization/sight_watch.hpp"

#include <system_error>
#include <utility>

namespace ndt::localization {

SightThread::SightThread()
    : thread_([this](const std::stop_token& stop) {
        std::unique_lock lock(mutex_);
        while (changed_.wait(lock, stop, [this] { return look_.has_value(); })) {
          Look look = std::move(*look_);
          look_.reset();
          lock.unlock();
          look();
          lock.lock();
        }
      }) {}

std::future<initial_pose::Sight> SightThread::begin(Look look) {
  std::future<initial_pose::Sight> seen = look.get_future();
  {
    const std::lock_guard lock(mutex_);
    look_ = std::move(look);
  }
  changed_.notify_one();
  return seen;
}

void SightWatch::reset() {
  beside_ = {};
  wait_ = 0;
  suspicious_ = true;
}

bool SightWatch::judge(const PointCloud& scan, ScanReport& report) {
  if (!lines_ || every_ == 0) return false;
  const bool waited = take_due(report);
  if (report.verdict != Verdict::ok) return waited;
  if (report.source == PoseSource::searched) suspicious_ = true;
  if (!suspicious_ && wait_-- > 0) return waited;
  wait_ = every_ - 1;
  if (!suspicious_ && every_ > kScansOfALook && look_beside(scan, report.map_from_scan)) return true;
  report.sight = lines_->look(initial_pose::ScanRays(scan), report.map_from_scan);
  suspicious_ = report.sight->contradiction() > bound_;
  if (suspicious_) {
    report.verdict = Verdict::doubtful;
    report.reason = Reason::contradicted;
  }
  return true;
}

bool SightWatch::take_due(ScanReport& report) {
  if (!beside_.valid() || --due_ > 0) return false;
  report.sight = beside_.get();
  if (report.sight->contradiction() > bound_) suspicious_ = true;
  return true;
}

bool SightWatch::look_beside(const PointCloud& scan, const Transform& map_from_scan) {
  try {
    if (!thread_) thread_ = std::make_unique<SightThread>();
  } catch (const std::system_error&) {
    return false;
  }
  beside_ = thread_->begin(SightThread::Look([lines = lines_, scan, map_from_scan] {
    return lines->look(initial_pose::ScanRays(scan), map_from_scan);
  }));
  due_ = kScansOfALook;
  return true;
}

}  // namespace ndt::localization
