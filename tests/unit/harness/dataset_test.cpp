#include <gmock/gmock.h>
#include <stdlib.h>

#include <fstream>
#include <optional>

#include "base/errors.hpp"
#include "data/load_dataset.hpp"
#include "io/cloud_file.hpp"
#include "ndt/core/error.hpp"
#include "temporary_folder.hpp"

namespace ndt::harness {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// NDT_GOLDEN_DIR as a test wants it, put back afterwards.
class Datasets : public testing::Test {
 protected:
  Datasets() {
    if (const char* value = ::getenv("NDT_GOLDEN_DIR")) before_ = value;
    ::unsetenv("NDT_GOLDEN_DIR");
    ::unsetenv("NDT_DATASETS");  // every test is a process of its own
  }
  ~Datasets() override {
    if (before_)
      ::setenv("NDT_GOLDEN_DIR", before_->c_str(), 1);
    else
      ::unsetenv("NDT_GOLDEN_DIR");
  }

  void use_folder() const { ::setenv("NDT_GOLDEN_DIR", folder_.path().c_str(), 1); }
  void put(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.path() / name) << text;
  }

  static DatasetInfo info_of(const std::string& name) {
    for (const DatasetInfo& info : list_datasets())
      if (info.name == name) return info;
    return {};
  }

  TemporaryFolder folder_;

 private:
  std::optional<std::string> before_;
};

constexpr const char* kCases = R"({"cases": {"street_v1": {"map": "map.pcd", "scan": "scan.pcd", "guesses": {
    "identity": [1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1], "base": [1,0,0,5, 0,1,0,6, 0,0,1,7, 0,0,0,1]}}}})";

TEST_F(Datasets, WithoutRealCloudsTheBuiltInScenesRemainAndTheReasonIsSaid) {
  for (const char* name :
       {"courtyard", "courtyard_5k", "courtyard_far", "courtyard_tiles_9", "town_small", "town"})
    EXPECT_EQ(info_of(name).unavailable_reason, "") << name;
  EXPECT_EQ(info_of("golden").unavailable_reason, "NDT_GOLDEN_DIR is not set");
  EXPECT_THROW(load_dataset("golden"), InputError);
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
  try {
    load_dataset("courtyrad");
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("unknown dataset 'courtyrad'"),
                                    HasSubstr("did you mean 'courtyard'?"), HasSubstr("courtyard_5k")));
  }
}

TEST_F(Datasets, RealCloudsAreFoundThroughTheFolder) {
  use_folder();
  put("alignments.json", kCases);
  write_pcd(folder_.path() / "map.pcd", {{}, {{1, 2, 3}, {4, 5, 6}}});
  EXPECT_THAT(info_of("street_v1").unavailable_reason, HasSubstr("scan.pcd is missing"));
  EXPECT_THROW(load_dataset("street_v1"), InputError);

  write_pcd(folder_.path() / "scan.pcd", {{}, {{7, 8, 9}}});
  EXPECT_EQ(info_of("street_v1").unavailable_reason, "");
  const Dataset d = load_dataset("street_v1");
  EXPECT_EQ(d.map(0).size(), 2u);
  EXPECT_EQ(d.scan(0).points.at(0).z, 9);
  ASSERT_EQ(d.frames.size(), 1u);
  const Frame& frame = d.frames[0];
  EXPECT_FALSE(frame.truth.has_value());
  ASSERT_EQ(frame.guesses.size(), 2u);
  EXPECT_EQ(frame.guesses[0].name, "base");
  EXPECT_EQ(frame.guesses[0].map_from_scan.m[11], 7);
}

TEST_F(Datasets, AFolderThatCannotBeUsedIsListedWithItsReason) {
  use_folder();
  EXPECT_THAT(info_of("golden").unavailable_reason, HasSubstr("alignments.json: there is no such file"));
  put("alignments.json", "not json");
  EXPECT_THAT(info_of("golden").unavailable_reason, HasSubstr("is not a JSON object with \"cases\""));
  put("alignments.json", R"({"cases": {"a": {"map": 1}}})");
  EXPECT_THAT(info_of("a").unavailable_reason, HasSubstr("its map or scan is missing"));
}

TEST_F(Datasets, CloudsOutsideTheFolderAreNotRead) {
  use_folder();
  std::filesystem::create_symlink("/dev/null", folder_.path() / "link.pcd");
  write_pcd(folder_.path() / "scan.pcd", {{}, {{7, 8, 9}}});
  for (const std::string file : {"/dev/zero", "../x.pcd", "link.pcd"}) {
    put("alignments.json", R"({"cases": {"a": {"map": ")" + file + R"(", "scan": "scan.pcd"}}})");
    EXPECT_THAT(info_of("a").unavailable_reason, testing::StartsWith(file + " is outside NDT_GOLDEN_DIR"));
  }
}

TEST_F(Datasets, NamesThatNoFileCanHaveAreMissingFiles) {
  use_folder();
  put("alignments.json",
      R"({"cases": {"a": {"map": ")" + std::string(300, 'm') + R"(", "scan": "s\n\u001B[31m.pcd"}}})");
  EXPECT_THAT(info_of("a").unavailable_reason, HasSubstr("s\\x0A\\x1B[31m.pcd is missing"));
  put("alignments.json", R"({"cases": {"a\n": {"map": "map.pcd", "scan": "scan.pcd"}}})");
  EXPECT_THAT(info_of("golden").unavailable_reason, HasSubstr("'a\\x0A' cannot be the name of a case"));
  put("alignments.json",
      R"({"cases": {"../a": {"map": "map.pcd", "scan": "scan.pcd"}}})");  // files get this name
  EXPECT_THAT(info_of("golden").unavailable_reason, HasSubstr("'../a' cannot be the name of a case"));
}

}  // namespace
}  // namespace ndt::harness
