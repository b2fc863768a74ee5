// Checks what a line search promises for each step, from outside: by the trace of poses and the gradients
// there.
#include <algorithm>
#include <cstdio>

#include "every_implementation.hpp"

namespace ndt {
namespace {

constexpr double kArmijo = 1e-4, kCurvature = 0.9;
// Scores are sums of float32 pair scores: 6e-8 each and at most 32 of them added up in float32, so 1e-6 of
// the sum is more than two evaluations of the same pose can differ by.
constexpr double kSum = 1e-6;

PointCloud sparse_scan() {
  PointCloud scan;
  for (std::size_t i = 0; i < test_clouds::scan().size(); i += 3)
    scan.points.push_back(test_clouds::scan().points[i]);
  return scan;
}

/// Pose and gradient of the score in principal angles, which do not jump near level poses.
struct At {
  Pose pose;
  Vec6 gradient;
};
At at(Aligner& aligner, const PointCloud& scan, const Transform& transform) {
  const Evaluation e = aligner.evaluate(scan, transform);
  At out{principal(e.derivative_pose), e.gradient};
  if (std::cos(e.derivative_pose.pitch) < 0) out.gradient[4] = -out.gradient[4];
  return out;
}

Vec6 step_between(const Pose& a, const Pose& b) {
  return {{b.x - a.x, b.y - a.y, b.z - a.z, b.roll - a.roll, b.pitch - a.pitch, b.yaw - a.yaw}};
}

struct Shares {
  int steps = 0, curved = 0, longest = 0;
  double with_curvature() const { return static_cast<double>(curved + longest) / std::max(steps, 1); }
};

/// Every step of the trace must satisfy Armijo's condition; counts those that satisfy the curvature
/// condition, and those that are as long as allowed and still go uphill.
void see(Aligner& aligner, const PointCloud& scan, const std::vector<TracePoint>& trace, double longest_m,
         Shares& shares) {
  ASSERT_FALSE(trace.empty());
  At from = at(aligner, scan, trace[0].map_from_scan);
  for (std::size_t k = 1; k < trace.size(); ++k) {
    const At to = at(aligner, scan, trace[k].map_from_scan);
    const Vec6 step = step_between(from.pose, to.pose);
    const double rise = trace[k].score - trace[k - 1].score, allowance = kSum * trace[k].score;
    const double before = dot(from.gradient, step), after = dot(to.gradient, step);
    ASSERT_NEAR(std::sqrt(dot(step, step)), trace[k].step_m, 1e-6) << "step " << k;
    EXPECT_GT(before, 0) << "step " << k << " goes downhill";
    EXPECT_GE(rise, -allowance) << "step " << k;
    EXPECT_GE(rise, kArmijo * before - allowance) << "step " << k;
    ++shares.steps;
    if (std::fabs(after) <= kCurvature * before)
      ++shares.curved;
    else if (trace[k].step_m >= longest_m * (1 - 1e-9) && after > 0)
      ++shares.longest;
    from = to;
  }
}

class Wolfe : public EveryImplementation {};

TEST_P(Wolfe, EveryStepOfALineSearchRaisesTheScoreEnough) {
  if (peer()) GTEST_SKIP() << GetParam().name << " may have one way only to choose a step's length";
  const PointCloud scan = sparse_scan();
  PerScan traced;
  traced.trace = true;
  for (const LineSearch search : {LineSearch::more_thuente, LineSearch::batched})
    for (const double step_m : {0.1, 1.0}) {
      AlignOptions options;
      options.line_search = search;
      options.step_m = step_m;
      options.threads = 1;
      const auto aligner = in_courtyard(options);
      Shares shares;
      for (const Pose& offset : test_clouds::offsets(12, 0.6, 0.08)) {
        const AlignResult result = aligner->align(scan, to_transform(offset), traced);
        see(*aligner, scan, result.trace, step_m, shares);
      }
      std::printf(
          "%s, %s, step up to %.1f m: %d steps, %d with the curvature condition, %d at the limit and "
          "uphill\n",
          GetParam().name.data(), to_string(search).data(), step_m, shares.steps, shares.curved,
          shares.longest);
      EXPECT_GT(shares.steps, 20);
      if (search == LineSearch::more_thuente) {
        EXPECT_GE(shares.with_curvature(), 0.9) << "step up to " << step_m;
      }
    }
}

NDT_ON_EVERY_IMPLEMENTATION(Wolfe);

}  // namespace
}  // namespace ndt
