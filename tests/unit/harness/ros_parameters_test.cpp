#include "io/ros_parameters.hpp"

#include "base/io_names.hpp"
#include "ndt/io/map_metadata.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class RosParametersTest : public ScratchFiles {
 protected:
  RosParametersTest() : ScratchFiles("node.param.yaml") {}
  void SetUp() override {
    if (!map_metadata_readable()) GTEST_SKIP() << "built without yaml-cpp";
  }
  RosParameters read(std::string_view text) const { return RosParameters::read(put(text), "node"); }
};

TEST_F(RosParametersTest, NamesOfNestedMapsAreJoinedByPoints) {
  const RosParameters parameters = read(
      "/**:\n  ros__parameters:\n    a:\n      b:\n        c: 2.5 # a comment\n    a.d: 3\n    flag: True\n"
      "    list:\n      - 1\n      - -2e0\n");
  EXPECT_THAT(parameters.names(), ElementsAre("a.b.c", "a.d", "flag", "list"));
  EXPECT_EQ(parameters.number("a.b.c", Bounds::closed(0, 10)), 2.5);
  EXPECT_EQ(parameters.whole("a.d", 0, 10), 3);
  EXPECT_EQ(parameters.flag("flag"), true);
  EXPECT_EQ(parameters.word("flag"), "True");
  EXPECT_THAT(*parameters.numbers("list"), ElementsAre(1, -2));
  EXPECT_EQ(parameters.text("list"), "[1, -2e0]");
}

TEST_F(RosParametersTest, WhatIsMissingIsNothing) {
  const RosParameters parameters = read("/**:\n  ros__parameters:\n    a: 1\n");
  EXPECT_FALSE(parameters.has("b"));
  EXPECT_FALSE(parameters.number("b", Bounds::none()));
  EXPECT_FALSE(parameters.whole("b", 0, 1));
  EXPECT_FALSE(parameters.flag("b"));
  EXPECT_FALSE(parameters.word("b"));
  EXPECT_FALSE(parameters.numbers("b"));
}

TEST_F(RosParametersTest, TheNodesOwnParametersWinOverThoseOfAllWhereverTheyStand) {
  const RosParameters parameters = read(
      "space:\n  node:\n    ros__parameters: {a: 1}\n/**:\n  ros__parameters: {a: 2, b: 3}\n"
      "other:\n  ros__parameters: {a: 4, c: 5}\n");
  EXPECT_EQ(parameters.whole("a", 0, 9), 1);
  EXPECT_EQ(parameters.whole("b", 0, 9), 3);
  EXPECT_FALSE(parameters.has("c"));
}

TEST_F(RosParametersTest, AFileOfOneNodeMayNameItOtherwise) {
  EXPECT_EQ(read("my_matcher:\n  ros__parameters: {a: 1}\n").whole("a", 0, 9), 1);
}

TEST_F(RosParametersTest, MoreValuesThanANodeHasAreRefused) {
  std::string many = "/**:\n  ros__parameters:\n    a: [";
  for (int k = 0; k < 5000; ++k) many += "1,";
  EXPECT_THAT(input_error_of([&] { read(many + "1]\n"); }), HasSubstr("has more than 4096 values"));
}

TEST_F(RosParametersTest, AWrongValueNamesFileLineNameValueAndWhatIsExpected) {
  const RosParameters parameters = read(
      "/**:\n  ros__parameters:\n    text: two\n    quoted: \"2.0\"\n    list: [1, x]\n    nan: .nan\n"
      "    huge: 1e999\n    half: 2.5\n    empty:\n    big: 99999999999999999999\n    least: "
      "-9223372036854775808\n");
  const auto of_number = [&](const char* name) {
    return input_error_of([&] { parameters.number(name, Bounds::closed(0, 9)); });
  };
  EXPECT_THAT(of_number("text"),
              AllOf(HasSubstr("node.param.yaml: line 3: text = two: is no finite number; "),
                    HasSubstr("give a number in [0, 9]")));
  EXPECT_THAT(of_number("quoted"), HasSubstr("quoted = 2.0: is text, because of its quotes"));
  EXPECT_THAT(of_number("list"), HasSubstr("line 5: list = [1, x]: is a list"));
  EXPECT_THAT(of_number("nan"), HasSubstr("is no finite number"));
  EXPECT_THAT(of_number("huge"), HasSubstr("is no finite number"));
  EXPECT_THAT(of_number("empty"), HasSubstr("line 9: empty = : is no finite number"));
  EXPECT_THAT(of_number("big"), HasSubstr("is out of bounds; give a number in [0, 9]"));
  const auto of_whole = [&](const char* name) {
    return input_error_of([&] { parameters.whole(name, -1, 9); });
  };
  EXPECT_THAT(of_whole("half"), HasSubstr("half = 2.5: is no whole number; give a whole number in [-1, 9]"));
  EXPECT_THAT(of_whole("big"), HasSubstr("is no whole number"));
  EXPECT_THAT(of_whole("least"), HasSubstr("is out of bounds"));
  for (const char* name : {"list", "empty"})
    EXPECT_THAT(input_error_of([&] { parameters.word(name); }), HasSubstr("is no name; give one name"))
        << name;
  EXPECT_THAT(input_error_of([&] { parameters.flag("half"); }), HasSubstr("is neither true nor false"));
  EXPECT_THAT(input_error_of([&] { parameters.numbers("list"); }), HasSubstr("'x' is no finite number"));
  EXPECT_THAT(input_error_of([&] { parameters.numbers("half"); }), HasSubstr("is no list"));
}

}  // namespace
}  // namespace ndt::harness
