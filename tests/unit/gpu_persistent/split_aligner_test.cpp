// Several aligners as one, here on the CPU. On GPUs: tests/gpu/persistent_implementations_test.cpp.
#include "ndt/align/split_aligner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <stdexcept>

#include "ndt/core/error.hpp"
#include "ndt/gpu_persistent/implementations.hpp"
#include "scripted_aligner.hpp"
#include "test_clouds.hpp"

namespace ndt::gpu_persistent {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

std::unique_ptr<Aligner> part() {
  AlignOptions options;
  options.threads = 1;
  return make_aligner(implementations(), "persistent_cpu", options);
}
SplitAligner split(std::size_t count) {
  std::vector<std::unique_ptr<Aligner>> parts;
  while (parts.size() < count) parts.push_back(part());
  return SplitAligner(std::move(parts));
}

/// Has no map for clouds after the first.
class FullAligner final : public ScriptedAligner {
 public:
  MapInfo set_map(const Scan&) override {
    if (maps_++ > 0) throw InputError("set_map: the map does not fit");
    return {};
  }

 private:
  int maps_ = 0;
};

bool same_result(const AlignResult& a, const AlignResult& b) {
  return std::memcmp(&a.map_from_scan, &b.map_from_scan, sizeof a.map_from_scan) == 0 && a.score == b.score &&
         a.stop == b.stop && a.iterations == b.iterations;
}

TEST(SplitAligner, AnnouncesAScanToAllPartsUnlessABatchIsUnderWay) {
  std::vector<std::unique_ptr<Aligner>> parts;
  std::vector<const ScriptedAligner*> told;
  for (int k = 0; k < 3; ++k) {
    auto one = std::make_unique<ScriptedAligner>();
    told.push_back(one.get());
    parts.push_back(std::move(one));
  }
  SplitAligner split(std::move(parts));
  const PointCloud scan = test_clouds::scan_of(10);
  const std::vector<Transform> guesses(7);
  std::vector<AlignResult> results(guesses.size());
  split.expect_scan();
  split.submit(scan, guesses, {});
  split.expect_scan();
  for (const ScriptedAligner* part : told) EXPECT_EQ(part->announcements, 1);
  split.collect(results);
  split.expect_scan();
  for (const ScriptedAligner* part : told) EXPECT_EQ(part->announcements, 2);
}

TEST(SplitAligner, ABatchHasTheBitsOfOneAlignerWhateverTheNumberOfParts) {
  const std::vector<Transform> guesses = test_clouds::mixed_guesses(7);
  const PointCloud scan = test_clouds::scan_of(300);
  const auto one = part();
  one->set_map(test_clouds::map());
  std::vector<AlignResult> expected(guesses.size());
  one->align_batch(scan, guesses, expected);
  for (const std::size_t parts : {1U, 2U, 3U, 9U}) {
    SplitAligner several = split(parts);
    EXPECT_EQ(several.set_map(test_clouds::map()).voxels, static_cast<std::int64_t>(one->voxels().size()));
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, guesses.size()}) {
      std::vector<AlignResult> got(count);
      several.align_batch(scan, {guesses.data(), count}, got);
      for (std::size_t k = 0; k < count; ++k)
        EXPECT_TRUE(same_result(got[k], expected[k])) << parts << " parts, " << k << " of " << count;
    }
    EXPECT_TRUE(same_result(several.align(scan, guesses[3], {}), expected[3]));
    EXPECT_EQ(several.voxels().size(), one->voxels().size());
    EXPECT_FALSE(several.traffic().has_value());
    std::vector<Score> scores(2), expected_scores(2);
    several.score_batch(scan, {guesses.data(), 2}, scores);
    one->score_batch(scan, {guesses.data(), 2}, expected_scores);
    for (std::size_t k = 0; k < 2; ++k) EXPECT_EQ(scores[k].score, expected_scores[k].score);
  }
}

TEST(SplitAligner, AHeldScanIsHeldByEveryPart) {
  const std::vector<Transform> guesses = test_clouds::mixed_guesses(7);
  const PointCloud scan = test_clouds::scan_of(300);
  SplitAligner several = split(3);
  several.set_map(test_clouds::map());
  several.hold(scan, guesses.size());
  for (const std::size_t count : {guesses.size(), std::size_t{2}, std::size_t{4}}) {
    std::vector<AlignResult> got(count);
    several.submit(HeldScan{}, {guesses.data(), count}, {});
    several.collect(got);
    for (std::size_t k = 0; k < count; ++k)
      EXPECT_TRUE(same_result(got[k], several.align(scan, guesses[k], {}))) << k << " of " << count;
    several.hold(scan, guesses.size());
  }
  const double score = several.evaluate(HeldScan{}, {}, {}).score;
  EXPECT_EQ(score, several.evaluate(scan, {}, {}).score);
}

TEST(SplitAligner, AMapThatNoPartTakesLeavesThePreviousOne) {
  SplitAligner several = split(2);
  several.set_map(test_clouds::map());
  const AlignResult before = several.align(test_clouds::scan_of(300), {}, {});
  EXPECT_THROW(several.set_map(PointCloud{}), InputError);
  EXPECT_TRUE(same_result(several.align(test_clouds::scan_of(300), {}, {}), before));
}

TEST(SplitAligner, AMapThatOneDeviceHasIsRefused) {
  SplitAligner several = split(2);
  EXPECT_THROW(several.set_map(DeviceCloud{}), std::invalid_argument);
}

TEST(SplitAligner, AMapThatOnePartAloneRefusesMakesCallsFailUntilAllHaveOne) {
  std::vector<std::unique_ptr<Aligner>> parts;
  parts.push_back(part());
  parts.push_back(std::make_unique<FullAligner>());
  SplitAligner several(std::move(parts));
  several.set_map(test_clouds::map());
  EXPECT_THAT([&] { several.set_map(test_clouds::map()); },
              ThrowsMessage<InputError>(HasSubstr("the map does not fit")));
  EXPECT_THAT([&] { several.align(test_clouds::scan_of(31), {}, {}); },
              ThrowsMessage<std::logic_error>(HasSubstr("align: set_map failed on one of several devices")));
  EXPECT_THAT([&] { several.submit(test_clouds::scan_of(31), {}, {}); },
              ThrowsMessage<std::logic_error>(HasSubstr("call set_map again")));
}

TEST(SplitAligner, RefusesNoPartsAndResultsThatWereNotAskedFor) {
  EXPECT_THROW(SplitAligner({}), std::invalid_argument);
  SplitAligner several = split(2);
  std::vector<AlignResult> out(1);
  EXPECT_THAT([&] { several.collect(out); },
              ThrowsMessage<std::logic_error>(HasSubstr("nothing was submitted")));
}

}  // namespace
}  // namespace ndt::gpu_persistent
