// The score without ground: which points it leaves, and that it sees what the ground hides.
#include "ndt/localization/no_ground.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "registry/registry.hpp"
#include "surfaces.hpp"

namespace ndt::localization {
namespace {

TEST(NoGround, LeavesThePointsThatStandAboveThePoseInTheMap) {
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  const PointCloud scan{{0, 0, 1},
                        {{1, 0, -1.9F}, {2, 0, -0.1F}, {3, 0, 0.5F}, {kNaN, 0, 5}, {-4, 0, -0.3F}}};
  const auto left = [&](double height_m, const Transform& pose) {
    std::vector<float> x;
    for (const Point& p : above_ground(scan, pose, height_m).points) x.push_back(p.x);
    return x;
  };
  EXPECT_EQ(left(0.8, to_transform({7, 8, 9, 0, 0, 2})), (std::vector<float>{2, 3})) << "0.9 m and 1.5 m";
  EXPECT_EQ(left(-1, {}), (std::vector<float>{1, 2, 3, -4}));
  // Pitched up by 0.5 rad: what is 4 m behind is 1.9 m lower, what is ahead stands higher.
  EXPECT_EQ(left(0.8, to_transform({0, 0, 0, 0, -0.5, 0})), (std::vector<float>{2, 3}));
  EXPECT_EQ(left(2, to_transform({0, 0, 0, 0, -0.5, 0})), (std::vector<float>{3}));
  EXPECT_EQ(above_ground(scan, {}, 0.8).origin.z, 1) << "the offsets keep their bits";
}

TEST(NoGround, SeesAWrongPlaceThatTheGroundHides) {
  // A wide floor with one wall in the middle of it, 1 m below the scanner's pose.
  std::vector<test_clouds::Patch> place = test_clouds::plane(40);
  place[0].origin.z = -1;
  place.push_back({{5, -10, -1}, {0, 20, 0}, {0, 0, 4}});
  const PointCloud map = test_clouds::sampled(place, 40000, 0.01, 1),
                   scan = test_clouds::sampled(place, 4000, 0.01, 2);
  const auto aligner = harness::find_implementation("persistent_cpu").make({});
  aligner->set_map(map);
  const Transform right, wrong = to_transform({-6, 0, 0, 0, 0, 0});
  const auto with_ground = [&](const Transform& pose) {
    Score score;
    aligner->score_batch(scan, {&pose, 1}, {&score, 1});
    return score.transform_probability;
  };
  const auto without = [&](const Transform& pose) {
    return score_without_ground(*aligner, scan, pose, 0).value().transform_probability;
  };
  EXPECT_GT(with_ground(wrong), 0.7 * with_ground(right));
  EXPECT_LT(without(wrong), 0.1 * without(right));
}

TEST(NoGround, HasNoScoreWhereNothingStands) {
  const auto aligner = harness::find_implementation("persistent_cpu").make({});
  const PointCloud ground = test_clouds::sampled(test_clouds::plane(30), 3000, 0.01, 1);
  aligner->set_map(ground);
  EXPECT_FALSE(score_without_ground(*aligner, ground, {}, 0.8));
  EXPECT_TRUE(score_without_ground(*aligner, ground, {}, -0.8));
}

}  // namespace
}  // namespace ndt::localization
