#include <gtest/gtest.h>

#include <array>
#include <string>

#include "ndt/initial_pose/search_options.hpp"

namespace ndt::initial_pose {
namespace {

Implementation entry(std::string_view name, std::string_view search, bool batches, std::string reason = {}) {
  Implementation made;
  made.name = name;
  made.unavailable_reason = [reason] { return reason; };
  made.search = search;
  made.batches = batches;
  return made;
}

const std::array kTable{entry("alone", "", false), entry("device", "batched_persistent", true, "no GPU"),
                        entry("staged", "batched", true), entry("rounds", "batched_persistent", true)};

std::string_view suited_to(std::string_view strategy) {
  const Implementation* const found = first_suited(kTable, *strategy_named(strategy));
  return found == nullptr ? "none" : found->name;
}

TEST(Strategy, EveryOneIsFoundByItsName) {
  for (const Strategy& strategy : strategies()) EXPECT_EQ(strategy_named(strategy.name), &strategy);
  EXPECT_EQ(strategy_named("batch"), nullptr);
  EXPECT_EQ(strategy_named(""), nullptr);
}

TEST(Strategy, TheDefaultAlignsInRounds) {
  EXPECT_EQ(default_strategy().name, "batched_persistent");
  EXPECT_TRUE(default_strategy().guided_at_once);
}

TEST(Strategy, TheFirstImplementationSuitsThatCanRunAndHasItForItsOwn) {
  EXPECT_EQ(suited_to("batched_persistent"), "rounds") << "the device cannot run";
  EXPECT_EQ(suited_to("batched"), "staged");
  EXPECT_EQ(suited_to("sequential"), "none");
}

TEST(Strategy, OnlyOneByOneNeedsNoBatches) {
  for (const Strategy& strategy : strategies()) {
    EXPECT_EQ(is_able(kTable[0], strategy), strategy.name == "sequential") << strategy.name;
    EXPECT_TRUE(is_able(kTable[3], strategy)) << strategy.name;
  }
}

}  // namespace
}  // namespace ndt::initial_pose
