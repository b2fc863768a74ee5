// The same town from every build: this file and the town's sources are compiled as the rest of the suite is,
// at -O0 and at -O3, and all must make the bytes below.
#include <gtest/gtest.h>

#include "bytes_of.hpp"
#include "temporary_folder.hpp"
#include "town/town.hpp"

namespace ndt::harness::town {
namespace {

TownBytes written(const TownOptions& options) {
  const TemporaryFolder folder;
  write_town(options, folder.path() / "town");
  return bytes_of(folder.path() / "town");
}

TEST(NDT_TOWN_BUILD, MakesTheBytesOfTheSmallTownWithAnyNumberOfThreads) {
  for (const int threads : {1, 3}) {
    const TownBytes bytes = written({.scale = TownScale::small, .seed = 1, .threads = threads});
    EXPECT_EQ(bytes.map, 0x23A9CFAD5ED0B975) << threads << " threads";
    EXPECT_EQ(bytes.scans, 0xF5839BE68963190B) << threads << " threads";
    EXPECT_EQ(bytes.truth, 0xE5E70139B9184659) << threads << " threads";
  }
}

TEST(NDT_TOWN_BUILD, MakesTheBytesOfAnotherSeed) {
  const TownBytes bytes = written({.scale = TownScale::small, .seed = 0xFEDCBA9876543210, .threads = 2});
  EXPECT_EQ(bytes.map, 0x3D174F11BA3E440B);
  EXPECT_EQ(bytes.scans, 0xDC76B55FA466782E);
}

}  // namespace
}  // namespace ndt::harness::town
