// Every implementation of the shared core along the town's drive, from guesses so far off that most Hessians
// on the way are indefinite. There Newton's step leads on at full length and a float32 step in the guess
// grows to millimetres, in the oracle too. So implementations are held to the oracle step by step, and as a
// whole where a float32 step leaves the oracle its own answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "compare.hpp"
#include "data/sources.hpp"
#include "implementation_names.hpp"
#include "last_bit.hpp"
#include "temporary_folder.hpp"
#include "town/town.hpp"

namespace ndt {
namespace {

// A step is 0.1 m at most, and a float32 step of the town's coordinates 0.015 mm. The golden bounds are 1 mm
// and 0.01 degrees.
constexpr double kStepMetres = 5e-5, kStepDegrees = 2e-4;
constexpr double kEqualShare = 0.99;  // of the alignments that float32 rounding does not decide
constexpr double kEqualShareOfAll =
    0.75;  // a float32 step in its guess leaves the oracle itself with 0.79 to 0.96
constexpr double kMedianMetres = 1e-3;  // of the errors against the truth, which are 9 mm

AlignOptions one_thread() {
  AlignOptions options;
  options.threads = 1;
  return options;
}

struct Drive {
  struct Frame {
    std::string name;
    PointCloud scan;
    Transform guess, truth;
    AlignResult expected;  ///< the oracle's, with its trace
  };
  PointCloud map;
  std::unique_ptr<Aligner> oracle;
  std::vector<Frame> frames;

  explicit Drive(std::size_t every_nth) {
    const harness::TemporaryFolder folder;
    const std::filesystem::path town = folder.path() / "town";
    harness::write_town({}, town);
    const harness::Dataset dataset = harness::read_dataset(town / "dataset.toml", town);
    map = dataset.map(0);
    oracle = harness::find_implementation(harness::kReference).make(one_thread());
    oracle->set_map(map);
    PerScan traced;
    traced.trace = true;
    for (std::size_t i = 0; i < dataset.frames.size(); i += every_nth) {
      const harness::Frame& f = dataset.frames[i];
      frames.push_back({f.name, dataset.scan(i), f.guesses.at(0).map_from_scan, f.truth.value(), {}});
      frames.back().expected = oracle->align(frames.back().scan, frames.back().guess, traced);
    }
  }
};

class Town : public testing::TestWithParam<Implementation> {
 protected:
  void SetUp() override {
    const std::string reason = GetParam().unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << GetParam().name << ": " << reason;
    // The host twin of the staged implementation is slow: it drives past nine frames in ten.
    drive_ = std::make_unique<Drive>(GetParam().name == "multikernel_cpu" ? 10 : 1);
  }
  std::unique_ptr<Aligner> make(const AlignOptions& options) const {
    std::unique_ptr<Aligner> aligner = GetParam().make(options);
    aligner->set_map(drive_->map);
    return aligner;
  }

  std::unique_ptr<Drive> drive_;
};

TEST_P(Town, EverySingleStepIsTheOracles) {
  AlignOptions options = one_thread();
  options.max_iterations = 1;
  const auto aligner = make(options);
  compare::Worst metres, degrees;
  int steps = 0, indefinite = 0;
  for (const Drive::Frame& f : drive_->frames) {
    int fallbacks = 0;
    for (std::size_t k = 0; k + 1 < f.expected.trace.size(); ++k, ++steps) {
      const AlignResult got = aligner->align(f.scan, f.expected.trace[k].map_from_scan);
      const Transform& expected = f.expected.trace[k + 1].map_from_scan;
      const std::string name = f.name + " step " + std::to_string(k);
      metres.see(translation_error_m(got.map_from_scan, expected), name);
      degrees.see(compare::degrees(rotation_error_rad(got.map_from_scan, expected)), name);
      fallbacks += got.newton_fallbacks;
    }
    EXPECT_EQ(fallbacks, f.expected.newton_fallbacks) << f.name;
    indefinite += fallbacks;
  }
  std::printf("%s: %d steps, %d of them on an indefinite Hessian\n", std::string(GetParam().name).c_str(),
              steps, indefinite);
  metres.print("translation [m]"), degrees.print("rotation [deg]");
  EXPECT_GT(indefinite, steps / 4) << "the drive is too easy";
  EXPECT_LE(metres.value, kStepMetres) << metres.where;
  EXPECT_LE(degrees.value, kStepDegrees) << degrees.where;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

TEST_P(Town, AlignmentsDifferFromTheOraclesOnlyWhereThoseDifferFromThemselves) {
  const auto aligner = make(one_thread());
  int equal = 0, undecided = 0;
  std::string different;
  std::vector<double> errors, oracle_errors;
  for (const Drive::Frame& f : drive_->frames) {
    const AlignResult got = aligner->align(f.scan, f.guess);
    errors.push_back(translation_error_m(got.map_from_scan, f.truth));
    oracle_errors.push_back(translation_error_m(f.expected.map_from_scan, f.truth));
    if (last_bit::same_answer(got, f.expected)) {
      ++equal;
      continue;
    }
    const bool chance = last_bit::decides(*drive_->oracle, f.scan, f.guess, f.expected);
    undecided += chance ? 1 : 0;
    different += "    " + f.name + ": " + std::to_string(got.iterations) + " iterations, oracle " +
                 std::to_string(f.expected.iterations) + ", " +
                 std::to_string(1000 * translation_error_m(got.map_from_scan, f.expected.map_from_scan)) +
                 " mm apart" + (chance ? ", and so is the oracle from itself\n" : "\n");
  }
  const auto cases = static_cast<int>(drive_->frames.size());
  std::printf("%s: equal %d of %d, undecided %d; median error %.2f mm, oracle %.2f mm\n%s",
              std::string(GetParam().name).c_str(), equal, cases, undecided, 1000 * median(errors),
              1000 * median(oracle_errors), different.c_str());
  EXPECT_GE(equal, kEqualShare * (cases - undecided)) << different;
  if (cases > 10) {  // in a sample chance may have a larger share
    EXPECT_GE(equal, kEqualShareOfAll * cases) << different;
    EXPECT_NEAR(median(errors), median(oracle_errors), kMedianMetres);
  }
}

INSTANTIATE_TEST_SUITE_P(Implementations, Town, testing::ValuesIn(shared_core_implementations()),
                         implementation_name);

}  // namespace
}  // namespace ndt
