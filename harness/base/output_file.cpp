#include "base/output_file.hpp"

#include <cerrno>
#include <system_error>

#include "base/errors.hpp"

namespace ndt::harness {
namespace {

InputError cannot_write(const std::filesystem::path& file, const std::string& why) {
  return refusal(printable_name(file.string()), "", "cannot be written: " + why,
                 "give another --out or remove the existing file");
}

}  // namespace

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw cannot_write(folder, error.message());
}

LineFile::LineFile(std::filesystem::path file) : file_(std::move(file)), part_(file_.string() + ".part"), out_(part_) {
  if (!out_) throw cannot_write(part_, std::generic_category().message(errno));
}

void LineFile::write(std::string_view line) {
  out_ << line << '\n' << std::flush;
  if (!out_) throw cannot_write(part_, std::generic_category().message(errno));
}

void LineFile::finish() {
  out_.close();
  std::error_code error;
  std::filesystem::rename(part_, file_, error);
  if (error) throw cannot_write(file_, error.message());
}

void write_text(const std::filesystem::path& file, std::string_view text) {
  LineFile out(file);
  out.write(text);
  out.finish();
}

}  // namespace ndt::harness
