#include <gmock/gmock.h>
#include <stdlib.h>

#include "base/errors.hpp"
#include "data/load_dataset.hpp"
#include "message_of.hpp"
#include "ndt/core/error.hpp"

namespace ndt::harness {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Datasets : public testing::Test {
 protected:
  Datasets() { ::unsetenv("NDT_DATASETS"); }  // every test is a process of its own

  static DatasetInfo info_of(const std::string& name) {
    for (const DatasetInfo& info : list_datasets())
      if (info.name == name) return info;
    return {};
  }
};

TEST_F(Datasets, WithoutRealCloudsTheBuiltInScenesRemainAndTheReasonIsSaid) {
  for (const char* name :
       {"courtyard", "courtyard_5k", "courtyard_far", "courtyard_tiles_9", "town_small", "town"})
    EXPECT_EQ(info_of(name).unavailable_reason, "") << name;
  EXPECT_EQ(info_of("kitti00").unavailable_reason, "NDT_DATASETS is not set");
  EXPECT_THAT(
      [] { load_dataset("kitti00"); },
      testing::ThrowsMessage<InputError>(HasSubstr("kitti00 is not available: NDT_DATASETS is not set")));
}

TEST_F(Datasets, TheCourtyardHasEightGuessesWithinHalfAMetreAndFiveDegrees) {
  const Dataset d = load_dataset("courtyard");
  EXPECT_EQ(d.map(0).size(), 30000u);
  EXPECT_EQ(d.scan(0).size(), 3000u);
  ASSERT_EQ(d.frames.size(), 1u);
  const Frame& frame = d.frames[0];
  EXPECT_EQ(frame.guesses.size(), 8u);
  ASSERT_TRUE(frame.truth.has_value());
  EXPECT_TRUE(d.truth.exact);
  for (const NamedGuess& guess : frame.guesses) {
    EXPECT_LE(translation_error_m(guess.map_from_scan, *frame.truth), 0.5) << guess.name;
    EXPECT_LE(rotation_error_rad(guess.map_from_scan, *frame.truth), 5 * kPi / 180) << guess.name;
  }
}

TEST_F(Datasets, CourtyardsComeWithAnyNumberOfScanPointsAndOfTiles) {
  EXPECT_EQ(load_dataset("courtyard_5k").scan(0).size(), 5000u);
  EXPECT_EQ(load_dataset("courtyard_777").scan(0).size(), 777u);
  const PointCloud tiles = load_dataset("courtyard_tiles_3").map(0), one = load_dataset("courtyard").map(0);
  ASSERT_EQ(tiles.size(), 9 * one.size());
  for (std::size_t i = 0; i < one.size(); i += 1000) {  // the middle one is the courtyard itself
    EXPECT_EQ(tiles.points[4 * one.size() + i].x, one.points[i].x);
    EXPECT_EQ(tiles.points[i].y, one.points[i].y - 72);
  }
  EXPECT_THROW(load_dataset("courtyard_99"), UsageError);
  EXPECT_THROW(load_dataset("courtyard_tiles_4"), UsageError);
  EXPECT_THROW(load_dataset("courtyard_tiles_63"), UsageError);
  EXPECT_THROW(load_dataset("courtyard_"), UsageError);
}

TEST_F(Datasets, TheFarCourtyardIsTheSameSceneMoved) {
  const Frame near = load_dataset("courtyard").frames[0], far = load_dataset("courtyard_far").frames[0];
  for (std::size_t k = 0; k < near.guesses.size(); ++k) {
    const Vec3<double> d =
        translation_of(far.guesses[k].map_from_scan) - translation_of(near.guesses[k].map_from_scan);
    EXPECT_NEAR(d.x, 81377, 1e-9);
    EXPECT_NEAR(d.y, 49916, 1e-9);
    EXPECT_NEAR(d.z, 40, 1e-9);
  }
  EXPECT_EQ(translation_of(*far.truth).x, 81377);
}

TEST_F(Datasets, AnUnknownNameIsAnsweredWithTheNames) {
  EXPECT_THAT(message_of<UsageError>([] { load_dataset("courtyrad"); }),
              AllOf(HasSubstr("unknown dataset 'courtyrad'"), HasSubstr("did you mean 'courtyard'?"),
                    HasSubstr("courtyard_5k")));
  EXPECT_THAT(message_of<UsageError>([] { load_dataset("drive.mcap"); }),
              HasSubstr("drive.mcap: there is no such file"));
}

}  // namespace
}  // namespace ndt::harness
