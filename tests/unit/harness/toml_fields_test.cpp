#include "io/toml_fields.hpp"

#include <gmock/gmock.h>

#include "ndt/core/limits.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TomlTable parsed(std::string_view text) { return TomlTable::parse(text, "x.toml"); }

TEST(TomlFields, EveryTypeIsReadAndMissingKeysAreNothing) {
  TomlTable toml = parsed(
      "t = 'a'\nb = true\nn = 1.5\nw = 7\nl = ['x', 'y']\nv = [1, 2.5]\n[s]\nk = 1\n[[r]]\nk = 1\n[[r]]\nk = "
      "2\n");
  EXPECT_EQ(toml.text("t"), "a");
  EXPECT_EQ(toml.flag("b"), true);
  EXPECT_EQ(toml.number("n", 0, 2), 1.5);
  EXPECT_EQ(toml.number("w", 0, 10), 7.0) << "a whole number is a number";
  EXPECT_EQ(toml.whole("w", 0, 10), 7);
  EXPECT_THAT(*toml.texts("l"), ElementsAre("x", "y"));
  EXPECT_THAT(*toml.numbers("v", 0, 10), ElementsAre(1, 2.5));
  EXPECT_EQ(toml.table("s")->whole("k", 0, 1), 1);
  std::vector<TomlTable> rows = toml.tables("r");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1].whole("k", 0, 9), 2);
  EXPECT_FALSE(toml.text("none").has_value());
  EXPECT_TRUE(toml.tables("none").empty());
  toml.finish();
}

TEST(TomlFields, KeysComeInTheOrderOfTheFile) {
  EXPECT_THAT(parsed("z = 1\na = 2\nm = 3\n").keys(), ElementsAre("z", "a", "m"));
}

TEST(TomlFields, ARefusalNamesFileLineKeyAndRemedy) {
  TomlTable toml = parsed("a = 1\nb = 'x'\n[t]\nc = 9\n");
  EXPECT_EQ(input_error_of([&] { toml.text("a"); }),
            "x.toml: line 1: a: is a whole number; give text in quotes");
  EXPECT_EQ(input_error_of([&] { toml.number("b", 0, 1); }), "x.toml: line 2: b: is text; give a number");
  TomlTable table = *toml.table("t");
  EXPECT_EQ(input_error_of([&] { table.whole("c", 0, 8); }),
            "x.toml: line 4: t.c: 9 is not in [0, 8]; give a whole number in these bounds");
  EXPECT_THAT(input_error_of([&] { toml.required_text("name"); }), HasSubstr("name: is missing; add it"));
  EXPECT_THAT(input_error_of([&] {
                toml.required_choice("b", {"y", "z"});
              }),
              HasSubstr("b: 'x' is unknown; choose from y, z"));
}

TEST(TomlFields, WrongTypesAreRefused) {
  TomlTable toml = parsed("s = 'x'\nf = 1.5\nd = 2020-01-01\nm = [1, 'x']\nnan = nan\n");
  for (const char* key : {"s", "f", "d", "m"}) {
    EXPECT_NE(input_error_of([&] { toml.flag(key); }), "") << key;
    EXPECT_NE(input_error_of([&] { toml.whole(key, 0, 9); }), "") << key;
    EXPECT_NE(input_error_of([&] { toml.table(key); }), "") << key;
    EXPECT_NE(input_error_of([&] { toml.tables(key); }), "") << key;
    EXPECT_NE(input_error_of([&] { toml.texts(key); }), "") << key;
    EXPECT_NE(input_error_of([&] { toml.numbers(key, 0, 9); }), "") << key;
  }
  EXPECT_THAT(input_error_of([&] { toml.number("nan", 0, 9); }), HasSubstr("is not in [0, 9]"));
}

TEST(TomlFields, AKeyThatNobodyAskedForIsRefusedWithTheKnownOnes) {
  TomlTable toml = parsed("known = 1\nknwon = 2\n");
  toml.whole("known", 0, 9);
  EXPECT_THAT(input_error_of([&] { toml.finish(); }),
              AllOf(HasSubstr("line 2: knwon"), HasSubstr("known here: known")));
}

std::string repeated(std::string_view piece, int count) {
  std::string text;
  for (int k = 0; k < count; ++k) text += piece;
  return text;
}

// The parser's destructor follows keys by recursion: 31,000 parts of one would exhaust the stack.
TEST(TomlFields, DeepKeysAreRefusedWithTheLimitAndTheLine) {
  const std::string deep = repeated("a.", 31000);
  for (const std::string& text : {"\n[" + deep + "a]", "\n[[" + deep + "a]]", "\n" + deep + "a = 1",
                                  "\nk = {" + deep + "a = 1}", "\n" + repeated("'' . \"\". ", 9) + "a = 1"})
    EXPECT_EQ(input_error_of([&] { parsed(text); }),
              "x.toml: line 2: a key has more than 16 parts; remove the levels that nothing reads");
  for (const char* bracket : {"[", "{a="})
    EXPECT_EQ(input_error_of([&] { parsed("a = " + repeated(bracket, 17)); }),
              "x.toml: line 1: brackets nest deeper than 16 levels; remove the levels that nothing reads");
}

TEST(TomlFields, DotsThatNestNothingAreNotCounted) {
  const std::string dots(100, '.'), open(100, '[');
  for (const std::string& text :
       {"[" + repeated("a.", Limits::kTomlLevels - 1) + "a]", "a = '" + dots + "'",
        "a = \"\\\"" + dots + "\"", "a = ''' '" + dots + open + "'''''\nb = 1",
        "a = \"\"\"\n\\\"\"\"" + dots + open + "\"\"\"", "a = '' # '" + dots + open + "\nb = 1",
        "a = [" + repeated("1.5, ", 100) + "[[1.5]]]"})
    EXPECT_EQ(input_error_of([&] { parsed(text); }), "") << text;
}

// A string that the parser refuses must not hide what follows it.
TEST(TomlFields, AStringWithoutEndHidesNoDepth) {
  EXPECT_NE(input_error_of([&] { parsed("a = '\n" + repeated("a.", 31000) + "a = 1"); }), "");
}

class TomlFile : public ScratchFiles {
 protected:
  TomlFile() : ScratchFiles("a.toml") {}
};

TEST_F(TomlFile, WhatIsNoTomlIsRefusedWithItsLine) {
  EXPECT_THAT(input_error_of([&] { TomlTable::read(put("a = 1\nb = [\n")); }),
              AllOf(HasSubstr("a.toml: line 2"), HasSubstr("fix the TOML")));
  EXPECT_THAT(input_error_of([&] { TomlTable::read(put("a = '" + std::string(70000, 'x') + "'")); }),
              HasSubstr("at most 65536 are read"));
  EXPECT_THAT(input_error_of([&] { TomlTable::read(path("missing.toml")); }), HasSubstr("missing.toml"));
}

}  // namespace
}  // namespace ndt::harness
