// A regular file read once from front to back through a small buffer. It is never mapped, because a mapped
// file that shrinks while it is read raises a signal instead of an error.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace ndt::io {

/// All members throw ndt::InputError.
class ByteSource {
 public:
  /// Refuses what is missing, unreadable, not a regular file, or larger than Limits::kFileBytes; opening
  /// never blocks.
  explicit ByteSource(const std::filesystem::path& file);
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// The file's name, printable, for messages.
  const std::string& name() const { return name_; }
  /// Bytes the file had when it was opened; what is appended later is not read.
  std::uint64_t size() const { return size_; }
  /// Offset of the next byte.
  std::uint64_t position() const { return fetched_ - (end_ - next_); }
  std::uint64_t remaining() const { return size_ - position(); }

  /// The next byte, 0..255, or kEnd.
  int get() {
    if (next_ == end_ && !refill()) return kEnd;
    return std::to_integer<int>(buffer_[next_++]);
  }
  /// Fills `out`. The caller has checked it against remaining().
  void read(std::span<std::byte> out);
  /// Skips bytes without reading them. The caller has checked the number against remaining().
  void skip(std::uint64_t bytes);

  static constexpr int kEnd = -1;

 private:
  bool refill();
  void fetch(std::span<std::byte> out);

  std::string name_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t fetched_ = 0;  // bytes taken from the file, buffered ones included
  std::vector<std::byte> buffer_;
  std::size_t next_ = 0, end_ = 0;
};

}  // namespace ndt::io
