// Steps 6 to 8: neighbour lists against a search over all voxels, the separate arrays against the shared
// core's fused sums, and segmented sums against serial ones.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include "compare.hpp"
#include "ndt/exec/team.hpp"
#include "random_poses.hpp"
#include "staged_frame.hpp"

namespace ndt::gpu_multikernel {
namespace {

constexpr int kPoints = 1000;

std::vector<std::uint32_t> sorted(std::vector<std::uint32_t> v) {
  std::sort(v.begin(), v.end());
  return v;
}

class NeighbourSteps : public StagedSteps {
 protected:
  std::vector<std::uint32_t> listed(const StagedFrame& frame, int k, int i) const {
    const StagedArrays& a = frame.args.a;
    std::vector<std::uint32_t> out;
    for (int n = 0; n < std::min(a.neighbour_counts[a.at(k, 1, 0, i)], kListedNeighbours); ++n)
      out.push_back(a.neighbours[a.at(k, kListedNeighbours, n, i)]);
    return out;
  }
  /// Runs steps 1 to 6 at guesses around the true pose; near(p, voxel) says what must be listed. Returns the
  /// pairs.
  template <class F>
  std::size_t expect_lists(const VoxelMap& map, F&& near) {
    constexpr int kSome = 200;
    StagedFrame frame(test_clouds::offsets(3, 1.0, 0.2), kSome, {}, map.view());
    run(frame, {Step::begin, Step::sin_cos, Step::transform, Step::transform_points, Step::neighbours});
    std::size_t pairs = 0;
    for (int k = 0; k < frame.args.a.poses; ++k)
      for (int i = 0; i < kSome; ++i) {
        const Vec3<float> p = move_point(frame.state(k).loop.at.motion, frame.args.a.scan[i]);
        std::vector<std::uint32_t> expected;
        for (std::uint32_t v = 0; v < static_cast<std::uint32_t>(map.view().voxel_count); ++v)
          if (near(p, v)) expected.push_back(v);
        EXPECT_EQ(static_cast<std::size_t>(frame.args.a.neighbour_counts[frame.args.a.at(k, 1, 0, i)]),
                  expected.size());
        EXPECT_EQ(sorted(listed(frame, k, i)), expected) << "pose " << k << " point " << i;
        pairs += expected.size();
      }
    return pairs;
  }
};

TEST_F(NeighbourSteps, ListEveryVoxelWithItsCentroidWithinTheRadius) {
  const VoxelMapView map = courtyard().view();
  const std::size_t pairs = expect_lists(courtyard(), [&](const Vec3<float>& p, std::uint32_t v) {
    return squared_length(p - map.voxels[v].centroid) < map.squared_radius;
  });
  EXPECT_GT(pairs, 600U);
}

TEST_F(NeighbourSteps, ListAllTwentySevenCellsUnderDirect27) {
  AlignOptions options;
  options.neighbours = Neighbours::direct27;
  const VoxelMap map(test_clouds::map(), options);
  const std::vector<VoxelInfo> table = map.voxel_table();
  ASSERT_EQ(map.origin().x, 0);
  const std::size_t pairs = expect_lists(map, [&](const Vec3<float>& p, std::uint32_t v) {
    Cell cell;
    if (!cell_of(p, map.view().inverse_resolution, cell)) return false;
    return std::abs(table[v].key[0] - cell.x) <= 1 && std::abs(table[v].key[1] - cell.y) <= 1 &&
           std::abs(table[v].key[2] - cell.z) <= 1;
  });
  EXPECT_GT(pairs, 600U);
}

/// One cell that lists so many voxels, all in reach of every point in it.
struct CrowdedCell {
  static constexpr int kVoxels = 40;
  std::array<Voxel, kVoxels> voxels;
  std::array<NearVoxel, kVoxels + kNearVoxelPadding> lists;
  std::array<std::uint32_t, 2> starts{0, kVoxels};

  CrowdedCell() {
    std::mt19937 random(5);
    std::uniform_real_distribution<float> unit(0, 1);
    for (std::uint32_t v = 0; v < kVoxels; ++v) {
      voxels[v].centroid = {0.8F + 0.4F * unit(random), 0.8F + 0.4F * unit(random),
                            0.8F + 0.4F * unit(random)};
      voxels[v].mean_offset = {0.1F * unit(random), 0.1F * unit(random), 0.1F * unit(random)};
      voxels[v].inverse_covariance = {2 + unit(random), 0.1F, 0.2F, 2 + unit(random), 0.3F, 2 + unit(random)};
      lists[v] = {voxels[v].centroid, v};
    }
  }
  VoxelMapView view() const {
    VoxelMapView map;
    map.voxels = voxels.data();
    map.lists = lists.data();
    map.window.nx = map.window.ny = map.window.nz = 1;
    map.window.starts = starts.data();
    map.voxel_count = kVoxels;
    map.inverse_resolution = 0.5F;
    map.squared_radius = 4;
    return map;
  }
};

TEST_F(NeighbourSteps, PointsWithMoreNeighboursThanTheListHoldsLoseNone) {
  const CrowdedCell crowd;
  const std::vector<Point> points{{0.9F, 1.0F, 1.1F}, {1.2F, 0.8F, 0.7F}, {5, 5, 5}};
  StagedFrame frame(std::vector<Pose>{{}}, static_cast<int>(points.size()), {}, crowd.view());
  frame.args.a.scan = points.data();
  run(frame, {Step::begin, Step::sin_cos, Step::transform});
  evaluate(frame);
  double expected = 0;
  for (int i = 0; i < 2; ++i)
    for (const Voxel& voxel : crowd.voxels) {
      PointSums<float> one;
      add_pair(frame.args.levels[0].gauss, points[static_cast<std::size_t>(i)] - voxel.centroid, voxel, true,
               one);
      expected += static_cast<double>(one.score);
    }
  EXPECT_EQ(frame.args.a.neighbour_counts[0], CrowdedCell::kVoxels);
  EXPECT_EQ(frame.args.a.sums[kPairs], 2 * CrowdedCell::kVoxels);
  EXPECT_EQ(frame.args.a.sums[kMatched], 2);
  EXPECT_NEAR(frame.args.a.sums[kScore], expected, 1e-6 * expected);
}

class ScoreSteps : public StagedSteps {
 protected:
  /// The fused sums at the same motion.
  static Derivatives shared_form(const StagedFrame& frame, const LoopState& loop) {
    SerialTeam team;
    const PoseMotion at(loop.trial);
    const Motion motion{loop.at.motion.rotation, loop.at.motion.translation, at.motion.lever};
    const auto sums = team.sum<DerivativeSums>(
        frame.args.a.points, [&](int first, int count, const auto& lanes, auto& part) {
          add_scan_points(frame.args.levels[0].view, frame.args.levels[0].gauss, motion,
                          frame.args.a.scan + first, count, lanes, part);
        });
    return derivatives_of(sums, at.angles);
  }
  static double absolute_sum(const StagedFrame& frame, int k, int term) {
    double sum = 0;
    for (int i = 0; i < frame.args.a.points; ++i)
      sum += std::fabs(static_cast<double>(frame.component(frame.args.a.terms, k, kTerms, term, i)));
    return sum;
  }
};

TEST_F(ScoreSteps, SeparateArraysGiveTheDerivativesOfTheFusedSums) {
  std::vector<Pose> poses = test_clouds::offsets(6, 0.5, 0.1);
  poses.push_back({});
  poses.push_back({0.1, 0.2, 0, 0.02, 0, -0.4});
  poses.push_back({0.3, -0.2, 0.1, 0.02, kPi / 2, 0.1});  // the scan on end
  StagedFrame frame(poses, kPoints, {}, courtyard().view());
  run(frame, {Step::begin, Step::sin_cos, Step::transform});
  evaluate(frame);
  compare::Worst score, gradient, hessian;
  for (int k = 0; k < frame.args.a.poses; ++k) {
    const double* sums = frame.args.a.sums + k * kTerms;
    const Derivatives expected = shared_form(frame, frame.state(k).loop);
    EXPECT_GT(expected.pairs, 100) << k;
    EXPECT_EQ(static_cast<std::int64_t>(sums[kPairs]), expected.pairs) << k;
    EXPECT_EQ(static_cast<std::int64_t>(sums[kMatched]), expected.points) << k;
    const std::string where = "pose " + std::to_string(k);
    score.see(compare::relative(sums[kScore], expected.score), where);
    score.see(compare::relative(sums[kNearest], expected.nearest), where);
    Mat6 got;
    int entry = kHessian;
    for (int i = 0; i < 6; ++i) {
      gradient.see(
          std::fabs(sums[kGradient + i] - expected.gradient[i]) / absolute_sum(frame, k, kGradient + i),
          where);
      for (int j = i; j < 6; ++j) got(i, j) = got(j, i) = sums[entry++];
    }
    hessian.see(compare::hessian_blocks(got, expected.hessian), where);
  }
  score.print("score, relative");
  gradient.print("gradient, of absolute sum");
  hessian.print("hessian, of its 3x3 block");
  EXPECT_LT(score.value, 1e-6);
  EXPECT_LT(gradient.value, 5e-5);
  EXPECT_LT(hessian.value, 1e-5);
}

TEST_F(ScoreSteps, APoseThatHasEndedAddsNothing) {
  StagedFrame frame(test_clouds::offsets(2, 0.2, 0.02), 100, {}, courtyard().view());
  run(frame, {Step::begin, Step::sin_cos, Step::transform});
  frame.state(1).loop.status = LoopStatus::max_iterations;
  evaluate(frame);
  EXPECT_GT(frame.args.a.sums[kScore], 0);
  for (int term = 0; term < kTerms; ++term) EXPECT_EQ(frame.args.a.sums[kTerms + term], 0) << term;
}

class SegmentSums : public StagedSteps {};

TEST_F(SegmentSums, EqualSerialSumsAndGiveTheSameBitsAgain) {
  std::mt19937 random(9);
  std::normal_distribution<float> normal(0.1F, 3);
  for (const int length : {0, 1, 31, 5000}) {
    constexpr int kSegments = 63;
    std::vector<float> values(static_cast<std::size_t>(kSegments) * static_cast<std::size_t>(length));
    for (float& value : values) value = normal(random);
    std::vector<double> sums(kSegments, -1), again(kSegments, -2);
    machine->sum_segments(values.data(), kSegments, length, sums.data());
    for (int s = 0; s < kSegments; ++s) {
      double expected = 0, absolute = 0;
      for (int i = 0; i < length; ++i) {
        const auto value =
            static_cast<double>(values[static_cast<std::size_t>(s) * static_cast<std::size_t>(length) +
                                       static_cast<std::size_t>(i)]);
        expected += value, absolute += std::fabs(value);
      }
      EXPECT_NEAR(sums[static_cast<std::size_t>(s)], expected, 1e-12 * absolute)
          << length << ", segment " << s;
    }
    for (int repeat = 0; repeat < 20; ++repeat) {
      machine->sum_segments(values.data(), kSegments, length, again.data());
      ASSERT_EQ(std::memcmp(sums.data(), again.data(), sums.size() * sizeof(double)), 0) << length;
    }
  }
}

}  // namespace
}  // namespace ndt::gpu_multikernel
