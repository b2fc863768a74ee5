// The Laplace covariance of every implementation against the reference's, before and after the floor it
// publishes with.
#include <gtest/gtest.h>

#include "compare.hpp"
#include "golden.hpp"
#include "implementation_names.hpp"

namespace ndt {
namespace {

// Relative. The final poses differ from the reference's by up to 5e-8 m (oracle) and 7e-5 m (shared core),
// which alone moves the Hessians at 1 m by up to 1e-6 and 1e-4.
constexpr double kOracle = 1e-5, kSharedCore = 1e-3;

double relative(const PositionCovariance& got, const PositionCovariance& expected) {
  const double difference = std::max(
      {std::abs(got.xx - expected.xx), std::abs(got.xy - expected.xy), std::abs(got.yy - expected.yy)});
  return difference / std::max(expected.xx, expected.yy);
}

class LaplaceGolden : public testing::TestWithParam<Implementation> {};

TEST_P(LaplaceGolden, CovariancesAgree) {
  if (const std::string reason = GetParam().unavailable_reason(); !reason.empty()) GTEST_SKIP() << reason;
  const double bound = GetParam().name == harness::kReference ? kOracle : kSharedCore;
  compare::Worst plain, floored;
  for (const golden::CovarianceCase& c : golden::covariances()) {
    const auto aligner = GetParam().make(c.options);
    aligner->set_map(*c.map);
    const AlignResult got = aligner->align(*c.scan, c.guess);
    const bool far = c.far_origin;  // a float32 step of 7.8 mm there: the poses differ by as much
    ASSERT_TRUE(got.laplace_covariance) << c.name;
    if (!far) plain.see(relative(*got.laplace_covariance, c.laplace), c.name);
    floored.see(relative(with_variance_floor(*got.laplace_covariance, c.pose), c.floored), c.name);
  }
  std::printf("%s against the reference, %zu covariances\n", GetParam().name.data(),
              golden::covariances().size());
  plain.print("Laplace (relative)"), floored.print("after the floor (relative)");
  EXPECT_LE(plain.value, bound) << plain.where;
  EXPECT_LE(floored.value, bound) << floored.where;
}

INSTANTIATE_TEST_SUITE_P(Implementations, LaplaceGolden, testing::ValuesIn(implementations_without_peers()),
                         implementation_name);

}  // namespace
}  // namespace ndt
