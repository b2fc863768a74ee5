// A folder that exists complete or not at all: filled under another name beside it, then renamed.
#pragma once

#include <filesystem>

namespace ndt::harness::town {

class FolderInMaking {
 public:
  /// Creates <folder>.part.XXXXXX. Throws InputError if that fails, or if `folder` exists and is not an empty
  /// folder.
  explicit FolderInMaking(const std::filesystem::path& folder);
  FolderInMaking(const FolderInMaking&) = delete;
  FolderInMaking& operator=(const FolderInMaking&) = delete;
  /// Removes the temporary folder unless finish() was called.
  ~FolderInMaking();

  const std::filesystem::path& path() const { return part_; }
  /// Throws InputError if the folder cannot take its final name.
  void finish();

 private:
  std::filesystem::path folder_, part_;
};

}  // namespace ndt::harness::town
