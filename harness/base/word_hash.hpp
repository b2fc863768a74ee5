// A hash of much memory at the memory's speed: it tells things apart, not whether anyone meant harm.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace ndt::harness {

/// Four chains of 64-bit words, because one would wait for its multiplications. Every step is a bijection, so
/// a single word that changes always changes the value.
class WordHash {
 public:
  /// Adds bytes, in any portions.
  void add(std::span<const std::byte> bytes) {
    size_ += bytes.size();
    if (pending_ > 0) {
      const std::size_t some = std::min(bytes.size(), block_.size() - pending_);
      std::memcpy(block_.data() + pending_, bytes.data(), some);
      pending_ += some;
      bytes = bytes.subspan(some);
      if (pending_ < block_.size()) return;
      add_block(block_.data());
      pending_ = 0;
    }
    for (; bytes.size() >= block_.size(); bytes = bytes.subspan(block_.size())) add_block(bytes.data());
    std::copy(bytes.begin(), bytes.end(), block_.begin());
    pending_ = bytes.size();
  }
  template <class T>
  void add_value(const T& value) {
    add(std::as_bytes(std::span(&value, 1)));
  }
  std::uint64_t value() const {
    WordHash all = *this;
    std::fill(all.block_.begin() + static_cast<std::ptrdiff_t>(pending_), all.block_.end(), std::byte{0});
    all.add_block(all.block_.data());
    std::uint64_t hash = size_;
    for (const std::uint64_t lane : all.lanes_) hash = mixed(hash, lane);
    return hash;
  }

 private:
  static std::uint64_t mixed(std::uint64_t hash, std::uint64_t word) {
    return std::rotl((hash ^ word) * 0x9e3779b97f4a7c15ULL, 29);
  }
  void add_block(const std::byte* from) {
    std::array<std::uint64_t, 4> words;
    std::memcpy(words.data(), from, sizeof(words));
    for (std::size_t k = 0; k < words.size(); ++k) lanes_[k] = mixed(lanes_[k], words[k]);
  }

  std::array<std::uint64_t, 4> lanes_{0x243f6a8885a308d3ULL, 0x13198a2e03707344ULL, 0xa4093822299f31d0ULL,
                                      0x082efa98ec4e6c89ULL};
  std::array<std::byte, 32> block_{};
  std::size_t pending_ = 0;  ///< bytes in the block
  std::uint64_t size_ = 0;
};

}  // namespace ndt::harness
