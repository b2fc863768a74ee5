// The order in which a random sample takes points: by a number that depends on the seed and on the point's
// place alone. So every thread, on whatever machine, knows a point's number without the others.
#pragma once

#include <cstdint>

#include "ndt/core/hd.hpp"

namespace ndt {

/// Mixes the bits of a number. No two numbers have one outcome. [Steele, Lea, Flood: Fast splittable
/// pseudorandom number generators, OOPSLA 2014, figure 17, with the constants of Stafford's variant 13]
NDT_HD constexpr std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
  z = (z ^ z >> 27) * 0x94D049BB133111EBU;
  return z ^ z >> 31;
}

/// A sample of n points has the n with the least keys. Keys of different points differ.
struct SampleKeys {
  std::uint64_t start;

  explicit NDT_HD constexpr SampleKeys(std::uint64_t seed) : start(mixed(seed + kStep)) {}
  NDT_HD constexpr std::uint64_t operator()(std::uint64_t point) const {
    return mixed(start + point * kStep);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;  // odd, so that no two points meet
};

/// Keys are told apart by their first bits, and the few that share those of the last one taken, by all.
inline constexpr int kKeyBinBits = 11;
NDT_HD constexpr unsigned key_bin(std::uint64_t key) {
  return static_cast<unsigned>(key >> (64 - kKeyBinBits));
}

}  // namespace ndt
