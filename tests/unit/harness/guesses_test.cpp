#include "run/guesses.hpp"

#include <gmock/gmock.h>

namespace ndt::harness {
namespace {

TEST(BatchGuesses, ALargerBatchHoldsEverySmallerOneAndBeginsWithTheGuess) {
  const Transform first = to_transform(Pose{3, -2, 1, 0.1, 0.2, 0.3});
  const std::vector<Transform> few = batch_guesses(first, 5), many = batch_guesses(first, 2000);
  ASSERT_EQ(few.size(), 5u);
  ASSERT_EQ(many.size(), 2000u);
  EXPECT_THAT(few[0].m, testing::ElementsAreArray(first.m));
  for (std::size_t k = 0; k < few.size(); ++k) EXPECT_THAT(many[k].m, testing::ElementsAreArray(few[k].m));
}

TEST(BatchGuesses, AllAreWithinReachAndNoTwoAreTheSame) {
  const std::vector<Transform> guesses = batch_guesses({}, 1000);
  for (std::size_t k = 0; k < guesses.size(); ++k) {
    const Vec3<double> at = translation_of(guesses[k]);
    EXPECT_LE(std::hypot(at.x, at.y), kBatchReachM + 1e-12);
    EXPECT_EQ(at.z, 0);
    for (std::size_t other = 0; other < k; ++other) EXPECT_NE(guesses[other].m[3], guesses[k].m[3]);
  }
}

}  // namespace
}  // namespace ndt::harness
