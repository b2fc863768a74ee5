// The errors a user sees: how messages are formed, and which exit code of ndt-bench each exception leads to.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/io_names.hpp"
#include "ndt/io/errors.hpp"

namespace ndt::harness {

enum class ExitCode {
  ok = 0,
  usage = 1,        ///< the command line, a name or an option cannot be used
  bad_input = 2,    ///< a file cannot be read, used or written
  regression = 3,   ///< a result differs from what it must be
  jobs_failed = 4,  ///< some work of many failed, or a result is not as required; the rest was done
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

/// Maps InputError (core/error.hpp) to bad_input, any std::invalid_argument to usage, and other exceptions to
/// jobs_failed.
ExitCode exit_code_of(const std::exception& error);

/// The name that is nearest in edits; empty if none is within half its length.
std::string nearest_name(std::string_view given, std::span<const std::string> names);

/// Forms every message about a name that does not exist: "unknown <kind> '<given>': did you mean '<nearest>'?
/// choose from a, b, c". The nearest name is left out if none is within half its length in edits.
UsageError unknown_name(std::string_view kind, std::string_view given, std::span<const std::string> names);

}  // namespace ndt::harness
