// How ndt-bench ends, and the exceptions that lead there.
#pragma once

#include <stdexcept>

namespace ndt::harness {

enum class ExitCode {
  ok = 0,
  usage = 1,        ///< the command line, a name or an option cannot be used
  bad_input = 2,    ///< a file cannot be read, used or written
  regression = 3,   ///< a result is not what it must be
  jobs_failed = 4,  ///< some work of many failed; the rest was done
  no_device = 5     ///< what was asked for by name cannot run on this machine
};

struct UsageError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};
struct RegressionError : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct NoDeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// InputError (core/error.hpp) is bad_input, any std::invalid_argument usage; what has no code of its own is jobs_failed.
ExitCode exit_code_of(const std::exception& error);

}  // namespace ndt::harness
