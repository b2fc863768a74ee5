#include "data/preparation.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>

#include "bytes.hpp"
#include "message_of.hpp"

namespace ndt::harness {
namespace {

using testing::ElementsAre;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr double kFar = 5e6;

/// Points all over a 40 m cube around the frame's origin, of which a few are not finite.
PointCloud random_cloud(unsigned seed, Vec3<double> origin = {}) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> metres(-20, 20);
  PointCloud cloud{origin, {}};
  for (int i = 0; i < 2000; ++i) cloud.points.push_back({metres(random), metres(random), metres(random)});
  cloud.points[3].x = kNan;
  cloud.points[700].y = kInf;
  cloud.points[1999].z = -kInf;
  return cloud;
}

bool finite(const Point& p) { return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z); }

/// Returns the points that a filter must leave: those for which `keep` holds, in order and bit for bit.
template <class Keep>
std::vector<Point> kept(const PointCloud& cloud, Keep keep) {
  std::vector<Point> points;
  for (const Point& p : cloud.points)
    if (finite(p) &&
        keep(cloud.origin.x + double{p.x}, cloud.origin.y + double{p.y}, cloud.origin.z + double{p.z}))
      points.push_back(p);
  return points;
}

std::string refusal_of_options(const ScanPreparation& preparation, std::string_view cloud = "scan") {
  return message_of<std::invalid_argument>([&] { validate(preparation, cloud); });
}

std::vector<std::string> shown(const PreparedCloud& prepared) {
  std::vector<std::string> lines;
  for (const FilterStep& s : prepared.steps)
    lines.push_back(std::string(s.filter) + " -" + std::to_string(s.removed_points) + " =" +
                    std::to_string(s.left_points));
  return lines;
}

TEST(ScanPreparation, WithoutAnOptionTheCloudIsReturnedAsItIs) {
  const PointCloud cloud = random_cloud(1, {kFar, 0, 0});
  const PreparedCloud got = prepare(cloud, {});
  EXPECT_TRUE(same_bits(got.cloud.points, cloud.points));
  EXPECT_EQ(got.cloud.origin.x, kFar);
  EXPECT_EQ(got.given_points, 2000);
  EXPECT_TRUE(got.steps.empty());
}

TEST(ScanPreparation, RangeKeepsWhatLiesBetweenItsBounds) {
  const PointCloud cloud = random_cloud(2);
  const auto distance = [](double x, double y, double z) { return std::sqrt(x * x + y * y + z * z); };
  const auto expect = [&](const ScanPreparation& p, const std::vector<Point>& expected) {
    const PreparedCloud got = prepare(cloud, p);
    EXPECT_TRUE(same_bits(got.cloud.points, expected));
    EXPECT_LT(expected.size(), 1990U);
    EXPECT_GT(expected.size(), 10U);
  };
  expect({.min_range_m = 5},
         kept(cloud, [&](double x, double y, double z) { return distance(x, y, z) >= 5; }));
  expect({.max_range_m = 15.5},
         kept(cloud, [&](double x, double y, double z) { return distance(x, y, z) <= 15.5; }));
  expect({.min_range_m = 5, .max_range_m = 15.5}, kept(cloud, [&](double x, double y, double z) {
           return distance(x, y, z) >= 5 && distance(x, y, z) <= 15.5;
         }));
}

TEST(ScanPreparation, BoundsOfRangeAndBoxBelongToThem) {
  const PointCloud cloud{{}, {{3, 4, 0}, {0, 0, 2}, {0, 0, 1.999F}, {3, 4, 0.01F}}};
  EXPECT_EQ(prepare(cloud, {.min_range_m = 2, .max_range_m = 5}).cloud.size(), 2U);
  const CropBox box{{0, 0, 0}, {3, 4, 2}};
  EXPECT_EQ(prepare(cloud, {.crop_box = box}).cloud.size(), 4U);
  EXPECT_EQ(prepare(cloud, {.remove_box = box}).cloud.size(), 0U);
  EXPECT_EQ(prepare(cloud, {.crop_box = CropBox{{3, 4, 0}, {3, 4, 0}}}).cloud.size(), 1U);
}

TEST(ScanPreparation, BoxesKeepTheInsideOrRemoveIt) {
  const PointCloud cloud = random_cloud(3);
  const auto outer = [](double x, double y, double z) {
    return x >= -10 && x <= 12.5 && y >= -15 && y <= 14 && z >= -1 && z <= 18;
  };
  const auto inner = [](double x, double y, double z) {
    return x >= -3 && x <= 9 && y >= -8 && y <= 8 && z >= 0 && z <= 9;
  };
  const CropBox crop{{-10, -15, -1}, {12.5, 14, 18}}, remove{{-3, -8, 0}, {9, 8, 9}};
  EXPECT_TRUE(same_bits(prepare(cloud, {.crop_box = crop}).cloud.points, kept(cloud, outer)));
  const auto outside = [&](double x, double y, double z) { return !inner(x, y, z); };
  EXPECT_TRUE(same_bits(prepare(cloud, {.remove_box = remove}).cloud.points, kept(cloud, outside)));
  const auto between = [&](double x, double y, double z) { return outer(x, y, z) && !inner(x, y, z); };
  EXPECT_TRUE(
      same_bits(prepare(cloud, {.crop_box = crop, .remove_box = remove}).cloud.points, kept(cloud, between)));
}

TEST(ScanPreparation, FiltersCompareInTheFrameOfACloudFarAway) {
  const PointCloud cloud = random_cloud(4, {kFar, -kFar, 100});
  const CropBox box{{kFar - 0.3, -kFar - 20, 80}, {kFar + 20, -kFar + 20, 120}};
  const PreparedCloud got = prepare(cloud, {.crop_box = box});
  EXPECT_EQ(got.cloud.origin.y, -kFar);
  const std::vector<Point> expected = kept(cloud, [](double x, double, double) { return x >= kFar - 0.3; });
  EXPECT_GT(expected.size(), 900U);
  EXPECT_TRUE(same_bits(got.cloud.points, expected));
  const double middle = std::sqrt(2 * kFar * kFar + 100 * 100);
  EXPECT_EQ(prepare(cloud, {.max_range_m = 1e6}).cloud.size(), 0U)
      << "the sensor is at the frame's origin, " << middle;
}

TEST(ScanPreparation, EveryFilterAloneDropsAndCountsWhatIsNotFinite) {
  const PointCloud cloud = random_cloud(5);
  const CropBox all{{-100, -100, -100}, {100, 100, 100}}, none{{50, 50, 50}, {60, 60, 60}};
  for (const ScanPreparation& p :
       {ScanPreparation{.min_range_m = 0}, ScanPreparation{.max_range_m = 100},
        ScanPreparation{.crop_box = all}, ScanPreparation{.remove_box = none},
        ScanPreparation{.voxel_leaf_m = 0.001}, ScanPreparation{.sample_points = 5000}}) {
    const PreparedCloud got = prepare(cloud, p);
    ASSERT_EQ(got.steps.size(), 2U);
    EXPECT_EQ(shown(got)[0], "finite -3 =1997");
    EXPECT_EQ(got.steps[1].left_points, 1997) << got.steps[1].filter;
    EXPECT_TRUE(std::ranges::all_of(got.cloud.points, finite)) << got.steps[1].filter;
  }
}

TEST(ScanPreparation, FiltersActInTheirFixedOrderAndAreCountedOneByOne) {
  const PointCloud cloud{{},
                         {{kNan, 0, 0},
                          {0.1F, 0, 0},
                          {30, 0, 0},
                          {5, 1, 0},
                          {5.5F, 1, 0},
                          {5, -9, 0},
                          {2, 2, 0},
                          {7, 1, 0},
                          {8.5F, 1, 0}}};
  const PreparedCloud got = prepare(cloud, {.min_range_m = 1,
                                            .max_range_m = 20,
                                            .crop_box = CropBox{{0, -5, -1}, {20, 5, 1}},
                                            .remove_box = CropBox{{1, 1, -1}, {3, 3, 1}},
                                            .voxel_leaf_m = 1,
                                            .sample_points = 2});
  EXPECT_EQ(got.given_points, 9);
  EXPECT_THAT(shown(got), ElementsAre("finite -1 =8", "range -2 =6", "crop_box -1 =5", "remove_box -1 =4",
                                      "voxel_grid -1 =3", "sample -1 =2"));
  for (const Point& p : got.cloud.points) EXPECT_TRUE(p.x == 5.25F || p.x == 7 || p.x == 8.5F) << p.x;
}

std::vector<int> sampled(int of, std::int64_t count, std::uint64_t seed) {
  PointCloud cloud;
  for (int i = 0; i < of; ++i) cloud.points.push_back({static_cast<float>(i), 0, 0});
  std::vector<int> numbers;
  for (const Point& p : prepare(cloud, {.sample_points = count, .sample_seed = seed}).cloud.points)
    numbers.push_back(static_cast<int>(p.x));
  return numbers;
}

TEST(ScanPreparation, ASampleHasExactlyTheCountInTheOldOrderWithoutRepeats) {
  for (const std::int64_t count : {1, 2, 499, 4999, 5000})
    for (const std::uint64_t seed : {0U, 1U, 77U}) {
      const std::vector<int> numbers = sampled(5000, count, seed);
      ASSERT_EQ(static_cast<std::int64_t>(numbers.size()), count);
      for (std::size_t i = 1; i < numbers.size(); ++i) EXPECT_LT(numbers[i - 1], numbers[i]);
    }
  EXPECT_NE(sampled(5000, 300, 5), sampled(5000, 300, 6));
}

TEST(ScanPreparation, ASampleDrawsEveryPairAlikeOften) {
  constexpr int kSeeds = 30000;
  int times[6][6] = {};
  for (int seed = 0; seed < kSeeds; ++seed) {
    const std::vector<int> pair = sampled(6, 2, static_cast<std::uint64_t>(seed));
    ++times[pair[0]][pair[1]];
  }
  const double share = 1.0 / 15;
  for (int a = 0; a < 6; ++a)
    for (int b = a + 1; b < 6; ++b)
      EXPECT_NEAR(times[a][b], kSeeds * share, 4 * std::sqrt(kSeeds * share)) << a << ", " << b;
}

TEST(ScanPreparation, TimesStayWithTheirPointsAndACentroidHasTheirMean) {
  const PointCloud cloud{{}, {{kNan, 0, 0}, {0.25F, 0, 0}, {5, 0, 0}, {0.5F, 0, 0}}, {1, 0.01F, 0.1F, 0.03F}};
  EXPECT_THAT(prepare(cloud, {.min_range_m = 0}).cloud.times, ElementsAre(0.01F, 0.1F, 0.03F));
  EXPECT_THAT(prepare(cloud, {.voxel_leaf_m = 1}).cloud.times, ElementsAre(0.02F, 0.1F));
  EXPECT_EQ(prepare(cloud, {.sample_points = 2}).cloud.times.size(), 2U);
}

TEST(ScanPreparation, AGivenFilterTakesThePlaceOfOneOfItsKind) {
  const ScanPreparation base{.min_range_m = 2, .voxel_leaf_m = 1, .sample_points = 100, .sample_seed = 7};
  const ScanPreparation both =
      overridden(base, {.max_range_m = 50, .voxel_leaf_m = 0.5, .sample_points = 10});
  EXPECT_EQ(both.min_range_m, 2);
  EXPECT_EQ(both.max_range_m, 50);
  EXPECT_EQ(both.voxel_leaf_m, 0.5);
  EXPECT_EQ(both.sample_points, 10);
  EXPECT_EQ(both.sample_seed, 1U) << "the seed belongs to the sample";
  EXPECT_EQ(overridden(base, {}).sample_seed, 7U);
  EXPECT_FALSE(overridden({}, {}).active());
}

TEST(ScanPreparation, AnEmptyCloudStaysEmpty) {
  const PreparedCloud got = prepare({}, {.max_range_m = 10, .voxel_leaf_m = 1, .sample_points = 10});
  EXPECT_THAT(shown(got), ElementsAre("finite -0 =0", "range -0 =0", "voxel_grid -0 =0", "sample -0 =0"));
}

TEST(ScanPreparation, OptionsOutOfRangeAreRefusedWithNameValueAndBounds) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal_of_options({.min_range_m = -1}), "option scan-min-range = -1: must be in [0, 1000000]");
  EXPECT_EQ(refusal_of_options({.min_range_m = nan}), "option scan-min-range = nan: must be in [0, 1000000]");
  EXPECT_EQ(refusal_of_options({.min_range_m = 5, .max_range_m = 3}),
            "option scan-min-range = 5: must be in [0, 3]");
  EXPECT_EQ(refusal_of_options({.max_range_m = 0}), "option scan-max-range = 0: must be in (0, 1000000]");
  EXPECT_EQ(refusal_of_options({.max_range_m = inf}), "option scan-max-range = inf: must be in (0, 1000000]");
  EXPECT_EQ(refusal_of_options({.voxel_leaf_m = 0}), "option scan-voxel-leaf = 0: must be in [0.001, 1000]");
  EXPECT_EQ(refusal_of_options({.voxel_leaf_m = 1000.5}, "map"),
            "option map-voxel-leaf = 1000.5: must be in [0.001, 1000]");
  EXPECT_EQ(refusal_of_options({.voxel_leaf_m = nan}),
            "option scan-voxel-leaf = nan: must be in [0.001, 1000]");
  EXPECT_EQ(refusal_of_options({.sample_points = 0}), "option scan-sample = 0: must be in [1, 1000000000]");
  EXPECT_EQ(refusal_of_options({.sample_points = -7}), "option scan-sample = -7: must be in [1, 1000000000]");
  const std::string form = ": must be in the form x0,y0,z0,x1,y1,z1, finite and no low above its high";
  EXPECT_EQ(refusal_of_options({.crop_box = CropBox{{1, 0, 0}, {-1, 2, 2}}}),
            "option scan-crop-box = 1,0,0,-1,2,2" + form);
  EXPECT_EQ(refusal_of_options({.remove_box = CropBox{{0, 0, 0}, {1, 1, nan}}}),
            "option scan-remove-box = 0,0,0,1,1,nan" + form);
  EXPECT_EQ(refusal_of_options({.remove_box = CropBox{{-inf, 0, 0}, {1, 1, 1}}}),
            "option scan-remove-box = -inf,0,0,1,1,1" + form);
  EXPECT_THROW(prepare({}, {.voxel_leaf_m = 0}), std::invalid_argument);
}

TEST(ScanPreparation, TheBoundsThemselvesAreAccepted) {
  EXPECT_EQ(refusal_of_options({}), "");
  EXPECT_EQ(
      refusal_of_options({.min_range_m = 0, .max_range_m = 1e6, .voxel_leaf_m = 0.001, .sample_points = 1}),
      "");
  EXPECT_EQ(refusal_of_options(
                {.min_range_m = 3, .max_range_m = 3, .voxel_leaf_m = 1000, .sample_points = 1000000000}),
            "");
  EXPECT_EQ(refusal_of_options({.crop_box = CropBox{}, .remove_box = CropBox{}}), "");
}

}  // namespace
}  // namespace ndt::harness
