#include <gtest/gtest.h>

#include "ndt/score/derivative_sums.hpp"

namespace ndt {
namespace {

struct Known {
  double resolution_m, d1, d2;
};

TEST(Gauss, ConstantsAreThoseOfFiftyDigitArithmetic) {
  constexpr double kRelative = 1e-12;  // a handful of logarithms, one difference of which cancels two digits
  const Known known[] = {{1, -2.2172252440428890668, 0.43312300470355460917},
                         {2, -4.1965181869514079597, 0.24847851012449512699},
                         {4, -6.2627053819125958785, 0.16598159197714651912}};
  for (const Known& k : known) {
    const Gauss<double> got = make_gauss(0.55, k.resolution_m);
    EXPECT_NEAR(got.d1, k.d1, kRelative * -k.d1) << k.resolution_m << " m";
    EXPECT_NEAR(got.d2, k.d2, kRelative * k.d2) << k.resolution_m << " m";
  }
}

TEST(Gauss, SignsHoldOverTheWholeRangeOfOptions) {
  for (const double ratio : {0.05, 0.3, 0.55, 0.8, 0.95})
    for (const double resolution_m : {0.1, 0.5, 1.0, 2.0, 5.0, 20.0}) {
      const Gauss<double> got = make_gauss(ratio, resolution_m);
      EXPECT_LT(got.d1, 0) << ratio << ", " << resolution_m << " m";
      EXPECT_GT(got.d2, 0) << ratio << ", " << resolution_m << " m";
      EXPECT_LT(got.d2, 1) << ratio << ", " << resolution_m << " m: pairs near the mean would be dropped";
    }
}

}  // namespace
}  // namespace ndt
