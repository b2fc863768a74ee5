#include "ndt/io/output_file.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "ndt/io/errors.hpp"

namespace ndt::io {
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

void make_subfolder(const fs::path& folder) {
  if (::mkdir(folder.c_str(), 0777) == 0) return;
  const int why = errno;
  std::error_code error;
  const fs::file_type type = fs::symlink_status(folder, error).type();
  if (type == fs::file_type::directory) return;
  throw cannot_write(folder, type == fs::file_type::symlink ? "it is a link, not a folder"
                             : why == EEXIST                ? "it is not a folder"
                                                            : std::generic_category().message(why));
}

void remove_old(const fs::path& file) {
  std::error_code error;
  const fs::file_type type = fs::symlink_status(file, error).type();
  if (type == fs::file_type::regular || type == fs::file_type::symlink) ::unlink(file.c_str());
}

NewFile::NewFile(fs::path file, std::string advice) : file_(std::move(file)), advice_(std::move(advice)) {
  remove_old(file_);
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail(errno);
}

NewFile::NewFile(NewFile&& other) noexcept
    : file_(std::move(other.file_)),
      advice_(std::move(other.advice_)),
      descriptor_(std::exchange(other.descriptor_, -1)) {}

NewFile& NewFile::operator=(NewFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(advice_, other.advice_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void NewFile::append(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    text.remove_prefix(static_cast<std::size_t>(written));  // the next call says why it was not all
  }
}

void NewFile::rename_to(fs::path file) {
  if (::fsync(descriptor_) != 0) fail(errno);
  if (::rename(file_.c_str(), file.c_str()) != 0) fail(errno);
  file_ = std::move(file);
}

void NewFile::fail(int error) const {
  throw refusal(printable_name(file_.string()), "",
                "cannot be written: " + std::generic_category().message(error), advice_);
}

LineFile::LineFile(fs::path file) : file_(std::move(file)), out_(file_.string() + ".part") {}

void LineFile::write(std::string_view line) { out_.append(std::string(line) + '\n'); }

void LineFile::finish() { out_.rename_to(file_); }

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

}  // namespace ndt::io
