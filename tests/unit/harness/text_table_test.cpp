#include <gtest/gtest.h>

#include <stdexcept>

#include "cli/print.hpp"

namespace ndt::harness {
namespace {

TEST(TextTable, ColumnsAreAsWideAsTheirWidestCellAndUnitsHaveTheirOwnLine) {
  const std::vector<TextColumn> columns = {{"name", "", true}, {"time", "ms"}};
  const std::vector<std::vector<std::string>> rows = {{"a", "1.5"}, {"longer", "100.25"}};
  EXPECT_EQ(text_table(columns, rows),
            "name     time\n"
            "           ms\n"
            "a         1.5\n"
            "longer 100.25\n");
}

TEST(TextTable, WithoutUnitsThereIsOneHeading) {
  const std::vector<TextColumn> columns = {{"n", ""}};
  EXPECT_EQ(text_table(columns, {}), "n\n");
}

TEST(TextTable, ARowThatIsTooShortIsRefused) {
  const std::vector<TextColumn> columns = {{"a", ""}, {"b", ""}};
  const std::vector<std::vector<std::string>> rows = {{"1"}};
  EXPECT_THROW(text_table(columns, rows), std::out_of_range);
}

}  // namespace
}  // namespace ndt::harness
