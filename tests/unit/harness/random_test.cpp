#include "base/random.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

namespace ndt::harness {
namespace {

TEST(Noise, TheSameSeedAndIndexGiveTheSameBits) {
  const GuessNoise noise{0.3, 0.1, 0.01, 0.02};
  const Transform a = noisy_guess({}, noise, 7, 3), b = noisy_guess({}, noise, 7, 3);
  EXPECT_EQ(std::memcmp(a.m, b.m, sizeof a.m), 0);
  EXPECT_GT(translation_error_m(a, noisy_guess({}, noise, 7, 4)), 1e-6);
  EXPECT_GT(translation_error_m(a, noisy_guess({}, noise, 8, 3)), 1e-6);
}

TEST(Noise, HasTheMeanAndDeviationsAskedFor) {
  const GuessNoise noise{0.5, 0.25, 0, 0.1};
  const int n = 4000;
  double sum_x = 0, squares_x = 0, squares_z = 0, squares_yaw = 0;
  for (int k = 0; k < n; ++k) {
    const Transform t = noisy_guess({}, noise, 1, static_cast<std::uint64_t>(k));
    sum_x += t.m[3];
    squares_x += t.m[3] * t.m[3];
    squares_z += t.m[11] * t.m[11];
    squares_yaw += std::atan2(t.m[4], t.m[0]) * std::atan2(t.m[4], t.m[0]);
  }
  const double tolerance = 4 / std::sqrt(2.0 * n);  // four deviations of an estimated deviation
  EXPECT_NEAR(sum_x / n, 0, 4 * 0.5 / std::sqrt(n));
  EXPECT_NEAR(std::sqrt(squares_x / n), 0.5, 0.5 * tolerance);
  EXPECT_NEAR(std::sqrt(squares_z / n), 0.25, 0.25 * tolerance);
  EXPECT_NEAR(std::sqrt(squares_yaw / n), 0.1, 0.1 * tolerance);
}

TEST(Noise, APriorsMeanIsOffByItsDeviationsInTheMapAndFacesAnywhere) {
  const Transform truth = to_transform(Pose{100, 200, 3, 0.01, -0.02, 1});
  const double sigma[5] = {5, 2, 0.2, 0.02, 0};
  const int n = 4000;
  double squares[6] = {};
  for (int k = 0; k < n; ++k) {
    const Pose mean = principal(derivative_pose(prior_mean(truth, sigma, 1, static_cast<std::uint64_t>(k))));
    const double off[6] = {mean.x - 100,     mean.y - 200,      mean.z - 3,
                           mean.roll - 0.01, mean.pitch + 0.02, mean.yaw};
    for (int i = 0; i < 6; ++i) squares[i] += off[i] * off[i];
  }
  const double tolerance = 4 / std::sqrt(2.0 * n);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(std::sqrt(squares[i] / n), sigma[i], sigma[i] * tolerance) << i;
  EXPECT_NEAR(std::sqrt(squares[4] / n), 0, 1e-12);
  EXPECT_NEAR(std::sqrt(squares[5] / n), kPi / std::sqrt(3.0), 0.1);
}

TEST(Noise, OffsetsAreInTheFrameOfTheTruth) {
  const Transform truth = to_transform(Pose{10, 20, 0, 0, 0, kPi / 2});
  const Transform near = noisy_guess({}, {0, 0.3, 0, 0}, 1, 1),
                  far = noisy_guess(truth, {0, 0.3, 0, 0}, 1, 1);
  EXPECT_NEAR(far.m[3], 10, 1e-12);
  EXPECT_NEAR(far.m[7], 20, 1e-12);
  EXPECT_NEAR(far.m[11], near.m[11], 1e-12);
}

/// The share of draws that are longer than a length must fall as its exponential does.
TEST(ExponentialNumber, HasTheDistributionOfItsName) {
  IntegerRandom random(5);
  constexpr int kDraws = 100000;
  constexpr double kLengths[] = {0, 0.1, 0.5, 1, 1.5, 2, 3, 5};
  int longer[std::size(kLengths)] = {};
  double sum = 0;
  for (int k = 0; k < kDraws; ++k) {
    const double drawn = exponential_number(random);
    ASSERT_GE(drawn, 0);
    sum += drawn;
    for (std::size_t i = 0; i < std::size(kLengths); ++i) longer[i] += drawn >= kLengths[i];
  }
  EXPECT_NEAR(sum / kDraws, 1, 4 / std::sqrt(kDraws));
  for (std::size_t i = 0; i < std::size(kLengths); ++i) {
    const double share = std::exp(-kLengths[i]);
    EXPECT_NEAR(static_cast<double>(longer[i]) / kDraws, share, 4 * std::sqrt(share * (1 - share) / kDraws))
        << kLengths[i];
  }
}

}  // namespace
}  // namespace ndt::harness
