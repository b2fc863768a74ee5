#include "base/json_line.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <vector>

#include "ndt/align/no_returns.hpp"

namespace ndt::harness {
namespace {

using nlohmann::ordered_json;

TEST(JsonLine, HasTheTextOfATree) {
  JsonLine line;
  line.put("whole", 42);
  line.put("truth", false);
  line.put("text", "a \"b\"\n\xC3\xA4");
  line.put("none", std::optional<double>());
  line.put("some", std::optional(0.5));
  line.put("name", NoReturn::max_range);
  line.put("infinite", std::numeric_limits<double>::infinity());
  line.put("list", std::array{1.0, -0.0, 2.5e-7});
  line.put("texts", std::vector<std::string>{"x", "y"});
  line.put("empty", std::vector<double>());
  line.object("inner", [&] { line.put("key", 1); });
  line.objects("rows", 2, [&](std::size_t k) { line.put("k", k); });
  const ordered_json tree{{"whole", 42},
                          {"truth", false},
                          {"text", "a \"b\"\n\xC3\xA4"},
                          {"none", nullptr},
                          {"some", 0.5},
                          {"name", "max_range"},
                          {"infinite", nullptr},
                          {"list", {1.0, -0.0, 2.5e-7}},
                          {"texts", {"x", "y"}},
                          {"empty", ordered_json::array()},
                          {"inner", {{"key", 1}}},
                          {"rows", {{{"k", 0}}, {{"k", 1}}}}};
  EXPECT_EQ(line.taken(), tree.dump());
  EXPECT_EQ(line.taken(), "{}");
}

TEST(JsonLine, NumbersAreReadBackBitForBitAndAsReals) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> mantissa(-10, 10), exponent(-300, 300), near(-6, 17);
  JsonLine line;
  std::vector<double> values{0,         1,         -1,   1e15,   1e-4,
                             9.9999e-5, 123456789, 1e14, 5e-324, std::numeric_limits<double>::max()};
  for (int k = 0; k < 5000; ++k)
    values.push_back(mantissa(random) * std::pow(10, k % 2 == 0 ? near(random) : exponent(random)));
  line.put("values", values);
  const auto read = ordered_json::parse(line.taken()).at("values");
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_TRUE(read[k].is_number_float()) << values[k];
    EXPECT_EQ(read[k].get<double>(), values[k]);
  }
}

}  // namespace
}  // namespace ndt::harness
