// A child process of this program under watch: its output, its time between two lines, its memory, and how
// it ended.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ndt::harness {

struct ChildLimits {
  double silence_s = 60;  ///< longest time without a line
  std::int64_t memory_bytes = 0;
};

struct ChildEnd {
  enum class Kind { finished, crashed, silent, too_large };
  Kind kind = Kind::finished;  ///< finished: it exited with code 0
  std::string reason;          ///< of any other end
};

/// Runs this program's own file with `arguments`; calls `line` for everything it writes to descriptor
/// kMeasurementsDescriptor, line by line. What it writes to stdout and stderr is kept for the reason of a
/// failure. It is killed past a limit, if `line` throws, and when this process ends, however that happens.
/// Throws Interrupted (base/interruption.hpp).
ChildEnd run_child(const std::vector<std::string>& arguments, const ChildLimits& limits,
                   const std::function<void(const std::string&)>& line);

inline constexpr int kMeasurementsDescriptor = 3;

/// Called by the child, so that it is killed when its parent ends.
void die_with_parent(pid_t parent);

}  // namespace ndt::harness
