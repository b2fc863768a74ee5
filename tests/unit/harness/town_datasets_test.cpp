#include <gmock/gmock.h>
#include <stdlib.h>

#include <filesystem>
#include <memory>

#include "base/errors.hpp"
#include "data/sources.hpp"
#include "registry/registry.hpp"
#include "temporary_folder.hpp"
#include "town/town.hpp"

namespace ndt::harness {
namespace {

class TownPoints : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    write_town({.scale = TownScale::small}, town());
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static std::filesystem::path town() { return folder_->path() / "town_small"; }
  static Dataset corner(int points) {
    return town_points(read_dataset(town() / "dataset.toml", town()), town(), points);
  }

 private:
  static inline std::unique_ptr<TemporaryFolder> folder_;
};

TEST_F(TownPoints, ScansHaveExactlyTheNumberOfPointsEvenIfOneSweepHasFewer) {
  const std::size_t sweep = corner(500000).scan(0).size();  // all there is: 8 sweeps
  for (const int points : {1000, 5000, 40000}) {
    const Dataset dataset = corner(points);
    ASSERT_GT(sweep, static_cast<std::size_t>(points));
    for (std::size_t frame = 0; frame < dataset.frames.size(); ++frame)
      EXPECT_EQ(dataset.scan(frame).size(), static_cast<std::size_t>(points)) << frame;
  }
}

TEST_F(TownPoints, SweepsOfOtherStopsLieWhereTheyWereMade) {
  const Dataset dataset = corner(40000);
  const auto aligner = find_implementation("persistent_cpu").make({});
  aligner->set_map(dataset.map(0));
  for (const std::size_t frame : {std::size_t{0}, dataset.frames.size() - 1}) {
    const Transform truth = *dataset.frames[frame].truth;
    EXPECT_LT(translation_error_m(aligner->align(dataset.scan(frame), truth).map_from_scan, truth), 0.02)
        << frame;
  }
}

TEST_F(TownPoints, ANumberOutOfRangeIsRefusedBeforeAnythingIsMade) {
  EXPECT_THROW(load_town_points("town_points_99"), UsageError);
  EXPECT_THROW(load_town_points("town_points_500001"), UsageError);
  EXPECT_EQ(load_town_points("town_points_").has_value(), false);
  EXPECT_EQ(load_town_points("town").has_value(), false);
}

/// Keeps generated datasets in a folder of its own; every test is a process of its own.
class SeededTowns : public testing::Test {
 protected:
  SeededTowns() { ::setenv("NDT_CACHE", cache_.path().c_str(), 1); }

  const TemporaryFolder cache_;
};

TEST_F(SeededTowns, ASeedBehindTheNameMakesThatTown) {
  const Dataset own = load_town("town_small").value(), other = load_town("town_small_seed7").value();
  EXPECT_EQ(own.name, "town_small");
  EXPECT_EQ(other.name, "town_small_seed7");
  const Dataset fewer = load_town("town_small_beams4_seed7").value();
  EXPECT_EQ(fewer.name, "town_small_beams4_seed7");
  EXPECT_EQ(fewer.map(0).size(), other.map(0).size());
  EXPECT_LT(fewer.raw_scan(0).size(), other.raw_scan(0).size() / 3);
  EXPECT_GT(fewer.raw_scan(0).size(), other.raw_scan(0).size() / 5);
  EXPECT_FALSE(load_town("town_small_beams0") || load_town("town_small_seed7_beams4"));
  EXPECT_THROW(load_town("town_small_beams5"), UsageError);
  EXPECT_EQ(other.frames.size(), own.frames.size());
  EXPECT_NE(other.scan(0).size(), own.scan(0).size());
  EXPECT_EQ(town_folder("town_small_seed7"), cache_.path() / "town_small_seed7_v4");
  for (const char* name : {"town_small_seed1", "town_small_seed07", "town_small_seed", "town_small_seed-1",
                           "town_small_7", "town_huge_seed7"})
    EXPECT_FALSE(town_folder(name).has_value()) << name;
}

TEST_F(SeededTowns, ALandscapeIsAlignedFromEveryGuess) {
  const Dataset works = load_town("works_seed3").value();
  ASSERT_EQ(works.frames.size(), 6u);
  EXPECT_TRUE(works.truth.exact);
  const auto aligner = find_implementation("persistent_cpu").make(AlignOptions::pyramid());
  aligner->set_map(works.map(0));
  for (std::size_t frame = 0; frame < works.frames.size(); ++frame) {
    ASSERT_EQ(works.frames[frame].guesses.size(), 3u);
    for (const NamedGuess& guess : works.frames[frame].guesses) {
      const AlignResult result = aligner->align(works.scan(frame), guess.map_from_scan);
      EXPECT_EQ(result.stop, Stop::converged) << frame;
      EXPECT_LT(translation_error_m(result.map_from_scan, *works.frames[frame].truth), 0.05) << frame;
    }
  }
}

}  // namespace
}  // namespace ndt::harness
