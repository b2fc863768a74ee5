#include "base/exit_code.hpp"

#include "ndt/core/error.hpp"

namespace ndt::harness {

ExitCode exit_code_of(const std::exception& error) {
  if (dynamic_cast<const InputError*>(&error)) return ExitCode::bad_input;
  if (dynamic_cast<const std::invalid_argument*>(&error)) return ExitCode::usage;
  if (dynamic_cast<const RegressionError*>(&error)) return ExitCode::regression;
  if (dynamic_cast<const NoDeviceError*>(&error)) return ExitCode::no_device;
  return ExitCode::jobs_failed;
}

}  // namespace ndt::harness
