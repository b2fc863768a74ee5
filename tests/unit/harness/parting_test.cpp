// Scripted aligners that differ in one quantity from a chosen iteration on.
#include "run/parting.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <string>

#include "scratch_files.hpp"
#include "scripted_aligner.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

Transform at_x(double x) { return to_transform(Pose{x, 0, 0, 0, 0, 0}); }

/// Takes five steps of 0.1 m along x, and evaluates alike everywhere.
class Scripted : public ScriptedAligner {
 public:
  std::function<void(AlignResult&)> in_result = [](AlignResult&) {};
  std::function<void(Evaluation&, double x)> in_evaluation = [](Evaluation&, double) {};
  std::function<double(double guess_x)> shift = [](double) { return 0.0; };  ///< of all poses but the guess

  AlignResult align(const Scan&, const Transform& guess, const PerScan& per_scan) override {
    AlignResult result;
    result.stop = Stop::converged;
    result.iterations = 5;
    const double from = guess.m[3], shifted = shift(from);
    for (int k = 0; k <= 5 && per_scan.trace; ++k) {
      TracePoint& point = result.trace.emplace_back();
      point.map_from_scan = k == 0 ? guess : at_x(from + 0.1 * k + shifted);
      point.step_m = k == 0 ? 0 : k == 1 ? 0.1 + shifted : 0.1;
      point.score = 100;
    }
    in_result(result);
    if (!result.trace.empty()) result.map_from_scan = result.trace.back().map_from_scan;
    return result;
  }
  Evaluation evaluate(const Scan&, const Transform& pose, const PerScan&) override {
    Evaluation evaluation;
    evaluation.score = 100;
    evaluation.correspondences = 50;
    for (int i = 0; i < 6; ++i) {
      evaluation.gradient[i] = 1 + i;
      for (int j = 0; j < 6; ++j) evaluation.hessian(i, j) = i == j ? -10 - i : 0.5;
    }
    in_evaluation(evaluation, pose.m[3]);
    return evaluation;
  }
};

bool from_third(double x) { return x > 0.25; }

AlignmentDiff diff(Scripted& a, Scripted& b, std::size_t levels = 1) {
  return diff_alignments(a, b, PointCloud{}, at_x(0), {}, kPartingBounds, levels);
}

/// Returns the point where b parts from a Scripted, nothing if they agree. A Scripted never parts from
/// itself.
std::optional<Parting> parting_of(Scripted& b) {
  Scripted a;
  const AlignmentDiff found = diff(a, b);
  if (found.parting) {
    EXPECT_EQ(found.float_steps.value().parted, 0);
  }
  return found.parting;
}

TEST(Parting, EqualAlignmentsDoNotPart) {
  Scripted a, b;
  const AlignmentDiff found = diff(a, b);
  EXPECT_FALSE(found.parting || found.float_steps);
  EXPECT_EQ(found.apart.translation_m, 0);
}

TEST(Parting, TheFirstQuantityOfTheFirstIterationAboveItsBoundIsNamed) {
  using Change = std::function<void(Evaluation&, double)>;
  const std::tuple<Quantity, Change, double> kCases[] = {
      {Quantity::neighbours, [](Evaluation& e, double x) { e.correspondences += from_third(x); }, 1},
      {Quantity::score, [](Evaluation& e, double x) { e.score *= 1 + 3e-6 * from_third(x); }, 3e-6},
      {Quantity::gradient, [](Evaluation& e, double x) { e.gradient[1] += 0.01 * from_third(x); },
       0.01 / std::sqrt(100 * std::sqrt(100 + 121 + 144 + 6 * 0.25))},
      {Quantity::hessian, [](Evaluation& e, double x) { e.hessian(0, 4) += 0.15 * from_third(x); }, 0.1}};
  for (const auto& [quantity, change, difference] : kCases) {
    Scripted b;
    b.in_evaluation = change;
    const auto parting = parting_of(b);
    ASSERT_TRUE(parting) << to_string(quantity);
    EXPECT_EQ(parting->quantity, quantity) << to_string(quantity);
    EXPECT_EQ(parting->iteration, 3) << to_string(quantity);
    EXPECT_NEAR(parting->difference, difference, 1e-9) << to_string(quantity);
    EXPECT_NEAR(parting->at_one_pose.value(), difference, 1e-9) << "of their arithmetic";
  }
}

TEST(Parting, WhatIsWithinItsBoundIsNoDifference) {
  Scripted b;
  b.in_evaluation = [](Evaluation& e, double) {
    e.score *= 1 + 9e-7;
    e.gradient[0] += 0.001;
    e.hessian(3, 3) *= 1 + 5e-6;
  };
  b.in_result = [](AlignResult& r) { r.trace[2].step_m += 9e-5; };
  EXPECT_FALSE(parting_of(b));
}

TEST(Parting, ADirectionIsAStepAndALengthIsAlpha) {
  Scripted turned, longer, shorter;
  turned.in_result = [](AlignResult& r) {
    for (std::size_t k = 3; k < r.trace.size(); ++k) r.trace[k].map_from_scan.m[7] += 0.001;
  };
  const auto step = parting_of(turned);
  EXPECT_EQ(step.value().quantity, Quantity::step);
  EXPECT_EQ(step->iteration, 2) << "it leads from the second pose to the third";
  EXPECT_NEAR(step->difference, 0.001, 1e-5);
  longer.in_result = [](AlignResult& r) { r.trace[4].step_m = 0.12; };
  EXPECT_EQ(parting_of(longer).value().quantity, Quantity::alpha);
  EXPECT_NEAR(parting_of(longer)->difference, 0.02, 1e-12);
  shorter.in_result = [](AlignResult& r) {  // a step that was taken back has no direction
    r.trace[1].step_m = 0;
    r.trace[1].map_from_scan = r.trace[0].map_from_scan;
  };
  EXPECT_EQ(parting_of(shorter).value().quantity, Quantity::alpha);
}

TEST(Parting, OneThatStopsFirstOrForAnotherReasonPartsAtTheEnd) {
  Scripted early, other;
  early.in_result = [](AlignResult& r) {
    r.iterations = 4;
    r.trace.pop_back();
  };
  const auto end = parting_of(early);
  EXPECT_EQ(end.value().quantity, Quantity::end);
  EXPECT_EQ(std::tuple(end->iteration, end->a, end->b), std::tuple(4, 5, 4));
  other.in_result = [](AlignResult& r) { r.stop = Stop::degenerate; };
  EXPECT_EQ(parting_of(other).value().iteration, 5);
}

TEST(Parting, AngleTriplesOfOneRotationAreNoDifference) {
  Scripted b;
  b.in_evaluation = [](Evaluation& e, double) {
    e.derivative_pose = {0, 0, 0, kPi, kPi, kPi};
    e.gradient[4] = -e.gradient[4];
    for (int i = 0; i < 6; ++i)
      if (i != 4) e.hessian(i, 4) = -e.hessian(i, 4), e.hessian(4, i) = -e.hessian(4, i);
  };
  EXPECT_FALSE(parting_of(b));
}

TEST(Parting, OnCoarseLevelsTheTraceAloneIsCompared) {
  Scripted a, b;
  const auto levels = [](AlignResult& r) {
    for (std::size_t k = 0; k < r.trace.size(); ++k) r.trace[k].level = k < 4 ? 0 : 1;
  };
  a.in_result = levels;
  b.in_result = levels;
  b.in_evaluation = [](Evaluation& e, double) { e.correspondences += 7; };
  EXPECT_EQ(diff(a, b, 2).parting.value().iteration, 4) << "evaluate() is of the last level";
  b.in_result = [&](AlignResult& r) {
    levels(r);
    r.trace[2].score = 101;
  };
  const auto parting = diff(a, b, 2).parting.value();
  EXPECT_EQ(std::pair(parting.iteration, parting.quantity), std::pair(2, Quantity::score));
  EXPECT_FALSE(parting.at_one_pose);
}

TEST(Parting, AFloat32StepOfTheGuessIsSeenToDecide) {
  Scripted a, b;
  b.shift = [](double) { return 0.01; };
  a.shift = [](double guess_x) { return guess_x > 0 ? 0.01 : 0.0; };  // the guess is at 0
  const AlignmentDiff found = diff(a, b);
  EXPECT_EQ(found.parting.value().quantity, Quantity::alpha);
  const FloatSteps& steps = found.float_steps.value();
  EXPECT_EQ(std::tuple(steps.of, steps.parted, steps.as_early, steps.same_way), std::tuple(6, 1, 1, 1));
  EXPECT_EQ(steps.step_m, std::ldexp(1.0, -23)) << "at 1 m, which is the least";
  EXPECT_EQ(steps.first.value().quantity, Quantity::alpha);
}

TEST(Parting, AnImplementationWithoutATraceIsRefused) {
  Scripted a, b;
  b.in_result = [](AlignResult& r) { r.trace.clear(); };
  EXPECT_THAT(input_error_of([&] { diff(a, b); }), HasSubstr("gave no trace of its iterations"));
}

}  // namespace
}  // namespace ndt::harness
