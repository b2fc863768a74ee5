// What a reader takes in at most. Past a limit a file is refused by name of the limit, never cut off silently. The limits
// of the registration itself are in ndt/core/limits.hpp.
#pragma once

#include <cstdint>

namespace ndt::harness {

struct ReadLimits {
  static constexpr std::uint64_t kPoints = std::uint64_t{1} << 27;        ///< 32-bit indices and byte sums stay safe
  static constexpr std::uint64_t kFileBytes = std::uint64_t{16} << 30;    ///< about 128 bytes a point
  static constexpr std::uint64_t kHeaderBytes = std::uint64_t{64} << 10;  ///< comments included
  static constexpr std::uint64_t kTokenBytes = 256;                       ///< one word of text
  static constexpr std::uint64_t kRecordBytes = std::uint64_t{1} << 20;   ///< all fields of one point
  static constexpr std::uint64_t kUnpackedBytes = 0xFFFFFFFF;             ///< PCD counts compressed data in 32 bits
  static constexpr std::uint64_t kPoses = std::uint64_t{1} << 24;         ///< of a trajectory: two days at 100 Hz
  static constexpr double kOriginM = 1e9;                                 ///< beyond, it is no place on Earth
  static constexpr double kQuaternionNorm = 1e-3;  ///< a quaternion's length may be this far from 1: four digits of text
};

}  // namespace ndt::harness
