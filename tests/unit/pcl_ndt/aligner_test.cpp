// Tests what the implementation adds to PCL: our definitions of the numbers, honest outcomes, and refusals of
// input that PCL silently gets wrong.
#include <gmock/gmock.h>

#include <cmath>

#include "compare.hpp"
#include "message_of.hpp"
#include "ndt/core/error.hpp"
#include "ndt/pcl_ndt/implementations.hpp"
#include "registry/registry.hpp"
#include "test_clouds.hpp"
#include "voxel_tables.hpp"

namespace ndt {
namespace {

using testing::HasSubstr;

const Transform kGuess = to_transform({0.2, -0.1, 0.05, 0.01, -0.01, 0.03});

std::unique_ptr<Aligner> with_map(const PointCloud& map, const AlignOptions& options = {}) {
  auto aligner = make_aligner(pcl_ndt::implementations(), "pcl_ndt", options);
  aligner->set_map(map);
  return aligner;
}

std::unique_ptr<Aligner> oracle_from_zero(const PointCloud& map) {
  AlignOptions options;
  options.covariance_start = CovarianceStart::zero;
  auto oracle = harness::find_implementation(harness::kReference).make(options);
  oracle->set_map(map);
  return oracle;
}

TEST(PclNdt, EvaluationsAgreeWithTheOracleFromAZeroStart) {
  // Both move points in float32, by matrices that may differ in the last digit: a micrometre, against voxels
  // whose thinnest axis is some centimetres.
  constexpr double kTolerance = 1e-5;
  const auto oracle = oracle_from_zero(test_clouds::map());
  const auto aligner = with_map(test_clouds::map());
  for (const Pose& offset : test_clouds::offsets(6, 0.4, 0.3)) {
    const Transform pose = to_transform(offset);
    const Evaluation expected = oracle->evaluate(test_clouds::scan(), pose),
                     got = aligner->evaluate(test_clouds::scan(), pose);
    EXPECT_EQ(got.correspondences, expected.correspondences);
    EXPECT_EQ(got.points_with_voxels, expected.points_with_voxels);
    EXPECT_LE(compare::relative(got.score, expected.score), kTolerance);
    EXPECT_LE(compare::relative(got.nvtl, expected.nvtl), kTolerance);
    EXPECT_LE(compare::gradient(got.gradient, expected.gradient), kTolerance);
    EXPECT_LE(compare::hessian_blocks(got.hessian, expected.hessian), kTolerance);
    EXPECT_NEAR(got.transform_probability, got.score / 3000, 1e-12);
  }
}

/// The scan's score against the implementation's own voxels, written down again from the definition in
/// double; the voxels of a point are those near it at `base`, so that the score is smooth.
class DefinedScore {
 public:
  DefinedScore(const std::vector<VoxelInfo>& voxels, const PointCloud& scan, const Pose& base,
               double resolution_m)
      : scan_(scan), near_(scan.size()) {
    for (std::size_t i = 0; i < scan.size(); ++i)
      for (const VoxelInfo& v : voxels) {
        const Vec3<double> d = moved(base, i) - v.centroid;
        if (dot(d, d) < resolution_m * resolution_m) near_[i].push_back(&v);
      }
  }

  double at(const Pose& pose) const {
    // d1 and d2 of an outlier ratio of 0.55 and voxels of 2 m  [Magnusson 2009, eq. 6.8]
    const double c1 = 10 * (1 - 0.55), c2 = 0.55 / 8, d3 = -std::log(c2);
    const double d1 = -std::log(c1 + c2) - d3;
    const double d2 = -2 * std::log((-std::log(c1 * std::exp(-0.5) + c2) - d3) / d1);
    double score = 0;
    for (std::size_t i = 0; i < near_.size(); ++i)
      for (const VoxelInfo* v : near_[i]) {
        const Vec3<double> q = moved(pose, i) - v->mean;
        score += -d1 * std::exp(-d2 / 2 * dot(q, v->inverse_covariance * q));
      }
    return score;
  }

  /// Central difference along entries i (and j) of the pose.
  double slope(Pose pose, int i, double h) const {
    return (at(moved(pose, i, h)) - at(moved(pose, i, -h))) / (2 * h);
  }
  double curvature(const Pose& pose, int i, int j, double h) const {
    return (slope(moved(pose, j, h), i, h) - slope(moved(pose, j, -h), i, h)) / (2 * h);
  }

 private:
  Vec3<double> moved(const Pose& pose, std::size_t i) const {
    return rotation_of(pose) * cast<double>(scan_.points[i]) + Vec3<double>{pose.x, pose.y, pose.z};
  }
  static Pose moved(Pose pose, int entry, double by) {
    double* const entries[] = {&pose.x, &pose.y, &pose.z, &pose.roll, &pose.pitch, &pose.yaw};
    *entries[entry] += by;
    return pose;
  }

  const PointCloud& scan_;
  std::vector<std::vector<const VoxelInfo*>> near_;
};

TEST(PclNdt, ScoreGradientAndHessianAreThoseOfTheDefinition) {
  const auto aligner = with_map(test_clouds::map());
  for (const Pose& offset : test_clouds::offsets(3, 0.3, 0.5)) {
    const Evaluation got = aligner->evaluate(test_clouds::scan(), to_transform(offset));
    const std::vector<VoxelInfo> voxels = aligner->voxels();
    const Pose pose = got.derivative_pose;
    const DefinedScore defined(voxels, test_clouds::scan(), pose, 2);
    Vec6 gradient;
    Mat6 hessian;
    for (int i = 0; i < 6; ++i) {
      gradient[i] = defined.slope(pose, i, 1e-5);
      for (int j = 0; j < 6; ++j) hessian(i, j) = defined.curvature(pose, i, j, 1e-4);
    }
    // PCL moves points in float32: a micrometre, against voxels whose thinnest axis is some millimetres.
    EXPECT_LE(compare::relative(got.score, defined.at(pose)), 1e-4);
    EXPECT_LE(compare::gradient(got.gradient, gradient), 1e-3);
    EXPECT_LE(compare::hessian_blocks(got.hessian, hessian), 1e-3);
  }
}

TEST(PclNdt, AnEvaluationDoesNotDependOnAnEarlierAlignment) {
  const auto aligner = with_map(test_clouds::map());
  const Evaluation before = aligner->evaluate(test_clouds::scan(), kGuess);
  aligner->align(test_clouds::scan(), to_transform({0.4, 0.3, 0, 0, 0, -0.05}));
  const Evaluation after = aligner->evaluate(test_clouds::scan(), kGuess);
  EXPECT_EQ(before.score, after.score);
  EXPECT_EQ(compare::hessian(before.hessian, after.hessian), 0);
}

TEST(PclNdt, VoxelsAreTheOraclesFromAZeroStart) {
  expect_same_tables(with_map(test_clouds::map())->voxels(), oracle_from_zero(test_clouds::map())->voxels(),
                     {1e-7, 1e-12, 1e-9, 1e-9});
}

TEST(PclNdt, TheIterationLimitIsNotCalledConverged) {
  AlignOptions options;
  options.max_iterations = 2;
  const AlignResult got = with_map(test_clouds::map(), options)->align(test_clouds::scan(), kGuess);
  EXPECT_EQ(got.stop, Stop::max_iterations);
  EXPECT_EQ(got.iterations, 2);
  EXPECT_EQ(got.newton_fallbacks, kNotCounted);
}

TEST(PclNdt, AScanThatFixesNoPoseIsDegenerate) {
  PointCloud plane, line;
  for (int i = 0; i < 60; ++i)
    for (int j = 0; j < 60; ++j)
      plane.points.push_back({0.2F * static_cast<float>(i), 0.2F * static_cast<float>(j), 0});
  for (int i = 0; i < 3000; ++i) line.points.push_back({0.01F * static_cast<float>(i), 0.5F, 0.5F});
  for (const PointCloud& cloud : {plane, line})
    EXPECT_NE(with_map(cloud)->align(cloud, to_transform({0.1, 0, 0, 0, 0, 0})).stop, Stop::converged);
  EXPECT_NE(with_map(test_clouds::map())->align(PointCloud{{}, {test_clouds::scan().points[0]}}, kGuess).stop,
            Stop::converged);
}

TEST(PclNdt, EqualMapPointsHaveNoVoxelForPcl) {
  PointCloud map;
  map.points.assign(1000, {1, 2, 3});
  EXPECT_THROW(with_map(map), InputError);
}

TEST(PclNdt, AMapBeyondPclsVoxelIndexIsRefusedAndThePreviousKept) {
  const auto aligner = with_map(test_clouds::map());
  const AlignResult before = aligner->align(test_clouds::scan(), kGuess);
  for (const Point& stray :
       {Point{1e6F, 1e6F, 0}, Point{0, -1e6F, 3e4F}, Point{1e30F, 0, 0}, Point{3e38F, -3e38F, 0}}) {
    PointCloud map = test_clouds::map();
    map.points.push_back(stray);
    try {
      aligner->set_map(map);
      ADD_FAILURE() << "a map with a point at " << stray.x << ", " << stray.y << " was accepted";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr("PCL cannot number more than 2147483647"));
    }
  }
  EXPECT_EQ(aligner->align(test_clouds::scan(), kGuess).score, before.score);
}

TEST(PclNdt, ADoubleCloudFarAwayKeepsItsPrecision) {
  PointCloud far = test_clouds::map();
  far.origin = {5e6, -5e6, 0};  // multiples of the resolution
  const auto shifted = [](const Transform& t) {
    return make_transform(rotation_of(t), translation_of(t) + Vec3<double>{5e6, -5e6, 0});
  };
  const auto near_aligner = with_map(test_clouds::map()), far_aligner = with_map(far);
  const AlignResult near_got = near_aligner->align(test_clouds::scan(), kGuess);
  const AlignResult far_got = far_aligner->align(test_clouds::scan(), shifted(kGuess));
  EXPECT_EQ(far_got.stop, Stop::converged);
  EXPECT_LE(translation_error_m(far_got.map_from_scan, shifted(near_got.map_from_scan)), 1e-6);
  EXPECT_EQ(far_aligner->voxels()[0].key[0], near_aligner->voxels()[0].key[0] + 2'500'000);
}

TEST(PclNdt, GuessesWhereTheLineSearchMayFailEndHonestly) {
  // Far off and coarse: PCL's interpolation may divide by zero, where its k-d tree would abort the process.
  AlignOptions options;
  options.step_m = 5;
  options.max_iterations = 10;
  const auto aligner = with_map(test_clouds::map(), options);
  PointCloud scan = test_clouds::scan();
  scan.points.resize(300);
  for (const Pose& offset : test_clouds::offsets(40, 12, 1.5)) {
    const AlignResult got = aligner->align(scan, to_transform(offset));
    for (const double entry : got.map_from_scan.m) EXPECT_TRUE(std::isfinite(entry));
    EXPECT_NO_THROW(require_rigid(got.map_from_scan, "the result"));
    EXPECT_TRUE(got.stop != Stop::converged || got.conditioning.well_posed());
    EXPECT_TRUE(got.stop != Stop::converged || got.correspondences > 0);
  }
}

TEST(PclNdt, OptionsPclDoesNotHaveAreRefusedByNameAndValue) {
  const auto message = [](auto change) -> std::string {
    AlignOptions options;
    change(options);
    return message_of<std::invalid_argument>(
        [&] { make_aligner(pcl_ndt::implementations(), "pcl_ndt", options); });
  };
  using O = AlignOptions;
  EXPECT_THAT(message([](O& o) { o.neighbours = Neighbours::direct1; }),
              HasSubstr("option neighbours = direct1: pcl_ndt"));
  EXPECT_THAT(message([](O& o) { o.line_search = LineSearch::batched; }),
              HasSubstr("option line-search = batched: pcl_ndt"));
  EXPECT_THAT(message([](O& o) { o.step_ratios = StepRatios::golden_ratio; }),
              HasSubstr("option step-ratios = golden_ratio: pcl_ndt"));
  EXPECT_THAT(message([](O& o) { o.newton_step = NewtonStep::damped; }),
              HasSubstr("option newton-step = damped: pcl_ndt"));
  EXPECT_THAT(message([](O& o) { o.regularisation_scale = 2; }), HasSubstr("option reg-scale = 2: pcl_ndt"));
  EXPECT_EQ(message([](O& o) { o.line_search = LineSearch::more_thuente; }), "");
  EXPECT_EQ(message([](O& o) { o.covariance_start = CovarianceStart::zero; }), "");
  PerScan pulled;
  pulled.regularisation = RegularisationTarget{5, 0};
  EXPECT_THROW(with_map(test_clouds::map())->align(test_clouds::scan(), kGuess, pulled),
               std::invalid_argument);
}

}  // namespace
}  // namespace ndt
