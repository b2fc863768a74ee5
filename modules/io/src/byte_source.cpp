#include "ndt/io/byte_source.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "ndt/core/formatted.hpp"
#include "ndt/core/limits.hpp"
#include "ndt/io/errors.hpp"

namespace ndt::io {
namespace {

InputError cannot_open(const std::string& name, int error) {
  const std::string_view advice = "give the path of a readable file";
  switch (error) {
    case ENOENT:
    case ENOTDIR: return refusal(name, "", "there is no such file", "check the path");
    case EACCES:
    case EPERM: return refusal(name, "", "no permission to read it", "change its mode or owner");
    case ELOOP: return refusal(name, "", "its symbolic links form a loop", advice);
    case ENAMETOOLONG: return refusal(name, "", "the name is too long", advice);
    case ENXIO: return refusal(name, "", "is not a regular file", advice);
    default: return refusal(name, "", formatted("cannot be opened ({})", std::strerror(error)), advice);
  }
}

/// Empty for a regular file.
std::string_view what_else(mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "is a directory";
  if (S_ISFIFO(mode)) return "is a FIFO (named pipe)";
  if (S_ISCHR(mode)) return "is a character device";
  if (S_ISBLK(mode)) return "is a block device";
  return "is not a regular file";
}

std::uint64_t checked_size(int descriptor, const std::string& name) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) throw cannot_open(name, errno);
  if (const auto what = what_else(status.st_mode); !what.empty())
    throw refusal(name, "", what, "give the path of a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > Limits::kFileBytes)
    throw refusal(name, "", formatted("has {} bytes, the limit is {}", size, Limits::kFileBytes),
                  "split the cloud into smaller files");
  return size;
}

constexpr std::size_t kBufferBytes = std::size_t{64} << 10;

}  // namespace

ByteSource::ByteSource(const std::filesystem::path& file) : name_(printable_name(file.native())) {
  if (file.native().find('\0') != std::string::npos)
    throw refusal(name_, "", "the name contains a zero byte", "check the path");
  // O_NONBLOCK: a FIFO without a writer would otherwise block here; regular files ignore it.
  descriptor_ = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor_ < 0) throw cannot_open(name_, errno);
  try {
    size_ = checked_size(descriptor_, name_);
    buffer_.resize(kBufferBytes);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

ByteSource::~ByteSource() { ::close(descriptor_); }

void ByteSource::read(std::span<std::byte> out) {
  if (out.size() > remaining()) throw std::logic_error("ByteSource::read: more than remaining()");
  while (!out.empty()) {
    if (next_ == end_ && out.size() >= buffer_.size()) return fetch(out);
    if (next_ == end_) refill();
    const std::size_t buffered = std::min(out.size(), end_ - next_);
    std::copy_n(buffer_.begin() + static_cast<std::ptrdiff_t>(next_), buffered, out.begin());
    next_ += buffered;
    out = out.subspan(buffered);
  }
}

void ByteSource::skip(std::uint64_t bytes) {
  if (bytes > remaining()) throw std::logic_error("ByteSource::skip: more than remaining()");
  const std::uint64_t buffered = std::min<std::uint64_t>(bytes, end_ - next_);
  next_ += static_cast<std::size_t>(buffered);
  const std::uint64_t rest = bytes - buffered;
  if (rest == 0) return;
  if (rest < buffer_.size()) {  // many short skips are read in bulk: a system call for each costs more
    refill();
    next_ = static_cast<std::size_t>(rest);
    return;
  }
  if (::lseek(descriptor_, static_cast<off_t>(fetched_ + rest), SEEK_SET) < 0)
    throw refusal(name_, formatted("byte {}", fetched_), std::strerror(errno),
                  "check the disk and read again");
  fetched_ += rest;
}

bool ByteSource::refill() {
  const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(buffer_.size(), size_ - fetched_));
  next_ = end_ = 0;
  fetch(std::span(buffer_).first(wanted));
  end_ = wanted;
  return wanted > 0;
}

void ByteSource::fetch(std::span<std::byte> out) {
  constexpr std::size_t kPerCall = std::size_t{1} << 30;  // Linux moves at most 2 GiB a call
  while (!out.empty()) {
    const ssize_t got = ::read(descriptor_, out.data(), std::min(out.size(), kPerCall));
    if (got < 0 && errno == EINTR) continue;
    const std::string where = formatted("byte {}", fetched_);
    if (got < 0) throw refusal(name_, where, std::strerror(errno), "check the disk and read again");
    if (got == 0)
      throw refusal(name_, where, "the file shrank while being read", "wait until it is written, read again");
    fetched_ += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace ndt::io
