#include "ndt/harness/runner.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace ndt::harness {
namespace {

/// Answers with the guess, or refuses what a test wants refused.
class Echo : public Aligner {
 public:
  MapInfo set_map(const PointCloud& map) override {
    MapInfo info;
    info.points = static_cast<std::int64_t>(map.size());
    info.voxels = 7;
    return info;
  }
  AlignResult align(const PointCloud&, const Transform& guess, const PerScan&) override {
    AlignResult result;
    result.map_from_scan = guess;
    result.stop = Stop::converged;
    result.iterations = 2;
    result.evaluations = 3;
    return result;
  }
  Evaluation evaluate(const PointCloud&, const Transform&, const PerScan&) override { return {}; }
  std::vector<VoxelRow> voxels() const override { return {}; }
};

class FailsOnTheFourthAlignment final : public Echo {
 public:
  AlignResult align(const PointCloud& scan, const Transform& guess, const PerScan& per_scan) override {
    if (++calls_ == 4) throw std::runtime_error("fourth alignment");
    return Echo::align(scan, guess, per_scan);
  }

 private:
  int calls_ = 0;
};

/// Never the same score twice.
class Drifts final : public Echo {
 public:
  AlignResult align(const PointCloud& scan, const Transform& guess, const PerScan& per_scan) override {
    AlignResult result = Echo::align(scan, guess, per_scan);
    result.score = ++calls_;
    return result;
  }

 private:
  int calls_ = 0;
};

class Slow final : public Echo {
 public:
  AlignResult align(const PointCloud& scan, const Transform& guess, const PerScan& per_scan) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(40));
    return Echo::align(scan, guess, per_scan);
  }
};

std::string always() { return ""; }
std::unique_ptr<Aligner> make_echo(const AlignOptions&) { return std::make_unique<Echo>(); }
std::unique_ptr<Aligner> make_failing(const AlignOptions&) { return std::make_unique<FailsOnTheFourthAlignment>(); }
std::unique_ptr<Aligner> make_drifting(const AlignOptions&) { return std::make_unique<Drifts>(); }
std::unique_ptr<Aligner> make_slow(const AlignOptions&) { return std::make_unique<Slow>(); }
std::unique_ptr<Aligner> refuse(const AlignOptions&) { throw std::invalid_argument("not offered"); }

constexpr AlignerEntry kReferenceRow = {kReference, "", "", always, make_echo};
constexpr AlignerEntry kOther = {"other", "", "", always, make_echo};
constexpr AlignerEntry kAlone = {"alone", "", "", always, make_echo, true};
constexpr AlignerEntry kSlow = {"slow", "", "", always, make_slow};
constexpr AlignerEntry kFailing = {"failing", "", "", always, make_failing};
constexpr AlignerEntry kDrifting = {"drifting", "", "", always, make_drifting};
constexpr AlignerEntry kRefusing = {"refusing", "", "", always, refuse};

std::vector<RunRow> rows_of(std::vector<const AlignerEntry*> implementations, int samples = 16,
                            std::vector<int> threads = {3}, double limit_s = 6.0) {
  RunPlan plan;
  plan.limit_s = limit_s;
  plan.run_id = "id";
  plan.datasets = {"courtyard"};
  plan.implementations = std::move(implementations);
  plan.threads = std::move(threads);
  plan.samples = samples;
  std::vector<RunRow> rows;
  run(plan, {.row = [&](const RunRow& row) { rows.push_back(row); }, .progress = [](std::string_view) {}});
  return rows;
}

TEST(Runner, ImplementationsTakeTurnsOnEachGuess) {
  const auto rows = rows_of({&kReferenceRow, &kOther});
  ASSERT_EQ(rows.size(), 32u);
  EXPECT_EQ(rows[0].implementation, kReference);
  EXPECT_EQ(rows[1].implementation, "other");
  EXPECT_EQ(rows[0].frame, rows[1].frame);
  EXPECT_NE(rows[1].frame, rows[2].frame);
  EXPECT_EQ(rows[15].repeat, 0);
  EXPECT_EQ(rows[16].repeat, 1);
}

TEST(Runner, SamplesAreRoundedUpToWholeRoundsOfGuesses) {
  EXPECT_EQ(rows_of({&kOther}, 1).size(), 8u);
  EXPECT_EQ(rows_of({&kOther}, 9).size(), 16u);
}

TEST(Runner, ErrorsAreComputedFromThePoseAgainstTruthAndReference) {
  const auto rows = rows_of({&kReferenceRow, &kOther}, 8);
  const RunRow& reference = rows[2];
  const RunRow& other = rows[3];
  EXPECT_FALSE(reference.to_reference.has_value());
  ASSERT_TRUE(other.to_reference.has_value());
  EXPECT_EQ(other.to_reference->translation_m, 0);
  ASSERT_TRUE(other.to_truth.has_value());
  EXPECT_EQ(other.to_truth->translation_m, translation_error_m(other.guess, Transform{}));
  EXPECT_GT(other.to_truth->translation_m, 0.1);
  EXPECT_EQ(other.threads, 3);
  EXPECT_EQ(other.points, 3000);
  EXPECT_EQ(other.voxels, 7);
  EXPECT_EQ(other.stop, "converged");
  EXPECT_GT(other.align_us, 0);
}

TEST(Runner, ARowWithOneThreadIsMeasuredOnceAndSaysSo) {
  const auto rows = rows_of({&kOther, &kAlone}, 8, {3, 2});
  ASSERT_EQ(rows.size(), 3u * 8u);
  EXPECT_EQ(rows[1].implementation, "alone");
  EXPECT_EQ(rows[1].threads, 1);
  for (std::size_t i = 16; i < rows.size(); ++i) EXPECT_EQ(rows[i].implementation, "other");
}

TEST(Runner, ASlowRowGetsFewerRoundsAndCostsTheOthersNone) {
  const auto rows = rows_of({&kOther, &kSlow}, 16, {3}, 1.0);
  EXPECT_EQ(std::ranges::count(rows, "slow", &RunRow::implementation), 8);
  EXPECT_EQ(std::ranges::count(rows, "other", &RunRow::implementation), 16);
}

TEST(Runner, AJobThatThrowsIsRecordedAndTheOthersGoOn) {
  const auto rows = rows_of({&kRefusing, &kFailing, &kOther}, 8);
  ASSERT_EQ(rows.size(), 1u + 2u + 8u);
  EXPECT_EQ(rows[0].implementation, "refusing");
  EXPECT_EQ(rows[0].error, "not offered");
  EXPECT_EQ(rows[0].frame, "");
  EXPECT_EQ(rows[3].implementation, "failing");  // the warm-up, two of the first row, then the throw
  EXPECT_EQ(rows[3].error, "fourth alignment");
  EXPECT_EQ(rows[3].frame, "guess1");
  EXPECT_EQ(rows.back().implementation, "other");
}

TEST(Runner, AJobWhoseCallsDifferInABitHasFailed) {
  const auto rows = rows_of({&kDrifting}, 8);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_THAT(rows[0].error, testing::HasSubstr("different bits"));
}

}  // namespace
}  // namespace ndt::harness
