#include "base/output_file.hpp"

#include <stdlib.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "base/errors.hpp"

namespace ndt::harness {
namespace {

namespace fs = std::filesystem;

InputError cannot_write(const fs::path& file, const std::string& why) {
  return refusal(printable_name(file.string()), "", "cannot be written: " + why,
                 "give another --out or remove the existing file");
}

InputError refused(const fs::path& folder, const std::string& what) {
  return refusal(printable_name(folder.native()), "", what,
                 "give another --out or remove the existing folder");
}

/// Returns b for "a/b/" as well.
fs::path without_slash(const fs::path& folder) {
  return folder.has_filename() ? folder : folder.parent_path();
}

void require_free(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (!fs::exists(status)) return;
  if (!fs::is_directory(status)) throw refused(folder, "exists and is not a folder");
  const bool empty = fs::is_empty(folder, error);
  if (error) throw refused(folder, "cannot be read: " + error.message());
  if (!empty) throw refused(folder, "the folder exists and is not empty; nothing was written");
}

}  // namespace

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw cannot_write(folder, error.message());
}

LineFile::LineFile(fs::path file) : file_(std::move(file)), part_(file_.string() + ".part"), out_(part_) {
  if (!out_) throw cannot_write(part_, std::generic_category().message(errno));
}

void LineFile::write(std::string_view line) {
  out_ << line << '\n' << std::flush;
  if (!out_) throw cannot_write(part_, std::generic_category().message(errno));
}

void LineFile::finish() {
  out_.close();
  std::error_code error;
  fs::rename(part_, file_, error);
  if (error) throw cannot_write(file_, error.message());
}

void write_text(const fs::path& file, std::string_view text) {
  LineFile out(file);
  out.write(text);
  out.finish();
}

FolderInMaking::FolderInMaking(const fs::path& folder) : folder_(without_slash(folder)) {
  require_free(folder_);
  if (folder_.has_parent_path()) make_folder(folder_.parent_path());
  std::string name = folder_.native() + ".part.XXXXXX";
  if (::mkdtemp(name.data()) == nullptr)
    throw refused(folder_, "cannot be written: " + std::generic_category().message(errno));
  part_ = name;
  fs::permissions(
      part_, fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read | fs::perms::others_exec,
      fs::perm_options::add);  // mkdtemp keeps others out
}

FolderInMaking::~FolderInMaking() {
  std::error_code ignored;
  if (!part_.empty()) fs::remove_all(part_, ignored);
}

void FolderInMaking::finish() {
  std::error_code error;
  fs::rename(part_, folder_, error);  // an empty folder of that name is replaced
  if (error) throw refused(folder_, "cannot be written: " + error.message());
  part_.clear();
}

}  // namespace ndt::harness
