// Every implementation of the shared core against the oracle on the golden cases. Users need 1 cm and 0.1
// degrees; epsilon is 10 mm.
#include <gtest/gtest.h>

#include "compare.hpp"
#include "golden.hpp"
#include "implementation_names.hpp"

namespace ndt {
namespace {

constexpr double kScore = 1e-6;
constexpr double kGradient =
    5e-5;  // allowed: of the sum of absolute contributions; checked: of the largest entry, which is less
constexpr double kHessianBlock = 1e-5;
constexpr double kMetres = 1e-3, kDegrees = 0.01, kEqualIterations = 0.99;

class SharedCoreGolden : public testing::TestWithParam<Implementation> {
 protected:
  void SetUp() override {
    const std::string reason = GetParam().unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << GetParam().name << ": " << reason;
  }
  struct Aligners {
    std::unique_ptr<Aligner> oracle, tested;
  };
  static Aligners aligners_for(const golden::Case& c) {
    Aligners aligners{harness::find_implementation(harness::kReference).make(c.options),
                      GetParam().make(c.options)};
    aligners.oracle->set_map(*c.map);
    aligners.tested->set_map(*c.map);
    return aligners;
  }
};

TEST_P(SharedCoreGolden, EvaluationsAgreeWithTheOracle) {
  compare::Worst score, gradient, hessian, nvtl;
  for (const golden::EvaluationCase& e : golden::evaluations()) {
    if (e.far_origin) continue;  // the oracle keeps the reference's float32 coordinates there, as labelled
    const Aligners aligners = aligners_for(e);
    const Evaluation expected = aligners.oracle->evaluate(*e.scan, e.pose, e.per_scan);
    const Evaluation got = aligners.tested->evaluate(*e.scan, e.pose, e.per_scan);
    score.see(compare::relative(got.score, expected.score), e.name);
    nvtl.see(compare::relative(got.nvtl, expected.nvtl), e.name);
    gradient.see(compare::gradient(got.gradient, expected.gradient), e.name);
    hessian.see(compare::hessian_blocks(got.hessian, expected.hessian), e.name);
    EXPECT_EQ(got.correspondences, expected.correspondences) << e.name;
  }
  std::printf("%s against cpu_pclomp_ref, evaluations\n", std::string(GetParam().name).c_str());
  score.print("score (relative)"), nvtl.print("NVTL (relative)"), gradient.print("gradient (of largest)");
  hessian.print("Hessian (of block norm)");
  EXPECT_LE(score.value, kScore) << score.where;
  EXPECT_LE(nvtl.value, kScore) << nvtl.where;
  EXPECT_LE(gradient.value, kGradient) << gradient.where;
  EXPECT_LE(hessian.value, kHessianBlock) << hessian.where;
}

TEST_P(SharedCoreGolden, AlignmentsAgreeWithTheOracle) {
  compare::Worst metres, degrees;
  int cases = 0, equal = 0;
  for (const golden::Run& r : golden::runs()) {
    if (r.far_origin) continue;
    const Aligners aligners = aligners_for(r);
    const AlignResult expected = aligners.oracle->align(*r.scan, r.guess, r.per_scan);
    const AlignResult got = aligners.tested->align(*r.scan, r.guess, r.per_scan);
    ++cases;
    if (got.iterations != expected.iterations) {
      std::printf("  %s: %d iterations instead of %d\n", r.name.c_str(), got.iterations, expected.iterations);
      continue;
    }
    ++equal;
    EXPECT_EQ(got.stop, expected.stop) << r.name;
    metres.see(translation_error_m(got.map_from_scan, expected.map_from_scan), r.name);
    degrees.see(compare::degrees(rotation_error_rad(got.map_from_scan, expected.map_from_scan)), r.name);
  }
  std::printf("%s against cpu_pclomp_ref: %d of %d alignments with equal iterations\n",
              std::string(GetParam().name).c_str(), equal, cases);
  metres.print("translation [m]"), degrees.print("rotation [deg]");
  EXPECT_GE(equal, kEqualIterations * cases);
  EXPECT_LE(metres.value, kMetres) << metres.where;
  EXPECT_LE(degrees.value, kDegrees) << degrees.where;
}

INSTANTIATE_TEST_SUITE_P(Implementations, SharedCoreGolden, testing::ValuesIn(shared_core_implementations()),
                         implementation_name);

}  // namespace
}  // namespace ndt
