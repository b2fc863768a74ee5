#include "ndt/io/output_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/io_names.hpp"
#include "ndt/core/error.hpp"
#include "temporary_folder.hpp"

namespace ndt::harness {
namespace {

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

TEST(OutputFile, AFileAppearsOnlyWhenItIsComplete) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "results.jsonl";
  LineFile out(file);
  out.write("one");
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_EQ(content(file.string() + ".part"), "one\n");
  out.write("two");
  out.finish();
  EXPECT_EQ(content(file), "one\ntwo\n");
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".part"));
}

TEST(OutputFile, AnOlderFileIsReplaced) {
  const TemporaryFolder folder;
  write_text(folder.path() / "a", "old and long");
  write_text(folder.path() / "a", "new");
  EXPECT_EQ(content(folder.path() / "a"), "new\n");
}

TEST(OutputFile, ALinkIsReplacedAndNeverWrittenThrough) {
  const TemporaryFolder folder;
  const auto outside = folder.path() / "outside", link = folder.path() / "a";
  write_text(outside, "mine");
  for (const char* name : {"a", "a.part"}) {
    std::filesystem::create_symlink(outside, folder.path() / name);
    write_text(link, "new");
    EXPECT_EQ(content(link), "new\n");
    EXPECT_EQ(content(outside), "mine\n") << name;
    std::filesystem::remove(link);
  }
  std::filesystem::create_directory_symlink(folder.path(), folder.path() / "clouds");
  EXPECT_THROW(make_subfolder(folder.path() / "clouds"), InputError);
  EXPECT_THROW(make_subfolder(outside), InputError);
  make_subfolder(folder.path() / "figures");
  make_subfolder(folder.path() / "figures");
}

TEST(OutputFile, FoldersAreMadeWithTheirParentsOrRefused) {
  const TemporaryFolder folder;
  make_folder(folder.path() / "a" / "b");
  make_folder(folder.path() / "a" / "b");
  EXPECT_TRUE(std::filesystem::is_directory(folder.path() / "a" / "b"));
  write_text(folder.path() / "file", "");
  EXPECT_THROW(make_folder(folder.path() / "file" / "b"), InputError);
  EXPECT_THROW(LineFile(folder.path() / "missing" / "x"), InputError);
}

}  // namespace
}  // namespace ndt::harness
