// Every public header is compiled by itself, twice in one file, when the tests are built (see CMakeLists.txt). Those objects are
// linked into this program, so a function that is not inline shows as well. Here: that none was left out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

namespace ndt::repository {
namespace {

namespace fs = std::filesystem;

#ifdef NDT_WITH_CUDA
constexpr bool kWithCuda = true;
#else
constexpr bool kWithCuda = false;
#endif

/// Files below the public folders of modules/ and harness/, from the repository root.
std::set<std::string> public_files() {
  const fs::path root = NDT_SOURCE_DIR;
  std::set<std::string> found;
  for (const char* folder : {"modules", "harness"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root / folder)) {
      const std::string path = entry.path().lexically_relative(root).generic_string();
      if (entry.is_regular_file() && path.find("/include/ndt/") != std::string::npos) found.insert(path);
    }
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
    const bool needs_cuda = path.ends_with(".cuh") || path.find("/ndt/cuda/") != std::string::npos;
    EXPECT_TRUE(path.ends_with(".hpp") || path.ends_with(".cuh")) << path << " has an ending nothing here compiles";
    if (path.ends_with(".hpp") && (kWithCuda || !needs_cuda)) expected.insert(path);
  }
  EXPECT_GT(expected.size(), 25U) << "no headers were found below " NDT_SOURCE_DIR;
  EXPECT_THAT(compiled_headers(), testing::ContainerEq(expected));
}

}  // namespace
}  // namespace ndt::repository
