// FNV-1a with 64 bits: a checksum that tells things apart, not whether anyone meant harm.
#pragma once

#include <cstdint>

namespace ndt::harness {

class Fnv1a {
 public:
  void add(unsigned char byte) { hash_ = (hash_ ^ byte) * 0x100000001b3ULL; }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

}  // namespace ndt::harness
