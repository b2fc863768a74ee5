#include "ndt/align/align_options.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <stdexcept>

#include "message_of.hpp"

namespace ndt {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::string refusal(const AlignOptions& options) {
  return message_of<std::invalid_argument>([&] { validate(options); });
}

struct RealOption {
  double AlignOptions::*member;
  const char* name;
  const char* bounds;
  std::vector<std::pair<double, const char*>> refused;
  std::vector<double> accepted;
};

TEST(AlignOptions, RealOptionsOutOfRangeAreRefusedWithNameValueAndBounds) {
  const RealOption options[] = {
      {&AlignOptions::resolution_m,
       "resolution",
       "[0.001, 1000]",
       {{0, "0"}, {-2, "-2"}, {0.0009, "0.0009"}, {1000.5, "1000.5"}, {kInf, "inf"}, {kNan, "nan"}},
       {0.001, 2, 1000}},
      {&AlignOptions::step_m,
       "step",
       "(0, 100]",
       {{0, "0"}, {-0.1, "-0.1"}, {100.5, "100.5"}, {kInf, "inf"}, {kNan, "nan"}},
       {1e-300, 100}},
      {&AlignOptions::epsilon_m,
       "epsilon",
       "(0, 10]",
       {{0, "0"}, {-1, "-1"}, {10.5, "10.5"}, {kInf, "inf"}, {kNan, "nan"}},
       {1e-300, 10}},
      {&AlignOptions::outlier_ratio,
       "outlier-ratio",
       "(0, 1)",
       {{0, "0"}, {1, "1"}, {-0.5, "-0.5"}, {kInf, "inf"}, {kNan, "nan"}},
       {0.01, 0.99}},
      {&AlignOptions::eigenvalue_ratio,
       "eigenvalue-ratio",
       "[0, 1]",
       {{-0.5, "-0.5"}, {1.5, "1.5"}, {kInf, "inf"}, {kNan, "nan"}},
       {0, 1}},
      {&AlignOptions::regularisation_scale,
       "reg-scale",
       "[0, 1000]",
       {{-1, "-1"}, {1000.5, "1000.5"}, {kInf, "inf"}, {kNan, "nan"}},
       {0, 1000}},
  };
  for (const RealOption& option : options) {
    AlignOptions o;
    for (const auto& [value, text] : option.refused) {
      o.*option.member = value;
      EXPECT_EQ(refusal(o),
                std::string("option ") + option.name + " = " + text + ": must be in " + option.bounds);
    }
    for (const double value : option.accepted) {
      o.*option.member = value;
      EXPECT_EQ(refusal(o), "") << option.name << " = " << value;
    }
  }
}

struct WholeOption {
  int AlignOptions::*member;
  const char* name;
  int low, high;
};

TEST(AlignOptions, WholeOptionsOutOfRangeAreRefusedWithNameValueAndBounds) {
  const WholeOption options[] = {{&AlignOptions::max_iterations, "max-iterations", 1, 1000},
                                 {&AlignOptions::min_points, "min-points", 3, 1000000},
                                 {&AlignOptions::device, "device", 0, 63},
                                 {&AlignOptions::devices, "devices", 1, 64},
                                 {&AlignOptions::threads, "threads", 0, 256}};
  for (const WholeOption& option : options) {
    AlignOptions o;
    const std::string bounds = "[" + std::to_string(option.low) + ", " + std::to_string(option.high) + "]";
    for (const int value : {option.low - 1, option.high + 1, std::numeric_limits<int>::min()}) {
      o.*option.member = value;
      EXPECT_EQ(refusal(o), std::string("option ") + option.name + " = " + std::to_string(value) +
                                ": must be in " + bounds);
    }
    for (const int value : {option.low, option.high}) {
      o.*option.member = value;
      EXPECT_EQ(refusal(o), "") << option.name << " = " << value;
    }
  }
}

TEST(AlignOptions, AutowareIsTheReferenceAsShipped) {
  const AlignOptions o = AlignOptions::autoware();
  EXPECT_EQ(o.resolution_m, 2.0);
  EXPECT_EQ(o.step_m, 0.1);
  EXPECT_EQ(o.epsilon_m, 0.01);
  EXPECT_EQ(o.max_iterations, 30);
  EXPECT_EQ(o.outlier_ratio, 0.55);
  EXPECT_EQ(o.min_points, 6);
  EXPECT_EQ(o.eigenvalue_ratio, 0.01);
  EXPECT_EQ(o.regularisation_scale, 0.01);
  EXPECT_EQ(o.neighbours, Neighbours::radius);
  EXPECT_EQ(o.line_search, LineSearch::off);
  EXPECT_EQ(o.covariance_start, CovarianceStart::identity);
  EXPECT_EQ(o.newton_step, NewtonStep::reference);
  EXPECT_EQ(refusal(o), "");
}

TEST(AlignOptions, TextbookHasTheUnbiasedCovarianceAndATrustRegionOnOneLevel) {
  const AlignOptions o = AlignOptions::textbook();
  EXPECT_EQ(o.covariance_start, CovarianceStart::zero);
  EXPECT_EQ(o.step_control, StepControl::trust_region);
  EXPECT_EQ(o.levels, Levels{});
  EXPECT_EQ(o.resolution_m, AlignOptions::autoware().resolution_m);
  EXPECT_EQ(refusal(o), "");
}

TEST(AlignOptions, PyramidHasTwoLevelsAndATrustRegion) {
  const AlignOptions o = AlignOptions::pyramid();
  EXPECT_EQ(o.covariance_start, CovarianceStart::zero);
  EXPECT_EQ(o.step_control, StepControl::trust_region);
  EXPECT_EQ(o.levels, (Levels{2.5, 1}));
  EXPECT_EQ(AlignOptions::of_a_search(Profile::pyramid).levels, (Levels{6, 2.5, 1}));
  EXPECT_EQ(o.negative_curvature, 0.5);
  EXPECT_EQ(o.coarse_stride, 1);
  EXPECT_EQ(refusal(o), "");
}

TEST(AlignOptions, WindowsIsThePyramidWithAFinish) {
  AlignOptions o = AlignOptions::of(Profile::windows);
  EXPECT_EQ(o.finish, Finish::windows);
  o.finish = Finish::none;
  EXPECT_TRUE(same_maps(o, AlignOptions::pyramid()));
  EXPECT_EQ(AlignOptions::of_a_search(Profile::windows).levels, (Levels{6, 2.5, 1}));
  EXPECT_EQ(AlignOptions::of_a_search(Profile::windows).finish, Finish::windows);
  EXPECT_EQ(AlignOptions::of_a_search(Profile::textbook).levels, Levels{});
}

TEST(AlignOptions, LevelsFallFromCoarseToFineWithinTheirBounds) {
  const std::pair<Levels, const char*> lists[] = {
      {{1}, ""},
      {{16, 6, 2.5, 0.25}, ""},
      {{1, 2.5}, "option levels = 1,2.5: must fall from coarse to fine"},
      {{2.5, 2.5, 1}, "option levels = 2.5,2.5,1: must fall from coarse to fine"},
      {{2.5, kNan}, "option levels = 2.5,nan: must be in [0.25, 16], every level"},
      {{17, 1}, "option levels = 17,1: must be in [0.25, 16], every level"},
      {{1, 0}, "option levels = 1,0: must be in [0.25, 16], every level"},
      {{1, -1}, "option levels = 1,-1: must be in [0.25, 16], every level"},
      {{kInf, 1}, "option levels = inf,1: must be in [0.25, 16], every level"}};
  for (const auto& [levels, answer] : lists) {
    AlignOptions o = AlignOptions::pyramid();
    o.levels = levels;
    EXPECT_EQ(refusal(o), answer);
  }
  EXPECT_THROW((Levels{5, 4, 3, 2, 1}), std::invalid_argument);
  EXPECT_THROW(Levels(std::span<const double>{}), std::invalid_argument);
}

TEST(AlignOptions, LevelsAreReadAsTheyAreWritten) {
  for (const char* text : {"1", "2.5,1", "6,2.5,1", "12,5.2,2.3,1"})
    EXPECT_EQ(to_string(levels_from_text(text)), text);
  EXPECT_EQ(levels_from_text("2.50,1.0"), (Levels{2.5, 1}));
  for (const char* text : {"", ",", "6,,1", "6,", "six", "6;1", "6, 1", "5,4,3,2,1", "1e999"})
    EXPECT_THROW(levels_from_text(text), std::invalid_argument) << text;
}

TEST(AlignOptions, WhatTheStepControlWouldIgnoreIsRefused) {
  const auto refused = [](AlignOptions o, auto AlignOptions::*member, auto value) {
    o.*member = value;
    return refusal(o);
  };
  const AlignOptions clamped, pyramid = AlignOptions::pyramid();
  using O = AlignOptions;
  EXPECT_EQ(refused(clamped, &O::levels, Levels{2.5, 1}),
            "option levels = 2.5,1: needs step-control trust_region");
  EXPECT_EQ(refused(clamped, &O::negative_curvature, 0.5),
            "option negative-curvature = 0.5: needs step-control trust_region");
  EXPECT_EQ(refused(clamped, &O::coarse_stride, 4),
            "option coarse-stride = 4: needs step-control trust_region");
  const std::string radii = ": step-control trust_region takes its radii and its end from the levels";
  EXPECT_EQ(refused(pyramid, &O::step_m, 0.2), "option step = 0.2" + radii);
  EXPECT_EQ(refused(pyramid, &O::epsilon_m, 0.02), "option epsilon = 0.02" + radii);
  EXPECT_EQ(refused(pyramid, &O::line_search, LineSearch::batched),
            "option line-search = batched: step-control trust_region has no line search");
  EXPECT_EQ(refused(pyramid, &O::step_ratios, StepRatios::golden_ratio),
            "option step-ratios = golden_ratio: step-control trust_region has no line search");
  EXPECT_EQ(refused(pyramid, &O::newton_step, NewtonStep::damped),
            "option newton-step = damped: step-control trust_region has its own damping");
  AlignOptions one_level = pyramid;
  one_level.levels = {1};
  EXPECT_EQ(refusal(one_level), "");
  EXPECT_EQ(refused(one_level, &O::coarse_stride, 4), "option coarse-stride = 4: needs a coarse level");
  for (const double share : {-0.1, 1.1, kNan}) EXPECT_NE(refused(pyramid, &O::negative_curvature, share), "");
  for (const int stride : {0, 65}) EXPECT_NE(refused(pyramid, &O::coarse_stride, stride), "");
}

template <class Value>
void expect_distinct_names(const std::vector<Value>& all, std::size_t count) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(all[i]), i) << "not in declaration order";
    names.insert(to_string(all[i]));
  }
  EXPECT_EQ(all.size(), count);
  EXPECT_EQ(names.size(), count) << "two values share a name";
  EXPECT_FALSE(names.contains("?")) << "a value has no name";
}

TEST(AlignOptions, EveryEnumeratorIsListedInOrderUnderItsOwnName) {
  expect_distinct_names(all_values<Neighbours>(), 4);
  expect_distinct_names(all_values<LineSearch>(), 3);
  expect_distinct_names(all_values<StepRatios>(), 2);
  expect_distinct_names(all_values<CovarianceStart>(), 2);
  expect_distinct_names(all_values<NewtonStep>(), 2);
  expect_distinct_names(all_values<StepControl>(), 2);
  expect_distinct_names(all_values<Wait>(), 3);
  expect_distinct_names(all_values<StreamPriority>(), 2);
  EXPECT_EQ(to_string(NewtonStep::reference), "reference");
  EXPECT_EQ(to_string(NewtonStep::damped), "damped");
  EXPECT_EQ(to_string(Neighbours::direct27), "direct27");
  EXPECT_EQ(to_string(LineSearch::more_thuente), "more_thuente");
  EXPECT_EQ(to_string(StepRatios::golden_ratio), "golden_ratio");
  EXPECT_EQ(to_string(CovarianceStart::zero), "zero");
  EXPECT_EQ(to_string(Wait::block), "block");
  EXPECT_EQ(to_string(StreamPriority::high), "high");
}

TEST(AlignOptions, AValueIsFoundByItsName) {
  EXPECT_EQ(value_named<StepRatios>("fixed8"), StepRatios::fixed8);
  EXPECT_EQ(value_named<StepRatios>("golden_ratio"), StepRatios::golden_ratio);
  EXPECT_FALSE(value_named<StepRatios>("silver").has_value());
  EXPECT_FALSE(value_named<Neighbours>("golden_ratio").has_value());
}

}  // namespace
}  // namespace ndt
