// Output files and folders that exist complete or not at all: written under another name, then renamed.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace ndt::harness {

/// Creates the folder and its parents. Throws InputError if that fails.
void make_folder(const std::filesystem::path& folder);

/// Writes <file>.part line by line, each flushed, and renames it to <file> at the end, replacing an older
/// one. Without finish(), the .part file stays and shows how far the work went.
class LineFile {
 public:
  explicit LineFile(std::filesystem::path file);  ///< throws InputError if it cannot be written
  void write(std::string_view line);              ///< the line's end is added; throws InputError
  void finish();                                  ///< throws InputError

 private:
  std::filesystem::path file_, part_;
  std::ofstream out_;
};

/// Writes the whole text with the same guarantees.
void write_text(const std::filesystem::path& file, std::string_view text);

/// A folder that is filled under another name beside its place, then renamed.
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

}  // namespace ndt::harness
