// Checks properties that hold for any scene, guess and option, on generated ones and every implementation.
#include <rapidcheck.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "compare.hpp"
#include "every_implementation.hpp"
#include "ndt/solve/line_search.hpp"

namespace ndt {
namespace {

#ifdef __SANITIZE_ADDRESS__
/// A tenth of the cases where each takes ten times as long.
[[maybe_unused]] const int kFewer = ::setenv("RC_PARAMS", "max_success=10", 0);
#endif

double real(double low, double high) { return low + (high - low) * *rc::gen::inRange(0, 1000001) * 1e-6; }

Pose near(double metres, double radians) {
  return {real(-metres, metres),   real(-metres, metres),   real(-metres, metres),
          real(-radians, radians), real(-radians, radians), real(-radians, radians)};
}

/// Every sixth point of the courtyard's scan: enough to fix the pose, few enough for a hundred alignments.
PointCloud thin_scan() {
  PointCloud out;
  for (std::size_t i = 0; i < test_clouds::scan().size(); i += 6)
    out.points.push_back(test_clouds::scan().points[i]);
  return out;
}

PointCloud permuted(PointCloud cloud) {
  std::mt19937 random(*rc::gen::arbitrary<std::uint32_t>());
  std::shuffle(cloud.points.begin(), cloud.points.end(), random);
  return cloud;
}

AlignOptions one_thread() {
  AlignOptions options;
  options.threads = 1;
  return options;
}

AlignOptions searching() {
  AlignOptions options = one_thread();
  options.line_search = *rc::gen::element(LineSearch::more_thuente, LineSearch::batched);
  options.step_ratios = *rc::gen::element(StepRatios::fixed8, StepRatios::golden_ratio);
  options.neighbours = *rc::gen::elementOf(all_values<Neighbours>());
  options.step_m = real(0.05, 1.5);
  return options;
}

/// Ends at the optimum itself, not where a step happened to be short.
AlignOptions to_the_optimum() {
  AlignOptions options = one_thread();
  options.epsilon_m = 1e-5;
  options.max_iterations = 200;
  return options;
}

class Properties : public EveryImplementation {
 protected:
  void SetUp() override {
    EveryImplementation::SetUp();
    if (peer())
      GTEST_SKIP() << GetParam().name << ": another algorithm, with its own search and stopping rule";
  }
};

TEST_P(Properties, AnAcceptedStepNeverLowersTheScore) {
  const PointCloud scan = thin_scan();
  EXPECT_TRUE(rc::check([&] {
    const auto aligner = in_courtyard(searching());
    PerScan traced;
    traced.trace = true;
    const AlignResult got = aligner->align(scan, to_transform(near(0.8, 0.15)), traced);
    for (std::size_t i = 1; i < got.trace.size(); ++i) RC_ASSERT(got.trace[i].score > got.trace[i - 1].score);
    RC_ASSERT(got.stop == Stop::no_overlap || got.score == got.trace.back().score);
  }));
}

TEST_P(Properties, TheOrderOfTheScanChangesNothingBeyondRounding) {
  const auto aligner = in_courtyard(one_thread());
  const PointCloud scan = thin_scan();
  EXPECT_TRUE(rc::check([&] {
    const Transform pose = to_transform(near(0.5, 0.1));
    const Evaluation a = aligner->evaluate(scan, pose), b = aligner->evaluate(permuted(scan), pose);
    RC_ASSERT(a.correspondences == b.correspondences);
    RC_ASSERT(compare::relative(b.score, a.score) <= 1e-6);
    RC_ASSERT(compare::hessian(b.hessian, a.hessian) <= 1e-5);
  }));
}

TEST_P(Properties, TheOrderOfTheMapChangesNothingBeyondRounding) {
  const auto aligner = in_courtyard(one_thread()), shuffled = make(one_thread());
  const PointCloud scan = thin_scan();
  EXPECT_TRUE(rc::check([&] {
    shuffled->set_map(permuted(test_clouds::map()));
    const Transform pose = to_transform(near(0.5, 0.1));
    const Evaluation a = aligner->evaluate(scan, pose), b = shuffled->evaluate(scan, pose);
    RC_ASSERT(std::abs(a.correspondences - b.correspondences) <= 1);  // a centroid may round across a radius
    RC_ASSERT(compare::relative(b.score, a.score) <= 1e-4);
  }));
}

TEST_P(Properties, MovingTheMapByWholeVoxelsMovesTheAnswer) {
  const auto here = in_courtyard(to_the_optimum()), there = make(to_the_optimum());
  const PointCloud scan = thin_scan();
  EXPECT_TRUE(rc::check([&] {
    const Vec3<double> by{2.0 * *rc::gen::inRange(-100, 101), 2.0 * *rc::gen::inRange(-100, 101),
                          2.0 * *rc::gen::inRange(-10, 11)};
    PointCloud map = test_clouds::map();
    for (Point& p : map.points) p = cast<float>(cast<double>(p) + by);
    there->set_map(map);
    const Transform guess = to_transform(near(0.3, 0.05));
    const AlignResult a = here->align(scan, guess);
    const AlignResult b = there->align(scan, make_transform(rotation_of(guess), translation_of(guess) + by));
    RC_PRE(a.stop == Stop::converged && b.stop == Stop::converged);
    const Transform back = make_transform(rotation_of(b.map_from_scan), translation_of(b.map_from_scan) - by);
    RC_ASSERT(translation_error_m(back, a.map_from_scan) <= 1e-3);
    RC_ASSERT(compare::degrees(rotation_error_rad(back, a.map_from_scan)) <= 0.01);
  }));
}

TEST_P(Properties, MovingTheScansFrameMovesTheAnswerBack) {
  const auto aligner = in_courtyard(to_the_optimum());
  const PointCloud scan = thin_scan();
  EXPECT_TRUE(rc::check([&] {
    const Transform moved_from_scan = to_transform(near(0.5, 0.2));
    const Mat3<double> r = rotation_of(moved_from_scan);
    const Vec3<double> t = translation_of(moved_from_scan);
    PointCloud moved;
    for (const Point& p : scan.points) moved.points.push_back(cast<float>(r * cast<double>(p) + t));
    // map_from_moved = map_from_scan * scan_from_moved, and back.
    const auto to_moved = [&](const Transform& map_from_scan) {
      const Mat3<double> turned = rotation_of(map_from_scan) * transpose(r);
      return make_transform(turned, translation_of(map_from_scan) - turned * t);
    };
    const auto from_moved = [&](const Transform& map_from_moved) {
      const Mat3<double> rotation = rotation_of(map_from_moved);
      return make_transform(rotation * r, translation_of(map_from_moved) + rotation * t);
    };
    const Transform guess = to_transform(near(0.1, 0.02));
    const AlignResult a = aligner->align(scan, guess), b = aligner->align(moved, to_moved(guess));
    RC_PRE(a.stop == Stop::converged && b.stop == Stop::converged);
    const Transform again = from_moved(b.map_from_scan);
    RC_ASSERT(translation_error_m(again, a.map_from_scan) <= 5e-3);
    RC_ASSERT(compare::degrees(rotation_error_rad(again, a.map_from_scan)) <= 0.05);
  }));
}

NDT_ON_EVERY_IMPLEMENTATION(Properties);

/// phi(a) = slope a + c2 a^2 + c3 a^3 + c4 a^4, going down at 0.
struct Quartic {
  double slope, c2, c3, c4;
  double value(double a) const { return a * (slope + a * (c2 + a * (c3 + a * c4))); }
  double derivative(double a) const { return slope + a * (2 * c2 + a * (3 * c3 + a * 4 * c4)); }
};

TEST(StepSearchProperties, AnAcceptedStepDecreasesEnoughAndIsFlatEnough) {
  int accepted = 0, fallen_back = 0, failed = 0;
  EXPECT_TRUE(rc::check([&] {
    const Quartic phi{-real(1e-3, 1), real(-30, 30), real(-300, 300), real(-3000, 3000)};
    const LineSearchOptions options{*rc::gen::element(LineSearch::more_thuente, LineSearch::batched),
                                    *rc::gen::element(StepRatios::fixed8, StepRatios::golden_ratio), 0.005,
                                    0.1};
    StepSearch search(options, {0, 0, phi.slope}, real(0.001, 0.3));
    double best = 0;
    for (int trial = 0; trial < 20; ++trial) {
      const double a = search.alpha();
      RC_ASSERT(a >= options.low && a <= options.high);
      const bool enough = phi.value(a) <= 1e-4 * a * phi.slope;
      const bool flat = std::abs(phi.derivative(a)) <= 0.9 * std::abs(phi.slope);
      const bool at_the_end = a == options.high && phi.derivative(a) < 0;
      const Verdict verdict = search.offer(phi.value(a), phi.derivative(a));
      RC_ASSERT((verdict == Verdict::take_this) == (enough && (flat || at_the_end)));
      if (search.current_is_best()) best = a;
      if (verdict == Verdict::take_best) RC_ASSERT(phi.value(best) <= 1e-4 * best * phi.slope);
      if (verdict == Verdict::failed) RC_ASSERT(best == 0);
      accepted += verdict == Verdict::take_this, fallen_back += verdict == Verdict::take_best;
      failed += verdict == Verdict::failed;
      if (verdict != Verdict::try_next) return;
    }
    RC_FAIL("no end after 20 trials");
  }));
  std::printf("%d accepted, %d took the best trial, %d failed\n", accepted, fallen_back, failed);
}

}  // namespace
}  // namespace ndt
