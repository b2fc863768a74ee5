// Both implementations of every option, held against each other: the oracle has its own look-up, covariance,
// Newton step and line search, and shares none of them with the shared core.
#include <gtest/gtest.h>

#include <stdexcept>
#include <tuple>

#include "compare.hpp"
#include "golden.hpp"
#include "implementation_names.hpp"
#include "last_bit.hpp"

namespace ndt {
namespace {

// The least share of equal results, among cases that float32 rounding does not decide. The courtyard has
// fewer than 100 cases, so all of its must be equal.
constexpr double kEqualShare = 0.99;
// The least share of equal results among all golden cases. Sharp Gaussians and fixed steps of zero-start
// leave up to 13 in 110 to chance. The courtyard is harder than the real clouds (5 in 26 are left to chance),
// so a part of the cases has another share.
constexpr double kEqualShareOfAll = 0.85;

struct Combination {
  AlignOptions options;
  std::string name;
};

std::vector<Combination> combinations() {
  std::vector<Combination> out;
  for (const bool zero : {false, true})
    for (const Neighbours neighbours : all_values<Neighbours>())
      for (const LineSearch search : all_values<LineSearch>())
        for (const StepRatios set : all_values<StepRatios>()) {
          if (set == StepRatios::golden_ratio && search != LineSearch::batched) continue;
          Combination c{AlignOptions::autoware(), zero ? "zero_damped_" : "autoware_"};
          if (zero)
            c.options.covariance_start = CovarianceStart::zero, c.options.newton_step = NewtonStep::damped;
          c.options.neighbours = neighbours;
          c.options.line_search = search;
          c.options.step_ratios = set;
          c.name += std::string(to_string(neighbours)) + "_" + std::string(to_string(search));
          if (search == LineSearch::batched) c.name += "_" + std::string(to_string(set));
          out.push_back(c);
        }
  out.push_back({AlignOptions::autoware(), "autoware_1_9"});
  out.back().options.hessian = HessianForm::autoware_1_9;
  const auto pyramid = [&](std::string name, auto&& change) {
    Combination c{AlignOptions::pyramid(), "pyramid_" + std::move(name)};
    change(c.options);
    out.push_back(c);
  };
  for (const Neighbours neighbours : all_values<Neighbours>())
    pyramid(std::string(to_string(neighbours)), [&](AlignOptions& o) { o.neighbours = neighbours; });
  pyramid("three_levels", [](AlignOptions& o) { o.levels = {6, 2.5, 1}; });
  pyramid("four_levels_finer", [](AlignOptions& o) { o.levels = {6, 2.5, 1, 0.5}; });
  pyramid("one_level", [](AlignOptions& o) { o.levels = {1}; });
  pyramid("stride4", [](AlignOptions& o) { o.levels = {6, 2.5, 1}, o.coarse_stride = 4; });
  pyramid("newton", [](AlignOptions& o) { o.negative_curvature = 1; });
  return out;
}

void PrintTo(const Combination& c, std::ostream* out) { *out << c.name; }

/// The oracle and another implementation on one map, rebuilt only when the map or the resolution changes.
class Aligners {
 public:
  Aligners(const Implementation& entry, const AlignOptions& options) : entry_(entry), options_(options) {
    options_.threads = 1;
  }

  void set_map(const golden::Run& run) {
    if (run.map == map_ && run.options.resolution_m == options_.resolution_m) return;
    map_ = run.map;
    options_.resolution_m = run.options.resolution_m;
    oracle = harness::find_implementation("cpu_pclomp_ref").make(options_);
    tested = entry_.make(options_);
    oracle->set_map(*map_), tested->set_map(*map_);
  }

  std::unique_ptr<Aligner> oracle, tested;

 private:
  const Implementation& entry_;
  AlignOptions options_;
  const PointCloud* map_ = nullptr;
};

std::string ending(const AlignResult& r) {
  return std::to_string(r.iterations) + " " + std::string(to_string(r.stop));
}

/// The implementations of the shared loop. The host twin of the staged implementation is slow: it walks every
/// tenth case, the GPU all of them.
std::vector<Implementation> implementations_under_test() {
  std::vector<Implementation> out;
  for (const Implementation& entry : harness::implementations())
    if (entry.name != harness::kReference && !entry.peer) out.push_back(entry);
  return out;
}
int every_nth(const Implementation& implementation) {
  return implementation.name == "multikernel_cpu" ? 10 : 1;
}
bool walks_all_cases(const Implementation& implementation) {
  return every_nth(implementation) == 1 && golden::missing_reason().empty();
}

class EveryOption : public testing::TestWithParam<std::tuple<Implementation, Combination>> {};

TEST_P(EveryOption, SharedCoreAndOracleAgree) {
  const auto& [entry, combination] = GetParam();
  if (const std::string reason = entry.unavailable_reason(); !reason.empty()) GTEST_SKIP() << reason;
  try {
    entry.make(combination.options);
  } catch (const std::invalid_argument& refusal) {
    GTEST_SKIP() << refusal.what();
  }
  compare::Worst metres, degrees, score, hessian;
  int cases = 0, equal = 0, undecided = 0;
  std::string different;
  Aligners aligners(entry, combination.options);
  int index = 0;
  for (const golden::Run& r : golden::runs()) {
    if (r.far_origin || r.per_scan.regularisation || index++ % every_nth(entry) != 0) continue;
    aligners.set_map(r);
    const Evaluation a = aligners.oracle->evaluate(*r.scan, r.guess),
                     b = aligners.tested->evaluate(*r.scan, r.guess);
    EXPECT_EQ(a.correspondences, b.correspondences) << r.name;
    score.see(compare::relative(b.score, a.score), r.name);
    hessian.see(compare::hessian_blocks(b.hessian, a.hessian), r.name);

    ++cases;
    const AlignResult expected = aligners.oracle->align(*r.scan, r.guess),
                      got = aligners.tested->align(*r.scan, r.guess);
    const double off_m = translation_error_m(got.map_from_scan, expected.map_from_scan);
    const double off_deg = compare::degrees(rotation_error_rad(got.map_from_scan, expected.map_from_scan));
    if (last_bit::same_answer(got, expected)) {
      ++equal;
      metres.see(off_m, r.name), degrees.see(off_deg, r.name);
      continue;
    }
    const bool chance = last_bit::decides(*aligners.oracle, *r.scan, r.guess, expected);
    undecided += chance ? 1 : 0;
    different += "    " + r.name + ": " + ending(got) + ", oracle " + ending(expected) + ", " +
                 std::to_string(1000 * off_m) + " mm apart" +
                 (chance ? ", and so is the oracle from itself\n" : "\n");
  }
  const std::string name = std::string(entry.name) + " " + combination.name;
  std::printf("%-58s equal %3d of %3d, undecided %2d, worst %.1e m %.1e deg, score %.1e, Hessian %.1e\n%s",
              name.c_str(), equal, cases, undecided, metres.value, degrees.value, score.value, hessian.value,
              different.c_str());
  EXPECT_GE(equal, kEqualShare * (cases - undecided)) << different;
  EXPECT_GT(2 * equal, cases) << "chance decides most cases, so the others show little\n" << different;
  if (walks_all_cases(entry)) {
    EXPECT_GE(equal, kEqualShareOfAll * cases) << different;
  }
  // The reference moves points in float32 as the core does. The pyramid's twin moves them in float64: float32
  // holds a point at 50 m to 2 um, which a voxel 0.5 m wide turns into this much.
  const bool float64 = combination.options.step_control == StepControl::trust_region;
  EXPECT_LE(score.value, float64 ? 2e-5 : 1e-6) << score.where;
  EXPECT_LE(hessian.value, float64 ? 1e-3 : 1e-5) << hessian.where;
}

INSTANTIATE_TEST_SUITE_P(All, EveryOption,
                         testing::Combine(testing::ValuesIn(implementations_under_test()),
                                          testing::ValuesIn(combinations())),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" +
                                  std::get<1>(test.param).name;
                         });

}  // namespace
}  // namespace ndt
