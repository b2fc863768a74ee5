#include "ndt/localization/pose_buffer.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "ndt/core/formatted.hpp"
#include "ndt/localization/rigid_motion.hpp"

namespace ndt::localization {

void PoseBuffer::push(const StampedPose& pose) {
  if (!std::isfinite(pose.stamp_s))
    throw std::invalid_argument(formatted("pose buffer: time {} is not finite", pose.stamp_s));
  require_rigid(pose.pose, "pose buffer");
  if (!poses_.empty() && pose.stamp_s < poses_.back().stamp_s) poses_.clear();
  poses_.push_back(pose);
}

namespace {

const std::optional<PositionCovariance>& larger(const StampedPose& a, const StampedPose& b) {
  if (!a.covariance || !b.covariance) return a.covariance ? b.covariance : a.covariance;
  return a.covariance->xx + a.covariance->yy < b.covariance->xx + b.covariance->yy ? b.covariance
                                                                                   : a.covariance;
}

double moved_since(const StampedPose& before, const StampedPose& last, double stamp_s) {
  const double gap_s = last.stamp_s - before.stamp_s;
  return gap_s > 0 ? translation_error_m(before.pose, last.pose) / gap_s * (stamp_s - last.stamp_s) : 0;
}

}  // namespace

PoseBuffer::Found PoseBuffer::at(double stamp_s) const {
  if (poses_.size() < 2) return {std::nullopt, Miss::too_few};
  if (stamp_s < poses_.front().stamp_s) return {std::nullopt, Miss::before_first};
  const auto after =
      std::ranges::upper_bound(poses_, stamp_s, {}, &StampedPose::stamp_s);  // the first later than the time
  const StampedPose& old = *(after - 1);
  if (old.stamp_s == stamp_s) return {old.pose, Miss::none, old.covariance, 0, old.pose, old.pose};
  const StampedPose& next = after == poses_.end() ? old : *after;
  for (const StampedPose* pose : {&old, &next})
    if (!(std::abs(pose->stamp_s - stamp_s) < age_s_)) return {std::nullopt, Miss::too_old};
  if (!(translation_error_m(old.pose, next.pose) < jump_m_)) return {std::nullopt, Miss::jump};
  if (&old == &next)
    return {old.pose, Miss::none, old.covariance, moved_since(*(after - 2), old, stamp_s),
            old.pose, old.pose};
  return {interpolated(old.pose, next.pose, (stamp_s - old.stamp_s) / (next.stamp_s - old.stamp_s)),
          Miss::none,
          larger(old, next),
          0,
          old.pose,
          next.pose};
}

/// The pose at that time; beyond the first and the last moved on with the velocity there.
std::optional<Transform> PoseBuffer::carried_to(double stamp_s) const {
  if (poses_.size() < 2) return std::nullopt;
  const bool before = stamp_s < poses_.front().stamp_s;
  if (!before && stamp_s <= poses_.back().stamp_s) return at(stamp_s).pose;
  const StampedPose& first = before ? poses_[0] : poses_[poses_.size() - 2];
  const StampedPose& second = before ? poses_[1] : poses_.back();
  const StampedPose& edge = before ? first : second;
  const double gap_s = second.stamp_s - first.stamp_s;
  if (!(gap_s > 0 && gap_s < 2 * age_s_ && std::abs(stamp_s - edge.stamp_s) < age_s_)) return std::nullopt;
  return edge.pose * moved_by(twist_between(first.pose, second.pose, gap_s), stamp_s - edge.stamp_s);
}

std::optional<Transform> PoseBuffer::motion(double from_s, double to_s) const {
  const std::optional<Transform> from = carried_to(from_s), to = carried_to(to_s);
  if (!from || !to) return std::nullopt;
  return inverse(*from) * *to;
}

void PoseBuffer::forget_before(double stamp_s) {
  while (poses_.size() > 2 && poses_[1].stamp_s <= stamp_s) poses_.pop_front();
}

}  // namespace ndt::localization
