// Misuse on every implementation of the registry: an honest answer each time, never a crash, never a false
// `converged`.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <tuple>

#include "every_implementation.hpp"
#include "message_of.hpp"
#include "misuse_cases.hpp"
#include "ndt/core/error.hpp"
#include "ndt/named_options.hpp"

namespace ndt {
namespace misuse {
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }
}  // namespace misuse

namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;

constexpr double kRoughnessMetres = 0.02;  // between the scan's and the map's roughness

/// The outcome of a scene: an answer, or the refusal and the call that refused.
struct Outcome {
  std::string map_error, scan_error;
  MapInfo info;
  AlignResult result;
  bool answered() const { return map_error.empty() && scan_error.empty(); }
};

/// InputError is data here; any other exception goes through and fails the test.
Outcome outcome_of(Aligner& aligner, const misuse::Scene& scene) {
  Outcome out;
  try {
    out.info = aligner.set_map(scene.map);
  } catch (const InputError& error) {
    out.map_error = error.what();
    return out;
  }
  try {
    out.result = aligner.align(scene.scan, scene.guess);
  } catch (const InputError& error) {
    out.scan_error = error.what();
  }
  return out;
}

AlignResult of_base(const Implementation& implementation) {
  const auto aligner = implementation.make(misuse::base_options());
  return outcome_of(*aligner, misuse::base()).result;
}

class MisuseCase : public testing::TestWithParam<std::tuple<Implementation, misuse::Case>> {
 protected:
  const Implementation& implementation() const { return std::get<0>(GetParam()); }
  const misuse::Case& misuse_case() const { return std::get<1>(GetParam()); }
  void SetUp() override {
    const std::string reason = implementation().unavailable_reason();
    if (!reason.empty()) GTEST_SKIP() << implementation().name << ": " << reason;
  }
};

TEST_P(MisuseCase, GetsItsAnswer) {
  const misuse::Case& c = misuse_case();
  const misuse::Scene scene = c.scene();
  const auto aligner = implementation().make(misuse::base_options());
  const Outcome got = outcome_of(*aligner, scene);
  if (!got.answered()) {
    ASSERT_FALSE(c.map_error.empty() && c.scan_error.empty()) << got.map_error << got.scan_error;
    EXPECT_THAT(got.map_error, HasSubstr(c.map_error));
    EXPECT_THAT(got.scan_error, HasSubstr(c.scan_error));
    return;
  }
  const AlignResult& r = got.result;
  ASSERT_THAT(c.stops, Contains(r.stop))
      << to_string(r.stop) << ", condition " << r.conditioning.condition_number << ", of the surfaces "
      << r.conditioning.surface_condition_number;
  EXPECT_EQ(got.info.dropped_points, c.dropped_map);
  EXPECT_EQ(r.dropped_points, c.dropped_scan);
  if (r.stop == Stop::no_overlap) {
    EXPECT_EQ(r.iterations, 0);
    EXPECT_EQ(r.transform_probability, 0);
    EXPECT_EQ(r.nvtl, 0);
    EXPECT_TRUE(same_bits(r.map_from_scan, scene.guess));
  }
  if (c.pose_of_base) {
    EXPECT_TRUE(same_bits(r.map_from_scan, of_base(implementation()).map_from_scan));
    EXPECT_LE(translation_error_m(r.map_from_scan, Transform{}), kRoughnessMetres);
  }
  if (r.stop == Stop::converged || r.stop == Stop::degenerate) {
    EXPECT_EQ(r.stop == Stop::converged, r.conditioning.well_posed());
    EXPECT_NEAR(dot(r.conditioning.weak_direction, r.conditioning.weak_direction), 1, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(Implementations, MisuseCase,
                         testing::Combine(testing::ValuesIn(harness::implementations().begin(),
                                                            harness::implementations().end()),
                                          testing::ValuesIn(misuse::cases())),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + "_" +
                                  std::get<1>(test.param).name;
                         });

/// Profiles and line searches: whether a scene may be called converged does not depend on them.
std::vector<AlignOptions> option_sets() {
  std::vector<AlignOptions> sets{AlignOptions::textbook(), AlignOptions::pyramid(),
                                 AlignOptions::of_a_search(Profile::pyramid)};
  AlignOptions damped;
  damped.covariance_start = CovarianceStart::zero;
  damped.newton_step = NewtonStep::damped;
  for (const AlignOptions& steps : {AlignOptions::autoware(), damped})
    for (const LineSearch search : all_values<LineSearch>()) {
      sets.push_back(steps);
      sets.back().line_search = search;
    }
  for (AlignOptions& options : sets) options.resolution_m = misuse::base_options().resolution_m;
  return sets;
}

/// Every eighth point: the answers need no more, and a sweep needs the time.
misuse::Scene thinned(misuse::Scene scene) {
  std::vector<Point> kept;
  for (std::size_t i = 0; i < scene.scan.size(); i += 8) kept.push_back(scene.scan.points[i]);
  scene.scan.points = std::move(kept);
  return scene;
}

TEST(MisuseSummary, NoImplementationCrashesOrConvergesFalselyUnderAnyProfileOrLineSearch) {
  int implementations = 0, crashes = 0, false_converged = 0;
  for (const Implementation& implementation : harness::implementations()) {
    if (!implementation.unavailable_reason().empty()) continue;
    ++implementations;
    for (const misuse::Case& c : misuse::cases()) {
      const misuse::Scene scene = thinned(c.scene());
      for (const AlignOptions& options : option_sets()) {
        const std::string where = std::string(implementation.name) + ", " + c.name + ", " +
                                  std::string(to_string(options.covariance_start)) + " start, line search " +
                                  std::string(to_string(options.line_search)) + ", levels " +
                                  to_string(options.levels);
        try {
          std::unique_ptr<Aligner> aligner;
          try {
            aligner = implementation.make(options);
          } catch (const std::invalid_argument&) {
            if (!implementation.peer) throw;
            continue;  // a peer has its own step and search, and says so
          }
          const Outcome got = outcome_of(*aligner, scene);
          const bool may = std::ranges::find(c.stops, Stop::converged) != c.stops.end();
          if (!got.answered() || got.result.stop != Stop::converged || may) continue;
          ++false_converged;
          ADD_FAILURE() << where << ": converged";
        } catch (const std::exception& error) {
          ++crashes;
          ADD_FAILURE() << where << ": " << error.what();
        }
      }
    }
  }
  std::printf("%zu cases x %d implementations x %zu option sets: %d crashes, %d false converged\n",
              misuse::cases().size(), implementations, option_sets().size(), crashes, false_converged);
  EXPECT_GT(implementations, 0);
}

class Misuse : public EveryImplementation {
 protected:
  std::unique_ptr<Aligner> make_base() const { return make(misuse::base_options()); }
};

TEST_P(Misuse, AligningBeforeAMapIsSetIsALogicError) {
  const auto aligner = make_base();
  const misuse::Scene scene = misuse::base();
  EXPECT_THROW(aligner->align(scene.scan, scene.guess), std::logic_error);
  EXPECT_THROW(aligner->evaluate(scene.scan, scene.guess), std::logic_error);
  EXPECT_THROW(aligner->voxels(), std::logic_error);
}

/// Whether it runs on a device or not: these points are the host's.
TEST_P(Misuse, PointsThatAreSaidToBeOnADeviceAreRefusedInWords) {
  const misuse::Scene scene = misuse::base();
  const auto aligner = make_base();
  aligner->set_map(scene.map);
  const DeviceCloud cloud{scene.scan.points.data(), scene.scan.size()};
  std::vector<AlignResult> results(1);
  std::vector<Score> scores(1);
  const std::vector<std::pair<std::string, std::function<void()>>> calls{
      {"set_map", [&] { aligner->set_map(cloud); }},
      {"align", [&] { aligner->align(cloud, scene.guess); }},
      {"evaluate", [&] { aligner->evaluate(cloud, scene.guess); }},
      {"submit",
       [&] {
         aligner->align_batch(cloud, {&scene.guess, 1}, results);
       }},
      {"score_batch", [&] {
         aligner->score_batch(cloud, {&scene.guess, 1}, scores);
       }}};
  for (const auto& [name, call] : calls) {
    const auto refused = testing::ThrowsMessage<std::invalid_argument>(
        AllOf(testing::StartsWith(name + ": "), HasSubstr("PointCloud")));
    EXPECT_THAT(call, refused);
  }
  EXPECT_TRUE(
      same_bits(aligner->align(scene.scan, scene.guess).map_from_scan, of_base(GetParam()).map_from_scan));
}

TEST_P(Misuse, ARefusedMapLeavesThePreviousOne) {
  const auto aligner = make_base();
  const misuse::Scene scene = misuse::base();
  aligner->set_map(scene.map);
  for (const misuse::Case& c : misuse::cases()) {
    if (c.map_error.empty() || !c.stops.empty()) continue;
    EXPECT_THROW(aligner->set_map(c.scene().map), InputError) << c.name;
    EXPECT_TRUE(
        same_bits(aligner->align(scene.scan, scene.guess).map_from_scan, of_base(GetParam()).map_from_scan))
        << c.name;
  }
}

TEST_P(Misuse, ACorridorIsWeakAlongItsLength) {
  const auto corridor = std::ranges::find(misuse::cases(), "corridor_without_an_end", &misuse::Case::name);
  const AlignResult got = outcome_of(*make_base(), corridor->scene()).result;
  EXPECT_TRUE(got.stop != Stop::converged || got.conditioning.well_posed());
  // PCL may stop where its own Hessian is indefinite in another direction.
  if (!peer()) {
    EXPECT_GT(std::abs(got.conditioning.weak_direction[0]), 0.9);
  }
}

/// Implementations that keep global float32 coordinates, as what they stand for does.
bool keeps_float32(const Implementation& implementation) {
  return implementation.name == harness::kReference;
}

TEST_P(Misuse, PrecisionLostNamesTheSpacingAndTheWayOut) {
  const Outcome map = outcome_of(*make_base(), misuse::far_float());
  EXPECT_THAT(map.map_error,
              AllOf(HasSubstr("set_map: precision_lost: "), HasSubstr("0.5 m apart near 54000"),
                    HasSubstr("PCD `F 8`"), HasSubstr("shift the map")));
  misuse::Scene scan = misuse::base();
  scan.scan = misuse::far_float().map;
  EXPECT_THAT(outcome_of(*make_base(), scan).scan_error,
              AllOf(HasSubstr("align: precision_lost: "), HasSubstr("0.5 m apart near 54000"),
                    HasSubstr("PCD `F 8`")));
  scan.scan = misuse::far_double().map;
  EXPECT_THAT(outcome_of(*make_base(), scan).scan_error, HasSubstr("relative to its sensor"));
}

TEST_P(Misuse, TheSameCloudInDoubleConvergesWhereADoubleOriginIsKept) {
  const misuse::Scene scene = misuse::far_double();
  const Outcome got = outcome_of(*make_base(), scene);
  if (keeps_float32(GetParam())) {
    EXPECT_THAT(got.map_error,
                AllOf(HasSubstr("precision_lost"), HasSubstr("0.5 m apart"), HasSubstr("double origin")));
    return;
  }
  ASSERT_TRUE(got.answered()) << got.map_error << got.scan_error;
  EXPECT_EQ(got.result.stop, Stop::converged);
  const Transform truth = make_transform(rotation_of(Pose{}), scene.map.origin);
  EXPECT_LE(translation_error_m(got.result.map_from_scan, truth), kRoughnessMetres);
}

TEST_P(Misuse, AMapInAMetricGridZoneIsStillFineEnough) {
  PointCloud map = misuse::base().map;
  for (Point& p : map.points) p.x += 81377.0F, p.y += 49916.0F;  // 7.8 mm apart
  EXPECT_NO_THROW(make_base()->set_map(map));
}

std::string refusal_of_guess(Aligner& aligner, const Transform& guess) {
  return message_of<std::invalid_argument>([&] { aligner.align(misuse::base().scan, guess); });
}

TEST_P(Misuse, AGuessThatIsNotRigidIsRefusedWithThePropertyAndItsSize) {
  const auto aligner = make_base();
  const misuse::Scene scene = misuse::base();
  aligner->set_map(scene.map);
  for (const misuse::BadGuess& bad : misuse::bad_guesses()) {
    EXPECT_THAT(refusal_of_guess(*aligner, bad.guess),
                AllOf(HasSubstr("align: not a rigid transform: "), HasSubstr(bad.error)));
    EXPECT_THROW(aligner->evaluate(scene.scan, bad.guess), std::invalid_argument) << bad.error;
  }
}

TEST_P(Misuse, OptionsOutOfRangeAreRefusedWithValueAndBounds) {
  for (const misuse::BadOption& bad : misuse::bad_options()) {
    AlignOptions options = misuse::base_options();
    set_option(options, bad.name, bad.value);
    EXPECT_THAT([&] { make(options); },
                testing::ThrowsMessage<std::invalid_argument>(HasSubstr(bad.error())));
  }
}

NDT_ON_EVERY_IMPLEMENTATION(Misuse);

}  // namespace
}  // namespace ndt
