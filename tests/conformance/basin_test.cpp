// The contract of an aligner where everything is in order: the right pose, the same bits, the oracle's path.
#include "compare.hpp"
#include "every_implementation.hpp"

namespace ndt {
namespace {

// The reference itself ends up to 35 mm and 0.18 degrees off on this scene (2 m voxels, 2 cm roughness, no
// step below 5 mm).
constexpr double kTruthMetres = 0.04, kTruthDegrees = 0.2;
constexpr double kOracleMetres = 1e-3, kOracleDegrees = 0.01;  // epsilon is 10 mm
constexpr double kOffsetMetres = 1e-3;

std::vector<Transform> guesses_within(double metres, double radians) {
  std::vector<Transform> guesses;
  for (const Pose& p : test_clouds::offsets(12, metres, radians)) guesses.push_back(to_transform(p));
  return guesses;
}

std::vector<Transform> basin() { return guesses_within(0.4, 0.05); }

/// A peer's basin is its own: voxels whose covariances start from zero are sharper and attract from less far.
std::vector<Transform> basin_of_a_peer() { return guesses_within(0.2, 0.03); }

class Basin : public EveryImplementation {};

TEST_P(Basin, TheTruePoseIsFoundFromEveryGuess) {
  const auto aligner = in_courtyard();
  compare::Worst metres, degrees;
  for (const Transform& guess : peer() ? basin_of_a_peer() : basin()) {
    const AlignResult got = aligner->align(test_clouds::scan(), guess);
    EXPECT_EQ(got.stop, Stop::converged);
    EXPECT_GT(got.nvtl, 2.3);
    metres.see(translation_error_m(got.map_from_scan, Transform{}), "");
    degrees.see(compare::degrees(rotation_error_rad(got.map_from_scan, Transform{})), "");
  }
  metres.print("translation [m]"), degrees.print("rotation [deg]");
  EXPECT_LE(metres.value, kTruthMetres);
  EXPECT_LE(degrees.value, kTruthDegrees);
}

TEST_P(Basin, TheSameBitsComeBackASecondTime) {
  const auto aligner = in_courtyard();
  const Transform guess = basin()[0];
  const AlignResult first = aligner->align(test_clouds::scan(), guess);
  aligner->align(test_clouds::scan(), basin()[1]);
  const AlignResult second = aligner->align(test_clouds::scan(), guess);
  EXPECT_TRUE(same_bits(first.map_from_scan, second.map_from_scan));
  EXPECT_EQ(first.score, second.score);
  EXPECT_EQ(0, std::memcmp(&first.hessian, &second.hessian, sizeof first.hessian));
}

TEST_P(Basin, TheNumberOfThreadsDoesNotShow) {
  AlignOptions options;
  options.threads = 1;
  const Transform guess = basin()[2];
  const AlignResult one = in_courtyard(options)->align(test_clouds::scan(), guess);
  for (const int threads : {2, 3, 8}) {
    options.threads = threads;
    const AlignResult many = in_courtyard(options)->align(test_clouds::scan(), guess);
    EXPECT_TRUE(same_bits(one.map_from_scan, many.map_from_scan)) << threads << " threads";
    EXPECT_EQ(one.score, many.score) << threads << " threads";
    EXPECT_EQ(one.nvtl, many.nvtl) << threads << " threads";
    EXPECT_EQ(0, std::memcmp(&one.hessian, &many.hessian, sizeof one.hessian)) << threads << " threads";
  }
}

TEST_P(Basin, EveryIterationAgreesWithTheOracle) {
  if (peer()) GTEST_SKIP() << GetParam().name << " is another algorithm and takes its own way";
  const auto oracle = harness::find_implementation(harness::kReference).make({});
  oracle->set_map(test_clouds::map());
  const auto aligner = in_courtyard();
  PerScan traced;
  traced.trace = true;
  for (const Transform& guess : basin()) {
    const AlignResult expected = oracle->align(test_clouds::scan(), guess, traced);
    const AlignResult got = aligner->align(test_clouds::scan(), guess, traced);
    ASSERT_EQ(got.iterations, expected.iterations);
    ASSERT_EQ(got.trace.size(), expected.trace.size());
    for (std::size_t i = 0; i < got.trace.size(); ++i) {
      const Transform &a = got.trace[i].map_from_scan, &b = expected.trace[i].map_from_scan;
      EXPECT_LE(translation_error_m(a, b), kOracleMetres) << "iteration " << i;
      EXPECT_LE(compare::degrees(rotation_error_rad(a, b)), kOracleDegrees) << "iteration " << i;
      EXPECT_NEAR(got.trace[i].step_m, expected.trace[i].step_m, 1e-4) << "iteration " << i;
    }
    EXPECT_EQ(got.oscillation_count, expected.oscillation_count);
    EXPECT_EQ(got.newton_fallbacks, expected.newton_fallbacks);
    EXPECT_NEAR(got.conditioning.condition_number, expected.conditioning.condition_number,
                1e-3 * expected.conditioning.condition_number);
    EXPECT_NEAR(got.conditioning.surface_condition_number, expected.conditioning.surface_condition_number,
                1e-2 * expected.conditioning.surface_condition_number);
  }
}

TEST_P(Basin, TheTraceIsEmptyUnlessAskedForAndStartsAtTheGuess) {
  const auto aligner = in_courtyard();
  const Transform guess = basin()[0];
  EXPECT_TRUE(aligner->align(test_clouds::scan(), guess).trace.empty());
  PerScan traced;
  traced.trace = true;
  const AlignResult got = aligner->align(test_clouds::scan(), guess, traced);
  ASSERT_EQ(got.trace.size(), static_cast<std::size_t>(got.iterations) + 1);
  EXPECT_LE(translation_error_m(got.trace.front().map_from_scan, guess), 1e-6);
  EXPECT_TRUE(same_bits(got.trace.back().map_from_scan, got.map_from_scan));
  EXPECT_EQ(got.trace.back().nvtl, got.nvtl);
}

TEST_P(Basin, ScoreAndHessianBelongToTheReturnedPose) {
  const auto aligner = in_courtyard();
  const AlignResult got = aligner->align(test_clouds::scan(), basin()[3]);
  const Evaluation there = aligner->evaluate(test_clouds::scan(), got.map_from_scan);
  EXPECT_NEAR(there.score, got.score, 1e-6 * got.score);
  EXPECT_NEAR(there.nvtl, got.nvtl, 1e-6);
  EXPECT_NEAR(there.transform_probability, got.score / static_cast<double>(test_clouds::scan().size()), 1e-5);
  EXPECT_LE(compare::hessian_blocks(there.hessian, got.hessian), 1e-4);
}

TEST_P(Basin, PointScoresAverageToNvtlAndAgreeWithTheOracle) {
  PerScan asked;
  asked.point_scores = true;
  const Transform pose = basin()[4];
  const auto oracle = harness::find_implementation(harness::kReference).make({});
  oracle->set_map(test_clouds::map());
  const Evaluation expected = oracle->evaluate(test_clouds::scan(), pose, asked);
  const auto aligner = in_courtyard();
  EXPECT_TRUE(aligner->evaluate(test_clouds::scan(), pose).point_scores.empty());
  const Evaluation got = aligner->evaluate(test_clouds::scan(), pose, asked);
  ASSERT_EQ(got.point_scores.size(), test_clouds::scan().size());
  double sum = 0;
  for (std::size_t i = 0; i < got.point_scores.size(); ++i) {
    sum += static_cast<double>(got.point_scores[i]);
    if (peer()) continue;
    EXPECT_NEAR(got.point_scores[i], expected.point_scores[i], 2e-5) << "point " << i;
  }
  EXPECT_NEAR(sum / static_cast<double>(got.points_with_voxels), got.nvtl, 1e-5);
}

TEST_P(Basin, RegularisationPullsAlongTheHeadingOnly) {
  if (peer()) GTEST_SKIP() << GetParam().name << " may have no regularisation and refuse a target";
  const auto aligner = in_courtyard();
  const AlignResult plain = aligner->align(test_clouds::scan(), Transform{});
  PerScan pulled;
  pulled.regularisation = RegularisationTarget{5, 0};  // heading is +x
  const AlignResult ahead = aligner->align(test_clouds::scan(), Transform{}, pulled);
  pulled.regularisation = RegularisationTarget{plain.map_from_scan(0, 3), 5};
  const AlignResult aside = aligner->align(test_clouds::scan(), Transform{}, pulled);
  EXPECT_GT(ahead.map_from_scan(0, 3), plain.map_from_scan(0, 3) + 1e-3);
  EXPECT_NEAR(aside.map_from_scan(1, 3), plain.map_from_scan(1, 3), 6e-3)
      << "a pull to the side must not act";
}

TEST_P(Basin, ASceneFarAwayGivesTheSameRelativePose) {
  if (GetParam().name == harness::kReference || peer())
    GTEST_SKIP() << GetParam().name << " keeps its model's float32 global coordinates and is exempt";
  // Makes the moved scenes equal: float32 holds the coordinates exactly even 10^5 m away, and offsets are
  // multiples of the resolution, so the grid lies equally over each.
  PointCloud map = test_clouds::map();
  for (Point& p : map.points) p.x = std::round(p.x * 64) / 64, p.y = std::round(p.y * 64) / 64;
  const double float_offset = 1e5, double_offset = 5e6;
  PointCloud moved_map = map;
  for (Point& p : moved_map.points)
    p.x += static_cast<float>(float_offset), p.y += static_cast<float>(float_offset);
  const auto near = make(), far_float = make();
  near->set_map(map);
  far_float->set_map(moved_map);
  const auto far_double = make();
  PointCloud shifted = map;
  shifted.origin = {double_offset, -double_offset, 0};
  far_double->set_map(shifted);

  compare::Worst float_metres, double_metres;
  for (const Transform& guess : basin()) {
    const auto moved = [&](double x, double y, const Transform& t) {
      return make_transform(rotation_of(t), translation_of(t) + Vec3<double>{x, y, 0});
    };
    const Transform expected = near->align(test_clouds::scan(), guess).map_from_scan;
    const double f = float_offset, d = double_offset;
    const Transform by_float = far_float->align(test_clouds::scan(), moved(f, f, guess)).map_from_scan;
    const Transform by_double = far_double->align(test_clouds::scan(), moved(d, -d, guess)).map_from_scan;
    float_metres.see(translation_error_m(moved(-f, -f, by_float), expected), "float32 map 10^5 m away");
    double_metres.see(translation_error_m(moved(-d, d, by_double), expected), "double map 5 10^6 m away");
  }
  float_metres.print("translation [m]"), double_metres.print("translation [m]");
  EXPECT_LE(float_metres.value, kOffsetMetres);
  EXPECT_LE(double_metres.value, kOffsetMetres);
}

NDT_ON_EVERY_IMPLEMENTATION(Basin);

}  // namespace
}  // namespace ndt
