#include "registry/search_arguments.hpp"

#include <gmock/gmock.h>

#include <stdexcept>

#include "base/errors.hpp"

namespace ndt::harness {
namespace {

using initial_pose::Method;
using initial_pose::SearchOptions;
using testing::HasSubstr;
using testing::ThrowsMessage;

SearchArguments with(const std::string& strategy) {
  SearchArguments arguments;
  arguments[&StrategyChoice::strategy] = strategy;
  return arguments;
}

TEST(SearchArguments, DefaultsAreTheReferencesCountsInRounds) {
  const ResolvedSearch setting = resolve(SearchArguments{});
  EXPECT_EQ(setting.strategy.name, "batched_persistent");
  EXPECT_EQ(setting.options.method, Method::tpe);
  EXPECT_EQ(setting.options.particles, 200);
  EXPECT_EQ(setting.options.startup, 100);
  EXPECT_GT(setting.options.at_once, 1);
  EXPECT_EQ(resolve(with("batched")).options.at_once, 1) << "no rounds";
  SearchArguments few;
  few[&SearchOptions::particles] = 20;
  EXPECT_EQ(resolve(few).options.startup, 20);
}

TEST(SearchArguments, UnknownNamesAreAnsweredWithTheNames) {
  EXPECT_THAT([] { resolve(with("batch")); },
              ThrowsMessage<UsageError>(HasSubstr("did you mean 'batched'?")));
  SearchArguments arguments;
  arguments[&SearchOptions::method] = "tree";
  EXPECT_THAT([&] { resolve(arguments); },
              ThrowsMessage<UsageError>(HasSubstr("choose from tpe, random, grid, anywhere")));
}

TEST(SearchArguments, WhatARunCannotSearchIsRefusedWithWhatToTakeInstead) {
  SearchArguments arguments;
  arguments[&SearchOptions::method] = "anywhere";
  const ResolvedSearch anywhere = resolve(arguments), about = resolve(with("batched"));
  for (const PriorKind prior : {PriorKind::pose, PriorKind::map})
    EXPECT_NO_THROW(require_for_a_run(anywhere, prior, false));
  for (const bool peer : {false, true}) EXPECT_NO_THROW(require_for_a_run(about, PriorKind::pose, peer));
  EXPECT_THAT([&] { require_for_a_run(about, PriorKind::map, false); },
              ThrowsMessage<UsageError>(HasSubstr("method tpe searches about a guess; for prior map take")));
  EXPECT_THAT([&] { require_for_a_run(anywhere, PriorKind::box, false); },
              ThrowsMessage<UsageError>(HasSubstr("in a run take pose, with sigma, or map")));
  EXPECT_THAT([&] { require_for_a_run(anywhere, PriorKind::pose, true); },
              ThrowsMessage<UsageError>(HasSubstr("name the peer in a search without a method")));
  EXPECT_NO_THROW(require_for_a_run(about, PriorKind::map, true)) << "its own way may need no guess";
}

TEST(SearchArguments, WhatAStrategyOrMethodHasNoUseForIsRefused) {
  SearchArguments rounds = with("sequential");
  rounds[&SearchOptions::at_once] = 8;
  EXPECT_THAT([&] { resolve(rounds); },
              ThrowsMessage<UsageError>(HasSubstr("guides one particle at a time")));
  SearchArguments startup;
  startup[&SearchOptions::method] = "grid";
  startup[&SearchOptions::startup] = 5;
  EXPECT_THAT([&] { resolve(startup); }, ThrowsMessage<UsageError>(HasSubstr("grid guides no particle")));
  SearchArguments more;
  more[&SearchOptions::particles] = 10, more[&SearchOptions::startup] = 11;
  EXPECT_THAT([&] { resolve(more); }, ThrowsMessage<UsageError>(HasSubstr("more than the 10 particles")));
  SearchArguments none;
  none[&SearchOptions::particles] = 0;
  EXPECT_THAT([&] { resolve(none); }, ThrowsMessage<std::invalid_argument>(HasSubstr("particles = 0")));
}

TEST(SearchArguments, OfAPeersOwnSearchTheSeedAloneCounts) {
  SearchArguments arguments = with("sequential");
  arguments[&SearchOptions::particles] = 7;
  arguments[&SearchOptions::seed] = 5;
  const ResolvedSearch own = resolve(arguments, "exec:a");
  EXPECT_TRUE(own.is_own());
  EXPECT_EQ(own.options.seed, 5u);
  EXPECT_EQ(own.options.particles, 0);
  const ResolvedSearch ours = resolve(arguments, "persistent_cpu");
  EXPECT_FALSE(ours.is_own());
  EXPECT_EQ(ours.options.particles, 7);
  for (const initial_pose::Strategy& strategy : initial_pose::strategies())
    EXPECT_NE(strategy.name, kOwnSearch.name);
}

TEST(SearchArguments, AStrategyTakesItsOwnImplementationOrItsTwin) {
  const std::string persistent(
      choose_implementation(resolve(with("batched_persistent")).strategy, kAuto).name);
  EXPECT_THAT(persistent, testing::AnyOf("persistent_cuda", "persistent_cpu"));
  const std::string batched(choose_implementation(resolve(with("batched")).strategy, kAuto).name);
  EXPECT_THAT(batched, testing::AnyOf("multikernel_cuda", "multikernel_cpu"));
  EXPECT_EQ(choose_implementation(resolve(with("sequential")).strategy, kAuto).name,
            choose_implementation(kAuto).name);
  EXPECT_EQ(choose_implementation(resolve(with("batched")).strategy, "persistent_cpu").name,
            "persistent_cpu");
  EXPECT_EQ(choose_implementation(resolve(with("sequential")).strategy, kReference).name, kReference);
  const Implementation& oracle = find_implementation(kReference);
  EXPECT_TRUE(can_run(resolve(with("sequential")).strategy, oracle));
  EXPECT_NO_THROW(require_can_run(resolve(with("sequential")).strategy, oracle));
  EXPECT_THAT([&] { require_can_run(resolve(with("batched")).strategy, oracle); },
              ThrowsMessage<UsageError>(HasSubstr("cpu_pclomp_ref aligns one pose at a time")));
}

}  // namespace
}  // namespace ndt::harness
