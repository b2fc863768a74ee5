// The contract of an aligner where something is wrong: an honest answer, never a crash, never a false `converged`.
#include <cmath>
#include <limits>
#include <tuple>

#include "ndt/core/error.hpp"
#include "rows.hpp"

namespace ndt {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

const Transform kGuess = to_transform({0.2, -0.1, 0.05, 0.01, -0.01, 0.03});

class Robustness : public EveryRow {};

TEST_P(Robustness, AligningBeforeAMapIsSetIsALogicError) {
  const auto aligner = make();
  EXPECT_THROW(aligner->align(scenes::scan(), kGuess), std::logic_error);
  EXPECT_THROW(aligner->evaluate(scenes::scan(), kGuess), std::logic_error);
  EXPECT_THROW(aligner->voxels(), std::logic_error);
}

TEST_P(Robustness, AnEmptyScanHasNoOverlap) {
  const AlignResult got = in_courtyard()->align({}, kGuess);
  EXPECT_EQ(got.stop, Stop::no_overlap);
  EXPECT_EQ(got.iterations, 0);
  EXPECT_EQ(got.transform_probability, 0);
  EXPECT_EQ(got.nvtl, 0);
  EXPECT_TRUE(same_bits(got.map_from_scan, kGuess));
}

TEST_P(Robustness, AScanOfOnlyNanHasNoOverlapAndCountsItsPoints) {
  PointCloud scan;
  scan.points.assign(100, {kNaN, 1, 2});
  const AlignResult got = in_courtyard()->align(scan, kGuess);
  EXPECT_EQ(got.stop, Stop::no_overlap);
  EXPECT_EQ(got.dropped_points, 100);
  EXPECT_TRUE(same_bits(got.map_from_scan, kGuess));
}

TEST_P(Robustness, NonFiniteScanPointsAreDroppedCountedAndWithoutEffect) {
  const auto aligner = in_courtyard();
  PointCloud scan = scenes::scan();
  for (std::size_t i = 0; i < scan.size(); i += 10)
    scan.points.insert(scan.points.begin() + static_cast<long>(i), {kNaN, 0, 0});
  scan.points.push_back({0, kInf, 0});
  const AlignResult clean = aligner->align(scenes::scan(), kGuess), dirty = aligner->align(scan, kGuess);
  EXPECT_EQ(dirty.stop, Stop::converged);
  EXPECT_EQ(dirty.dropped_points, static_cast<std::int64_t>(scan.size() - scenes::scan().size()));
  EXPECT_TRUE(same_bits(clean.map_from_scan, dirty.map_from_scan));
}

TEST_P(Robustness, NonFiniteMapPointsAreDroppedCountedAndWithoutEffect) {
  PointCloud map = scenes::map();
  for (int i = 0; i < 3000; ++i) map.points.push_back({1, kNaN, 2});
  map.points.push_back({-kInf, 0, 0});
  const auto aligner = make();
  const MapInfo info = aligner->set_map(map);
  EXPECT_EQ(info.dropped_points, 3001);
  EXPECT_EQ(info.points, 30000);
  EXPECT_TRUE(same_bits(aligner->align(scenes::scan(), kGuess).map_from_scan,
                        in_courtyard()->align(scenes::scan(), kGuess).map_from_scan));
}

TEST_P(Robustness, AMapWithoutAValidVoxelIsRefusedAndThePreviousOneKept) {
  const auto aligner = in_courtyard();
  const AlignResult before = aligner->align(scenes::scan(), kGuess);
  PointCloud only_nan, sparse;
  only_nan.points.assign(50, {kNaN, 0, 0});
  for (int i = 0; i < 100; ++i) sparse.points.push_back({static_cast<float>(10 * i), 0, 0});
  for (const PointCloud& map : {PointCloud{}, only_nan, sparse, PointCloud{{}, {{1, 2, 3}}}}) {
    try {
      aligner->set_map(map);
      ADD_FAILURE() << "a map of " << map.size() << " points was accepted";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("no valid voxel"), std::string::npos) << error.what();
    }
  }
  EXPECT_TRUE(same_bits(aligner->align(scenes::scan(), kGuess).map_from_scan, before.map_from_scan));
}

TEST_P(Robustness, AGuessFarOutsideTheMapHasNoOverlap) {
  for (const double metres : {1e4, 1e7, 1e12}) {
    const Transform far = to_transform({metres, 0, 0, 0, 0, 0.3});
    const AlignResult got = in_courtyard()->align(scenes::scan(), far);
    EXPECT_EQ(got.stop, Stop::no_overlap) << metres << " m";
    EXPECT_EQ(got.iterations, 0) << metres << " m";
    EXPECT_TRUE(same_bits(got.map_from_scan, far)) << metres << " m";
  }
}

TEST_P(Robustness, AGuessThatIsNotRigidIsRefused) {
  const auto aligner = in_courtyard();
  Transform nan, zero, scaled, sheared, reflected;
  nan(0, 3) = std::nan("");
  zero = Transform{{}};
  zero(3, 3) = 1;
  for (int i = 0; i < 3; ++i) scaled(i, i) = 2;
  sheared(0, 1) = 0.5;
  reflected(2, 2) = -1;
  for (const Transform& guess : {nan, zero, scaled, sheared, reflected}) {
    EXPECT_THROW(aligner->align(scenes::scan(), guess), std::invalid_argument);
    EXPECT_THROW(aligner->evaluate(scenes::scan(), guess), std::invalid_argument);
  }
}

TEST_P(Robustness, OptionsOutOfRangeAreRefusedByName) {
  AlignOptions bad;
  bad.resolution_m = 0;
  try {
    make(bad);
    ADD_FAILURE() << "a resolution of 0 was accepted";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("resolution"), std::string::npos) << error.what();
  }
}

TEST_P(Robustness, ASecondMapReplacesTheFirstEntirely) {
  const auto aligner = make();
  PointCloud elsewhere = scenes::map();
  for (Point& p : elsewhere.points) p.x += 500;
  aligner->set_map(elsewhere);
  EXPECT_EQ(aligner->align(scenes::scan(), kGuess).stop, Stop::no_overlap);
  aligner->set_map(scenes::map());
  EXPECT_TRUE(same_bits(aligner->align(scenes::scan(), kGuess).map_from_scan,
                        in_courtyard()->align(scenes::scan(), kGuess).map_from_scan));
}

TEST_P(Robustness, OneMapPointAThousandKilometresAwayHasNoEffect) {
  PointCloud map = scenes::map();
  map.points.push_back({1e6F, 0, 0});
  const auto aligner = make();
  aligner->set_map(map);
  const AlignResult got = aligner->align(scenes::scan(), kGuess);
  EXPECT_EQ(got.stop, Stop::converged);
  EXPECT_TRUE(same_bits(got.map_from_scan, in_courtyard()->align(scenes::scan(), kGuess).map_from_scan));
}

TEST_P(Robustness, OnePointIsDegenerate) {
  PointCloud scan;
  scan.points.push_back(scenes::scan().points.front());
  EXPECT_EQ(in_courtyard()->align(scan, kGuess).stop, Stop::degenerate);
}

TEST_P(Robustness, AnExactLineIsNeverCalledConverged) {
  AlignOptions options;
  options.resolution_m = 1.0;
  PointCloud line;
  for (int i = 0; i < 20000; ++i) line.points.push_back({0.001F * static_cast<float>(i) - 10, 0, 0});
  const auto aligner = make(options);
  aligner->set_map(line);
  const AlignResult got = aligner->align(line, to_transform({0.2, 0.1, 0.2, 0, 0, 0}));
  EXPECT_NE(got.stop, Stop::converged) << "condition number " << got.conditioning.condition_number;
}

TEST_P(Robustness, TheVoxelTableIsOrderedAndComplete) {
  const auto aligner = make();
  const MapInfo info = aligner->set_map(scenes::map());
  const std::vector<VoxelRow> rows = aligner->voxels();
  ASSERT_EQ(static_cast<std::int64_t>(rows.size()), info.voxels);
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const auto& a = rows[i - 1].key;
    const auto& b = rows[i].key;
    EXPECT_TRUE(std::tie(a[2], a[1], a[0]) < std::tie(b[2], b[1], b[0])) << "row " << i;
    EXPECT_GE(rows[i].points, 6);
  }
}

NDT_ON_EVERY_ROW(Robustness);

}  // namespace
}  // namespace ndt
