#include "registry/align_arguments.hpp"

#include <gmock/gmock.h>

#include <chrono>
#include <limits>

#include "base/errors.hpp"
#include "message_of.hpp"

namespace ndt::harness {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal_of(const AlignArguments& arguments) {
  return message_of<std::invalid_argument>([&] {
    resolve(arguments);
    per_scan(arguments);
  });
}

TEST(AlignArguments, NothingGivenIsTheAutowareProfile) {
  const AlignOptions got = resolve({}), expected = AlignOptions::autoware();
  EXPECT_EQ(got.resolution_m, expected.resolution_m);
  EXPECT_EQ(got.covariance_start, expected.covariance_start);
  EXPECT_EQ(got.threads, 0);
  EXPECT_FALSE(per_scan({}).regularisation.has_value());
}

TEST(AlignArguments, SingleOptionsOverrideTheProfile) {
  AlignArguments a;
  a[&ProfileChoice::profile] = "textbook";
  EXPECT_EQ(resolve(a).covariance_start, CovarianceStart::zero);
  EXPECT_EQ(resolve(a).step_control, StepControl::trust_region);
  a[&AlignOptions::covariance_start] = "identity";
  EXPECT_EQ(resolve(a).covariance_start, CovarianceStart::identity);
  EXPECT_EQ(resolve(a).step_control, StepControl::trust_region);
}

TEST(AlignArguments, TheProfilePyramidTakesOtherLevels) {
  AlignArguments a;
  a[&ProfileChoice::profile] = "pyramid";
  EXPECT_EQ(resolve(a).levels, (Levels{2.5, 1}));
  EXPECT_EQ(resolve(a, Guesses::of_a_search).levels, (Levels{6, 2.5, 1}));
  a[&AlignOptions::levels] = Levels{4, 1};
  EXPECT_EQ(resolve(a).levels, (Levels{4, 1}));
  EXPECT_EQ(resolve(a, Guesses::of_a_search).levels, (Levels{4, 1}));
  EXPECT_EQ(resolve(a).negative_curvature, 0.5);
  a[&AlignOptions::step_m] = 0.5;
  EXPECT_THAT(refusal_of(a), HasSubstr("option step = 0.5: step-control trust_region"));
  a = {};
  a[&AlignOptions::levels] = Levels{2.5, 1};
  EXPECT_EQ(refusal_of(a), "option levels = 2.5,1: needs step-control trust_region");
}

TEST(AlignArguments, ATimeoutIsCountedFromEveryCall) {
  AlignArguments a;
  EXPECT_FALSE(per_scan(a).deadline.has_value());
  a[&ScanOptions::timeout_ms] = 1000;
  const auto before = std::chrono::steady_clock::now();
  EXPECT_GE(*per_scan(a).deadline, before + std::chrono::seconds(1));
  a[&ScanOptions::timeout_ms] = 0;
  EXPECT_EQ(refusal_of(a), "option timeout-ms = 0: must be in (0, 86400000]");
}

TEST(AlignArguments, WhatIsGivenWinsOverItsBase) {
  AlignArguments a, base;
  a[&AlignOptions::step_m] = 0.5;
  base[&AlignOptions::step_m] = 0.25;
  base[&AlignOptions::min_points] = 9;
  a.put_over(base);
  EXPECT_EQ(resolve(a).step_m, 0.5);
  EXPECT_EQ(resolve(a).min_points, 9);
}

TEST(AlignArguments, AnUnknownNameIsAnsweredWithTheChoices) {
  AlignArguments a;
  a[&AlignOptions::neighbours] = "direct8";
  EXPECT_THAT(refusal_of(a), AllOf(HasSubstr("unknown --neighbours 'direct8'"),
                                   HasSubstr("choose from radius, direct1, direct7, direct27")));
  a = {};
  a[&ProfileChoice::profile] = "autoweare";
  EXPECT_THAT(refusal_of(a), AllOf(HasSubstr("did you mean 'autoware'?"),
                                   HasSubstr("autoware, textbook, pyramid, windows")));
}

TEST(AlignArguments, TheRegularisationTargetNeedsBothCoordinates) {
  AlignArguments a;
  a[&ScanOptions::regularisation_x_m] = 1.5;
  EXPECT_EQ(refusal_of(a), "--reg-x needs --reg-y");
  a[&ScanOptions::regularisation_y_m] = -2;
  ASSERT_TRUE(per_scan(a).regularisation.has_value());
  EXPECT_EQ(per_scan(a).regularisation->x, 1.5);
  EXPECT_EQ(per_scan(a).regularisation->y, -2);
  a[&ScanOptions::regularisation_x_m].reset();
  EXPECT_EQ(refusal_of(a), "--reg-y needs --reg-x");
  a[&ScanOptions::regularisation_x_m] = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal_of(a), HasSubstr("not finite"));
}

}  // namespace
}  // namespace ndt::harness
