// Searches of a run with method anywhere.
#include <gmock/gmock.h>

#include "measured_aligners.hpp"
#include "ndt/initial_pose/anywhere.hpp"
#include "run/guesses.hpp"

namespace ndt::harness {
namespace {

using initial_pose::SearchOptions;

Job job_of(PriorKind prior) {
  Job job;
  job.dataset = "courtyard";
  job.implementation = "persistent_cpu";
  job.frames = {0};
  job.timed = false;
  job.threads = 2;
  job.variant.options[&ProfileChoice::profile] = "pyramid";
  job.search.emplace();
  job.search->name = "anywhere";
  job.search->arguments[&SearchOptions::method] = "anywhere";
  job.search->arguments[&SearchOptions::particles] = 5;
  job.search->seeds = 2;
  job.search->prior = prior;
  if (prior == PriorKind::map) std::fill_n(job.search->sigma, 3, 0.0);
  job.measurement_count = 2;
  return job;
}

std::vector<Measurement> measured_job(const Job& job, const Dataset& dataset) {
  std::vector<Measurement> out;
  measure(plan_with({}), job, find_implementation(job.implementation), dataset, {0, 1},
          {.ready = [] {}, .measured = [&](const Measurement& measured) { out.push_back(measured); }});
  return out;
}

/// As ndt-bench initial-pose does it, by the module's own functions.
initial_pose::AnywhereResult found_from(const Transform& guess, const Job& job, const Dataset& dataset) {
  const AlignOptions options = job_options(job, dataset);
  const PointCloud map = dataset.map(0);
  const std::unique_ptr<Aligner> aligner = find_implementation(job.implementation).make(options);
  aligner->set_map(map);
  initial_pose::AnywhereSearch anywhere(map, options, false, 1);  // half of the last level's voxels
  ResolvedSearch setting = resolve(job.search.value().arguments);
  take_bounds(setting, reliable_bounds(initial_pose::own_scores(*aligner, map), options));
  initial_pose::PosePrior prior{principal(derivative_pose(guess))};
  std::ranges::copy(job.search->sigma, prior.sigma);
  return anywhere.run(*aligner, dataset.scan(0),
                      job.search->prior == PriorKind::map ? anywhere.whole_map() : around(prior), prior.mean,
                      setting.strategy, setting.options);
}

class AnywhereInARun : public testing::TestWithParam<PriorKind> {};

TEST_P(AnywhereInARun, GivesTheBitsOfTheSearchAlone) {
  const Dataset dataset = load_dataset("courtyard");
  const Job job = job_of(GetParam());
  for (const Measurement& measured : measured_job(job, dataset)) {
    ASSERT_EQ(measured.error, "");
    const initial_pose::AnywhereResult found = found_from(measured.guess, job, dataset);
    const AlignResult& best = found.search.best_particle().result;
    EXPECT_THAT(measured.pose.m, testing::ElementsAreArray(best.map_from_scan.m));
    EXPECT_EQ(measured.nvtl, best.nvtl);
    const SearchRecord& search = measured.search.value();
    EXPECT_EQ(search.best_particle, found.search.best);
    EXPECT_EQ(search.method, "anywhere");
    EXPECT_EQ(search.prior, GetParam());
    const CoarseRecord& coarse = search.coarse.value();
    EXPECT_EQ(static_cast<std::size_t>(coarse.places), found.coarse.places.size());
    EXPECT_EQ(coarse.coverage, 1);
    EXPECT_GT(coarse.coarse_us, 0);
    EXPECT_LT(coarse.coarse_us, measured.align_us.at(0));
    EXPECT_GT(coarse.pyramid_us, 0);
    EXPECT_GT(coarse.pyramid_bytes, 1000);
    EXPECT_LT(measured.to_truth.value().translation_m, 0.1);
    EXPECT_EQ(to_json_line(parse_measurement(to_json_line(measured))), to_json_line(measured));
  }
}

INSTANTIATE_TEST_SUITE_P(, AnywhereInARun, testing::Values(PriorKind::pose, PriorKind::map),
                         [](const auto& each) { return std::string(to_string(each.param)); });

TEST(PriorGuess, OfMethodAnywhereTheSensorsTiltIsKnownAndOfTheWholeMapNoPosition) {
  const Transform truth = to_transform(Pose{30, -20, 2, 0.3, -0.2, 1});
  SearchSpec search = job_of(PriorKind::pose).search.value(), other = search;
  other.arguments[&SearchOptions::method] = "random";
  search.sigma[3] = search.sigma[4] = other.sigma[3] = other.sigma[4] = 0;
  const Transform guess = prior_guess(truth, 7, search, 3).map_from_scan,
                  elsewhere = prior_guess(truth, 7, other, 3).map_from_scan;
  for (const int i : {3, 7, 11})
    EXPECT_NEAR(guess.m[i], elsewhere.m[i], 1e-12) << "one prior for all methods";
  EXPECT_GT(rotation_error_rad(guess, truth), 0.1) << "any heading";
  for (const int i : {8, 9, 10})
    EXPECT_NEAR(guess.m[i], truth.m[i], 1e-12) << "the map's vertical, in the scan";
  search.prior = PriorKind::map;
  const Transform anywhere = prior_guess(truth, 7, search, 3).map_from_scan;
  for (const int i : {3, 7, 11}) EXPECT_EQ(anywhere.m[i], 0);
  for (const int i : {8, 9, 10}) EXPECT_NEAR(anywhere.m[i], truth.m[i], 1e-12);
}

}  // namespace
}  // namespace ndt::harness
