// Output files and folders that exist complete or not at all: written under another name, then renamed. A
// file of that name that exists already, or a link, is replaced: nothing is written to what a link points to.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ndt::io {

/// Creates the folder and its parents. Throws InputError if that fails.
void make_folder(const std::filesystem::path& folder);

/// Creates the last folder of the path unless it exists. Throws InputError if that fails, or if a link is
/// there, which would lead out of the folder above.
void make_subfolder(const std::filesystem::path& folder);

/// Removes a file or a link, if there is one and it can be removed, so that writing to the name creates a
/// file. Devices stay.
void remove_old(const std::filesystem::path& file);

/// An open file that was created by this process. All members throw InputError: what failed, and `advice`.
class NewFile {
 public:
  explicit NewFile(std::filesystem::path file, std::string advice = kOtherOut);
  NewFile(NewFile&& other) noexcept;
  NewFile& operator=(NewFile&& other) noexcept;
  ~NewFile();

  /// All of the text, with one call where the disk has room. After a failure, the file may end in a part of
  /// it.
  void append(std::string_view text);
  /// Waits until the content is on the disk, then replaces `file`; further text is appended to that.
  void rename_to(std::filesystem::path file);

  static constexpr const char* kOtherOut = "make room on the disk, or give another --out";

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path file_;
  std::string advice_;
  int descriptor_ = -1;
};

/// Writes <file>.part line by line, each flushed, and renames it to <file> at the end, replacing an older
/// one. Without finish(), the .part file stays and shows how far the work went.
class LineFile {
 public:
  explicit LineFile(std::filesystem::path file);  ///< throws InputError if it cannot be written
  void write(std::string_view line);              ///< the line's end is added; throws InputError
  void finish();                                  ///< throws InputError

 private:
  std::filesystem::path file_;
  NewFile out_;
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

}  // namespace ndt::io
