// One process at a time in a folder that several could write to.
#pragma once

#include <filesystem>

namespace ndt::harness {

/// A locked file. The lock ends with this object or its process, however that ends; the file stays, because
/// two processes could each lock a file of that name if it were removed.
class LockFile {
 public:
  /// Creates the file if it is missing. Throws InputError if another process has the lock, or if the file
  /// cannot be locked.
  explicit LockFile(const std::filesystem::path& file);
  /// Locks an existing file for reading: several readers may have it, but no writer. Throws InputError alike.
  static LockFile of_reader(const std::filesystem::path& file);
  LockFile(LockFile&& other) noexcept;
  ~LockFile();

 private:
  LockFile(const std::filesystem::path& file, int open_flags, int operation);

  int descriptor_ = -1;
};

}  // namespace ndt::harness
