#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "data/preparation.hpp"

namespace ndt::harness {
namespace {

using testing::ElementsAre;

/// Points that carry their number.
std::vector<Point> numbered(int count) {
  std::vector<Point> points;
  for (int i = 0; i < count; ++i) points.push_back({static_cast<float>(i), static_cast<float>(-i), 0});
  return points;
}

std::vector<int> drawn(int of, std::int64_t count, std::uint64_t seed) {
  std::vector<int> numbers;
  for (const Point& p : random_sample(numbered(of), count, seed)) numbers.push_back(static_cast<int>(p.x));
  return numbers;
}

TEST(RandomSample, DrawsThePointsThatAnotherProgramDrawsFromTheSameSeed) {
  // Values from a Python program that writes out the 64-bit Mersenne Twister and the draws below n.
  EXPECT_THAT(drawn(100, 12, 1), ElementsAre(7, 14, 23, 30, 38, 62, 66, 68, 74, 85, 86, 91));
  EXPECT_THAT(drawn(100, 12, 2), ElementsAre(2, 15, 20, 28, 29, 32, 39, 49, 78, 79, 82, 88));
  EXPECT_THAT(drawn(100, 12, std::numeric_limits<std::uint64_t>::max()),
              ElementsAre(7, 8, 10, 43, 60, 65, 66, 72, 94, 96, 98, 99));
}

TEST(RandomSample, GivesExactlyTheCountInTheOldOrderWithoutRepeats) {
  for (const std::int64_t count : {1, 2, 499, 999, 1000})
    for (const std::uint64_t seed : {0U, 1U, 77U}) {
      const std::vector<int> numbers = drawn(1000, count, seed);
      ASSERT_EQ(static_cast<std::int64_t>(numbers.size()), count);
      for (std::size_t i = 1; i < numbers.size(); ++i) EXPECT_LT(numbers[i - 1], numbers[i]);
    }
}

TEST(RandomSample, KeepsAllPointsIfThereAreNoMore) {
  EXPECT_EQ(drawn(5, 5, 3), drawn(5, 1000000000, 9));
  EXPECT_EQ(drawn(5, 6, 3).size(), 5U);
  EXPECT_TRUE(drawn(0, 6, 3).empty());
}

TEST(RandomSample, DrawsEveryPairAlikeOften) {
  constexpr int kSeeds = 30000;
  int times[6][6] = {};
  for (int seed = 0; seed < kSeeds; ++seed) {
    const std::vector<int> pair = drawn(6, 2, static_cast<std::uint64_t>(seed));
    ++times[pair[0]][pair[1]];
  }
  const double share = 1.0 / 15;
  for (int a = 0; a < 6; ++a)
    for (int b = a + 1; b < 6; ++b)
      EXPECT_NEAR(times[a][b], kSeeds * share, 4 * std::sqrt(kSeeds * share)) << a << ", " << b;
}

}  // namespace
}  // namespace ndt::harness
