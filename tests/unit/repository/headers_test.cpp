// Every public header is compiled by itself, twice in one file, when the tests are built (see
// CMakeLists.txt). Those objects are linked into this program, so a function that is not inline shows as
// well. Here: that none was left out, and that a harness header with a source is compiled alone by that
// source, which must include it first.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "include_graph.hpp"

namespace ndt::repository {
namespace {

namespace fs = std::filesystem;

std::string relative_to_root(const fs::path& path) {
  return path.lexically_relative(NDT_SOURCE_DIR).generic_string();
}

/// The first file that a source includes, as spelled there.
std::string first_include(const fs::path& source) {
  std::ostringstream text;
  text << std::ifstream(source).rdbuf();
  const std::vector<Include> includes = includes_of(text.str());
  return includes.empty() ? "" : includes.front().path;
}

/// Whether a source of the same name exists beside a harness header.
bool has_source(const fs::path& header) { return fs::exists(fs::path(header).replace_extension(".cpp")); }

std::vector<fs::path> harness_headers() {
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(fs::path(NDT_SOURCE_DIR) / "harness"))
    if (entry.path().extension() == ".hpp") found.push_back(entry.path());
  return found;
}

/// Files below the public folders of the modules, and harness headers without a source, from the repository
/// root.
std::set<std::string> public_files() {
  std::set<std::string> found;
  for (const fs::directory_entry& entry :
       fs::recursive_directory_iterator(fs::path(NDT_SOURCE_DIR) / "modules")) {
    const std::string path = relative_to_root(entry.path());
    if (entry.is_regular_file() && path.find("/include/ndt/") != std::string::npos) found.insert(path);
  }
  for (const fs::path& header : harness_headers())
    if (!has_source(header)) found.insert(relative_to_root(header));
  return found;
}

std::set<std::string> compiled_headers() {
  std::ifstream list(NDT_COMPILED_HEADERS);
  std::set<std::string> found;
  for (std::string line; std::getline(list, line);)
    if (!line.empty()) found.insert(line);
  return found;
}

TEST(PublicHeaders, AreAllCompiledByThemselves) {
  std::set<std::string> expected;
  for (const std::string& path : public_files()) {
    EXPECT_TRUE(path.ends_with(".hpp") || path.ends_with(".h") || path.ends_with(".cuh"))
        << path << " has an ending nothing here compiles";
#ifndef NDT_WITH_PCL
    if (path.starts_with("modules/pcl_registration/")) continue;
#endif
    if (!path.ends_with(".cuh")) expected.insert(path);
  }
  EXPECT_GT(expected.size(), 25U) << "no headers were found below " NDT_SOURCE_DIR;
  EXPECT_THAT(compiled_headers(), testing::ContainerEq(expected));
}

TEST(HarnessHeaders, AreIncludedFirstByTheirSources) {
  for (const fs::path& header : harness_headers()) {
    if (!has_source(header)) continue;
    const fs::path source = fs::path(header).replace_extension(".cpp");
    EXPECT_EQ("harness/" + first_include(source), relative_to_root(header)) << relative_to_root(source);
  }
}

}  // namespace
}  // namespace ndt::repository
