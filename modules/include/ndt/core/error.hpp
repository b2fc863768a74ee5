// Exceptions for unusable input, and for a device that hangs. Mistakes of the caller are
// std::invalid_argument and std::logic_error; numerical outcomes are data (align/align_result.hpp, Stop),
// never exceptions.
#pragma once

#include <stdexcept>

namespace ndt {

/// Input data that cannot be used: an unreadable file, a map without a valid voxel. The text names file, byte
/// or line, field and remedy.
struct InputError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A map in which no voxel has enough points.
struct NoValidVoxel : InputError {
  using InputError::InputError;
};

/// A device that did not come to an end. The text says which wait was in vain, after how long, whether the
/// aligner can be used again, and what to do.
struct DeviceHung : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace ndt
