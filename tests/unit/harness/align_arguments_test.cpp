#include "registry/align_arguments.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "base/exit_code.hpp"

namespace ndt::harness {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal_of(const AlignArguments& arguments) {
  try {
    resolve(arguments);
    per_scan(arguments);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
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
  a.profile = "textbook";
  EXPECT_EQ(resolve(a).covariance_start, CovarianceStart::zero);
  EXPECT_EQ(resolve(a).newton_step, NewtonStep::damped);
  a.covariance_start = "identity";
  EXPECT_EQ(resolve(a).covariance_start, CovarianceStart::identity);
  EXPECT_EQ(resolve(a).newton_step, NewtonStep::damped);
}

TEST(AlignArguments, EveryNameOfEveryEnumerationIsUnderstood) {
  AlignArguments a;
  for (const Neighbours value : all_neighbours()) {
    a.neighbours = to_string(value);
    EXPECT_EQ(resolve(a).neighbours, value);
  }
  for (const LineSearch value : all_line_searches()) {
    a.line_search = to_string(value);
    EXPECT_EQ(resolve(a).line_search, value);
  }
  for (const StepRatios value : all_step_ratios()) {
    a.candidates = to_string(value);
    EXPECT_EQ(resolve(a).step_ratios, value);
  }
}

TEST(AlignArguments, AnUnknownNameIsAnsweredWithTheChoices) {
  AlignArguments a;
  a.neighbours = "direct8";
  EXPECT_THAT(refusal_of(a), AllOf(HasSubstr("unknown --neighbours 'direct8'"),
                                   HasSubstr("choose from radius, direct1, direct7, direct27")));
  a = {};
  a.profile = "autoweare";
  EXPECT_THAT(refusal_of(a), AllOf(HasSubstr("did you mean 'autoware'?"), HasSubstr("autoware, textbook")));
}

TEST(AlignArguments, AValueOutOfRangeIsRefusedWithNameValueAndBounds) {
  AlignArguments a;
  a.resolution_m = 0;
  EXPECT_EQ(refusal_of(a), "option resolution = 0: must be in [0.001, 1000]");
  a = {};
  a.threads = -1;
  EXPECT_THAT(refusal_of(a), HasSubstr("option threads = -1"));
  a = {};
  a.step_m = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal_of(a), HasSubstr("option step = nan"));
}

TEST(AlignArguments, TheRegularisationTargetNeedsBothCoordinates) {
  AlignArguments a;
  a.regularisation_x_m = 1.5;
  EXPECT_EQ(refusal_of(a), "--reg-x needs --reg-y");
  a.regularisation_y_m = -2;
  ASSERT_TRUE(per_scan(a).regularisation.has_value());
  EXPECT_EQ(per_scan(a).regularisation->x, 1.5);
  EXPECT_EQ(per_scan(a).regularisation->y, -2);
  a.regularisation_x_m.reset();
  EXPECT_EQ(refusal_of(a), "--reg-y needs --reg-x");
  a.regularisation_x_m = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal_of(a), HasSubstr("not finite"));
}

}  // namespace
}  // namespace ndt::harness
