// Ctrl-C and SIGTERM at places where work can be left in order: files are closed, children ended, and what is
// half done is removed.
#pragma once

#include <stdexcept>

namespace ndt::harness {

struct Interrupted : std::runtime_error {
  explicit Interrupted(int by) : std::runtime_error("interrupted"), signal(by) {}
  int signal;
};

/// While one lives, the first SIGINT or SIGTERM is noted, and the second ends the process. Only one at a
/// time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Throws Interrupted if a signal was noted. Does nothing without an Interruption.
  static void check();
};

/// Ends this process by the signal, as a shell expects of a program that was interrupted.
[[noreturn]] void end_by(int signal);

}  // namespace ndt::harness
