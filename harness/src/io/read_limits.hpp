// What a reader takes in at most. Past a limit a file is refused by name of the limit, never cut off silently.
#pragma once

#include <cstdint>

namespace ndt::harness {

struct ReadLimits {
  static constexpr std::uint64_t kPoints = std::uint64_t{1} << 27;        ///< 32-bit indices and byte sums stay safe
  static constexpr std::uint64_t kFileBytes = std::uint64_t{16} << 30;    ///< about 128 bytes a point
  static constexpr std::uint64_t kHeaderBytes = std::uint64_t{64} << 10;  ///< comments included
  static constexpr std::uint64_t kTokenBytes = 256;                       ///< one word of text
  static constexpr std::uint64_t kRecordBytes = std::uint64_t{1} << 20;   ///< all fields of one point
  static constexpr std::uint64_t kUnpackedBytes = 0xFFFFFFFF;             ///< the format counts them in 32 bits
  static constexpr double kOriginM = 1e9;                                 ///< beyond, it is no place on Earth
};

}  // namespace ndt::harness
