#include "base/lock_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "base/errors.hpp"

namespace ndt::harness {
namespace {

/// 0, or why the descriptor is not a locked regular file.
int lock(int descriptor, int operation) {
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) return errno;
  if (!S_ISREG(status.st_mode)) return EINVAL;
  return ::flock(descriptor, operation | LOCK_NB) == 0 ? 0 : errno;
}

}  // namespace

LockFile::LockFile(const std::filesystem::path& file) : LockFile(file, O_RDWR | O_CREAT, LOCK_EX) {}

LockFile LockFile::of_reader(const std::filesystem::path& file) { return {file, O_RDONLY, LOCK_SH}; }

LockFile::LockFile(const std::filesystem::path& file, int open_flags, int operation) {
  // O_NONBLOCK: a FIFO of this name would otherwise block here.
  descriptor_ = ::open(file.c_str(), open_flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
  const int error = descriptor_ < 0 ? errno : lock(descriptor_, operation);
  if (error == 0) return;
  if (descriptor_ >= 0) ::close(descriptor_);
  const std::string folder = printable_name(file.parent_path().string());
  if (error == EWOULDBLOCK)
    throw refusal(folder, "", "another process writes to it, or merges it", "wait until that has ended");
  throw refusal(printable_name(file.string()), "",
                "cannot be locked: " + std::generic_category().message(error),
                "check the permissions of the folder, and remove what has the name of the lock");
}

LockFile::LockFile(LockFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

LockFile::~LockFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace ndt::harness
