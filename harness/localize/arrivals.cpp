#include "localize/arrivals.hpp"

#include <algorithm>

namespace ndt::harness {

double Arrivals::arrival_s(std::size_t frame) const {
  return *began_s_ + (scans_[frame].stamp_s - scans_[0].stamp_s) / real_time_->speed;
}

std::optional<Arrival> Arrivals::next() {
  if (next_ == scans_.size()) return std::nullopt;
  if (!real_time_) return Arrival{next_++, 0, std::nullopt};
  Clock& clock = *real_time_->clock;
  double now_s = clock.now_s();
  if (!began_s_) began_s_ = now_s;
  if (now_s < arrival_s(next_)) {
    clock.wait_until(arrival_s(next_));
    now_s = std::max(clock.now_s(), arrival_s(next_));  // a clock may wake up too early by a hair
  }
  const std::size_t first = next_;
  while (next_ + 1 < scans_.size() && arrival_s(next_ + 1) <= now_s) ++next_;
  const std::size_t frame = next_++;
  return Arrival{frame, frame - first, now_s - arrival_s(frame)};
}

void Arrivals::outside_time(const std::function<void()>& work) {
  const double before_s = began_s_ ? real_time_->clock->now_s() : 0;
  work();
  if (began_s_) *began_s_ += real_time_->clock->now_s() - before_s;
}

}  // namespace ndt::harness
