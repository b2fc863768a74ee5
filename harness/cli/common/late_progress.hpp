// How far a search or a cut is: a line on stderr once it has taken a while.
#pragma once

#include <algorithm>
#include <optional>

#include "base/clock.hpp"
#include "cli/common/progress_line.hpp"

namespace ndt::harness {

class LateProgress {
 public:
  void show(std::size_t done, std::size_t total, const char* of) {
    if (since_.elapsed_us() < kQuietUs || (line_ && shown_.elapsed_us() < kEveryUs)) return;
    if (!line_) line_.emplace(0, since_);
    line_->show({std::min(done, total), total, of});
    shown_ = Stopwatch();
  }

 private:
  static constexpr double kQuietUs = 1e6, kEveryUs = 1e5;
  Stopwatch since_, shown_;
  std::optional<ProgressLine> line_;
};

}  // namespace ndt::harness
