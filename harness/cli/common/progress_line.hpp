// How far a run is: one redrawn line on a terminal, plain lines now and then elsewhere.
#pragma once

#include "base/clock.hpp"
#include "base/interruption.hpp"
#include "base/progress.hpp"

namespace ndt::harness {

class ProgressLine {
 public:
  /// Writes to stderr. already_done: measurements of an earlier session, which say nothing about the time
  /// left. since: the begin of the work.
  explicit ProgressLine(std::size_t already_done = 0, Stopwatch since = {});
  ~ProgressLine();  ///< leaves no half line behind
  /// The last step takes the line away.
  void show(const Progress& progress);
  /// Calls show; refers to this line. Where Ctrl-C is noted (base/interruption.hpp), throws Interrupted.
  ReportProgress report() {
    return [this](const Progress& progress) {
      Interruption::check();
      show(progress);
    };
  }

 private:
  bool terminal_;
  std::size_t already_done_;
  Stopwatch since_;
  Stopwatch last_;
  bool first_ = true, ended_ = false;
};

/// "[#####---------------]  25 %  120/480  1:20 left  persistent_cpu on town"; the time left once it can be
/// told.
std::string progress_text(const Progress& progress, double elapsed_s, std::size_t already_done);

}  // namespace ndt::harness
