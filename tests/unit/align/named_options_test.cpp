// Options as text against the members they name.
#include "ndt/named_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "message_of.hpp"
#include "ndt/align/option_table.hpp"

namespace ndt {
namespace {

using testing::HasSubstr;

std::string refusal_of(std::string_view text) {
  return message_of<std::invalid_argument>([&] { options_from_text(text); });
}

TEST(NamedOptions, SetTheMembersTheyName) {
  const AlignOptions options =
      options_from_text(" resolution=0.1 max_iterations=7\tneighbours=direct7\nprofile=pyramid levels=4,1");
  EXPECT_EQ(options.resolution_m, 0.1);
  EXPECT_EQ(options.max_iterations, 7);
  EXPECT_EQ(options.neighbours, Neighbours::direct7);
  EXPECT_EQ(options.levels, (Levels{4, 1}));
  EXPECT_EQ(options.step_control, AlignOptions::pyramid().step_control) << "the profile, wherever it stands";
}

TEST(NamedOptions, AreAutowaresWithoutAWord) {
  EXPECT_EQ(options_from_text("").resolution_m, AlignOptions::autoware().resolution_m);
  EXPECT_EQ(options_from_text("").step_control, StepControl::clamped);
}

TEST(NamedOptions, TakeEveryOptionOfTheTableByItsFlagAndItsKey) {
  for_each_option(kAlignOptions, [](const auto& option) {
    std::string key(option.name);
    for (char& c : key)
      if (c == '-') c = '_';
    for (const std::string& name : {std::string(option.name), key})
      EXPECT_THAT(refusal_of(name + "=~"), HasSubstr("~")) << "the value is looked at: " << name;
  });
}

TEST(NamedOptions, RefuseWhatTheyDoNotKnow) {
  EXPECT_THAT(refusal_of("leaf=1"),
              HasSubstr("unknown option 'leaf': choose from profile, resolution, step"));
  EXPECT_EQ(refusal_of("neighbours=9"),
            "option neighbours = '9': choose from radius, direct1, direct7, direct27");
  EXPECT_EQ(refusal_of("threads=2.5"), "option threads = '2.5': give a whole number");
  EXPECT_EQ(refusal_of("resolution=1m"), "option resolution = '1m': give a number");
  EXPECT_EQ(refusal_of("profile=fast"),
            "option profile = 'fast': choose from autoware, textbook, pyramid, windows");
  EXPECT_EQ(refusal_of("step=1 step=2"), "options: step is given twice");
  EXPECT_EQ(refusal_of("resolution 1"), "options: 'resolution' is not name=value");
}

}  // namespace
}  // namespace ndt
