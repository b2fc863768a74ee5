// The base of every fuzz target: bytes as a file, and checks that hold for any bytes.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "ndt/core/error.hpp"

// libFuzzer calls it with inputs of its own making, replay.cpp with the files of a corpus. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace ndt::fuzz {

/// Ends the program as a finding.
[[noreturn]] inline void finding(std::string_view what) {
  std::fprintf(stderr, "FINDING: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

inline void require(bool holds, std::string_view what) {
  if (!holds) finding(what);
}

inline std::string_view text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A regular file in memory.
class MemoryFile {
 public:
  MemoryFile()
      : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)),
        path_("/proc/self/fd/" + std::to_string(descriptor_)) {
    require(descriptor_ >= 0, "no memory file");
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }

  const std::filesystem::path& path() const { return path_; }
  /// The file with these bytes as its content.
  const std::filesystem::path& with(const std::uint8_t* data, std::size_t size) {
    const bool written = ::pwrite(descriptor_, data, size, 0) == static_cast<ssize_t>(size) &&
                         ::ftruncate(descriptor_, static_cast<off_t>(size)) == 0;
    require(written, "cannot write the memory file");
    return path_;
  }

 private:
  int descriptor_;
  std::filesystem::path path_;
};

/// A message fit for a terminal: one line, not too long, without control characters.
inline void require_readable(std::string_view message) {
  require(!message.empty() && message.size() < 1000, "a message is empty or too long");
  for (const char c : message)
    require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F, "a message has control characters");
}

/// Returns the result of `read`, or nothing if it refuses with an Error, the one exception it may throw.
template <class Error = InputError, class Read>
auto read_or_refuse(Read read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& error) {
    require_readable(error.what());
    return std::nullopt;
  }
}

/// Likewise; a refusal of a file says what is wrong and, after a semicolon, what to do.
template <class Read>
auto read_file_or_refuse(Read read) {
  return read_or_refuse([&] {
    try {
      return read();
    } catch (const InputError& error) {
      require(std::string_view(error.what()).find("; ") != std::string_view::npos,
              "a refusal gives no advice");
      throw;
    }
  });
}

}  // namespace ndt::fuzz
