// Every option of every table, by each way that leads to it. A new line of a table needs no line here.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "cli/common/option_flags.hpp"
#include "ndt/core/error.hpp"
#include "registry/align_arguments.hpp"
#include "registry/option_keys.hpp"
#include "registry/search_arguments.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

struct Anything {
  template <class T>
  operator T() const;
};
/// Members of an aggregate.
template <class Struct, class... Values>
consteval std::size_t member_count() {
  if constexpr (requires { Struct{Values{}..., {}}; })
    return member_count<Struct, Values..., Anything>();
  else
    return sizeof...(Values);
}

TEST(OptionTables, EveryMemberOfAStructIsInItsTable) {
  EXPECT_EQ(std::tuple_size_v<decltype(kAlignOptions)>, member_count<AlignOptions>());
  EXPECT_EQ(std::tuple_size_v<decltype(kScanOptions)>, member_count<ScanOptions>());
  EXPECT_EQ(std::tuple_size_v<decltype(kProfileChoice)>, member_count<ProfileChoice>());
  // keep_no_returns is a flag of the commands that search, and no option of a benchmark.
  EXPECT_EQ(std::tuple_size_v<decltype(initial_pose::kSearchOptions)> + 1,
            member_count<initial_pose::SearchOptions>());
  EXPECT_EQ(std::tuple_size_v<decltype(kStrategyChoice)>, member_count<StrategyChoice>());
}

/// A value within the bounds that is not the default.
template <class Struct, class Value>
Value another(const Option<Struct, Value>& option) {
  if constexpr (std::is_enum_v<Value>)
    return all_values<Value>().back();
  else if constexpr (std::is_same_v<Value, std::string>)
    return "sequential";
  else if constexpr (std::is_same_v<Value, Levels>)
    return {2.5, 1};
  else if constexpr (std::is_same_v<Value, std::optional<double>>)
    return 2.5;
  else if constexpr (std::is_integral_v<Value>)
    return static_cast<Value>(Struct{}.*option.member + 1);
  else
    return Struct{}.*option.member + 0.125;
}

template <class Struct, class Value>
std::string text_in_toml(const Value& value) {
  return std::is_arithmetic_v<typename WrittenAs<Value>::type> ? value_text(value)
                                                               : "'" + value_text(value) + "'";
}

template <class GivenOptions, class Struct, class Value>
void expect_given(const GivenOptions& given, const Option<Struct, Value>& option, const char* way) {
  Struct options;
  given.apply_to(options);
  EXPECT_EQ(options.*option.member, another(option)) << option.name << " " << way;
}

template <class GivenOptions>
void expect_reachable() {
  GivenOptions().for_each([]<class Struct, class Value>(const Option<Struct, Value>& option, auto&) {
    const std::string value = value_text(another(option));
    GivenOptions by_flag;
    CLI::App app{"test", "test"};
    add_flags(app, by_flag, "Options", Defaults::shown, [](const auto&) { return true; });
    app.parse(fmt::format("--{} {}", option.name, value));
    expect_given(by_flag, option, "by flag");
    EXPECT_THAT(app.help(), HasSubstr(fmt::format("--{} {}", option.name, option.unit)));
    if constexpr (!std::is_same_v<Value, std::uint64_t>) {
      if (!option.in_variants) return;
      GivenOptions by_key;
      TomlTable toml = TomlTable::parse(
          fmt::format("{} = {}", key_of(option.name), text_in_toml<Struct>(another(option))), "test");
      read_options(toml, by_key);
      toml.finish();
      expect_given(by_key, option, "in a preset");
      const nlohmann::ordered_json json = options_json(by_key);
      EXPECT_EQ(json.size(), 1u);
      expect_given(options_from_json<GivenOptions>(json), option, "in a plan");
    }
  });
}

TEST(OptionTables, EveryOptionIsReachableByFlagPresetAndPlan) {
  expect_reachable<AlignArguments>();
  expect_reachable<SearchArguments>();
}

TEST(OptionTables, OnlyWhatStudiesSayElsewhereIsNoKeyOfAVariant) {
  std::vector<std::string_view> of_studies;
  const auto collect = [&](const auto& option, auto&) {
    if (!option.in_variants) of_studies.push_back(option.name);
  };
  AlignArguments().for_each(collect);
  SearchArguments().for_each(collect);
  EXPECT_THAT(of_studies, testing::ElementsAre("threads", "seed"));  // keys threads and seeds of a study
}

TEST(OptionTables, EveryNumberIsRefusedOutsideItsBounds) {
  const auto expect_refused = []<class Struct, class Value>(const Option<Struct, Value>& option, auto&) {
    if constexpr (std::is_arithmetic_v<Value>) {
      if (in_words(option.bounds).empty()) return;
      Struct options;
      options.*option.member = static_cast<Value>(option.bounds.high + 1);
      const auto check = [&] {
        if constexpr (std::is_same_v<Struct, ScanOptions>)
          require_within(kScanOptions, options);
        else
          validate(options);
      };
      EXPECT_THAT(check, testing::ThrowsMessage<std::invalid_argument>(
                             HasSubstr(fmt::format("option {} = {}: must be in {}", option.name,
                                                   option.bounds.high + 1, interval(option.bounds)))));
    }
  };
  AlignArguments().for_each(expect_refused);
  SearchArguments().for_each(expect_refused);
}

TEST(OptionTables, HelpTellsBoundsNamesAndDefault) {
  CLI::App app{"test", "test"};
  AlignArguments a;
  SearchArguments s;
  add_flags(app, a, "Registration", Defaults::hidden, [](const auto&) { return true; });
  add_flags(app, s, "Search", Defaults::shown, [](const auto&) { return true; });
  std::string help;
  for (const char c : app.help())
    if (c != '\n' && !(c == ' ' && help.ends_with(' '))) help += c;  // lines are wrapped
  EXPECT_THAT(help, HasSubstr("0.001 to 1000"));
  EXPECT_THAT(help, HasSubstr("above 0 to 100"));
  EXPECT_THAT(help, HasSubstr("between 0 and 1"));
  EXPECT_THAT(help, HasSubstr("radius, direct1, direct7, direct27"));
  EXPECT_THAT(help, HasSubstr("alignments in all, 1 to 65535 (default: 200)"));
}

TEST(OptionTables, LevelsOfAPresetAreAnArrayOrText) {
  for (const char* text : {"levels = [6, 2.5, 1]", "levels = '6,2.5,1'"}) {
    TomlTable toml = TomlTable::parse(text, "test");
    AlignArguments a;
    read_options(toml, a);
    EXPECT_EQ(a[&AlignOptions::levels], (Levels{6, 2.5, 1})) << text;
    EXPECT_EQ(options_json(a).dump(), R"({"levels":[6.0,2.5,1.0]})");
  }
  for (const char* text : {"levels = 2.5", "levels = []", "levels = [5, 4, 3, 2, 1]", "levels = ['6']",
                           "levels = '6;1'", "levels = [nan, 1]"}) {
    TomlTable toml = TomlTable::parse(text, "test");
    AlignArguments a;
    EXPECT_THAT([&] { read_options(toml, a); }, testing::ThrowsMessage<InputError>(HasSubstr("levels")))
        << text;
  }
}

}  // namespace
}  // namespace ndt::harness
