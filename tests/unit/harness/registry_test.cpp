#include "registry/registry.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "message_of.hpp"

namespace ndt::harness {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string no_reason() { return ""; }
std::string no_gpu() { return "no CUDA device"; }
std::unique_ptr<Aligner> nothing(const AlignOptions&) { return nullptr; }

TEST(Registry, ReportsTheOracleFirstAndPeersLast) {
  EXPECT_EQ(implementations().front().name, kReference);
  EXPECT_TRUE(std::ranges::is_sorted(implementations(), {}, &Implementation::peer));
}

TEST(Registry, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const Implementation& entry : implementations())
    EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
  EXPECT_FALSE(names.contains(kAuto));
}

TEST(Registry, APeerSaysHowItDiffersAndWhatIsNotForUseSaysSo) {
  for (const Implementation& entry : implementations())
    EXPECT_EQ(entry.note.empty(), !entry.peer && !entry.not_for_use) << entry.name;
}

TEST(Registry, WhatIsOnADevicePromisesWhatItMoves) {
  for (const Implementation& entry : implementations())
    EXPECT_EQ(entry.budget.final_download_bytes != Budget::kNotPromised,
              entry.on_device && !entry.not_for_use)
        << entry.name;
}

TEST(Registry, NothingChoosesWhatIsNotForUse) {
  const Implementation& study = find_implementation("multikernel_transfers_cuda");
  EXPECT_TRUE(study.not_for_use);
  for (const Implementation& entry : implementations()) {
    if (!entry.not_for_use) continue;
    EXPECT_EQ(entry.auto_rank, 0) << entry.name;
    EXPECT_EQ(entry.search, "") << entry.name;
  }
}

TEST(Registry, AutoIsNeverTiedAndNeverAPeer) {
  std::set<int> ranks;
  for (const Implementation& entry : implementations()) {
    if (entry.auto_rank == 0) continue;
    EXPECT_TRUE(ranks.insert(entry.auto_rank).second) << entry.name;
    EXPECT_FALSE(entry.peer) << entry.name;
  }
  EXPECT_FALSE(ranks.empty());
}

TEST(Registry, AnImplementationOfALibraryThatWasLeftOutSaysSo) {
  const std::string reason = find_implementation("pcl_ndt").unavailable_reason();
  EXPECT_EQ(reason.empty(), build_info().pcl_left_out.empty());
  if (reason.empty()) GTEST_SKIP() << "this build has PCL " << build_info().pcl_version;
  EXPECT_THAT(reason, testing::StartsWith("built without PCL: "));
  EXPECT_EQ(find_implementation("pcl_ndt").make, nullptr);
  EXPECT_THROW(choose_implementation("pcl_ndt"), NoDeviceError);
}

TEST(Registry, EveryImplementationSaysWhereItRunsAndHowAndMakesAnAligner) {
  for (const Implementation& entry : implementations()) {
    EXPECT_FALSE(entry.runs_on.empty()) << entry.name;
    EXPECT_FALSE(entry.schedule.empty()) << entry.name;
    if (!entry.unavailable_reason().empty()) continue;
    EXPECT_NE(entry.make({}), nullptr) << entry.name;
  }
}

TEST(Registry, AnUnknownNameIsAnsweredWithTheNearestAndTheWholeList) {
  EXPECT_THAT(
      message_of<UsageError>([] { find_implementation("persistant_cpu"); }),
      AllOf(HasSubstr("unknown implementation 'persistant_cpu'"), HasSubstr("did you mean 'persistent_cpu'?"),
            HasSubstr("choose from auto, cpu_pclomp_ref, ")));
  EXPECT_THAT(message_of<UsageError>([] { find_implementation("cpu_pclomp"); }),
              HasSubstr("did you mean 'cpu_pclomp_ref'?"));
}

TEST(Registry, ANameLikeNoOtherGetsTheListWithoutAGuess) {
  EXPECT_THAT(message_of<UsageError>([] { find_implementation("zzzzzzzz"); }),
              AllOf(Not(HasSubstr("did you mean")), HasSubstr("choose from")));
  EXPECT_THROW(find_implementation(""), UsageError);
}

TEST(Registry, AutoTakesTheLargestRankThatCanRun) {
  const Implementation table[] = {
      {.name = "slow", .unavailable_reason = no_reason, .make = nothing, .auto_rank = 1},
      {.name = "absent", .unavailable_reason = no_gpu, .make = nothing, .auto_rank = 3},
      {.name = "fast", .unavailable_reason = no_reason, .make = nothing, .auto_rank = 2},
      {.name = "never", .unavailable_reason = no_reason, .make = nothing}};
  EXPECT_EQ(choose_implementation("auto", table).name, "fast");
  EXPECT_THROW(choose_implementation("auto", std::span(table).subspan(1, 1)), NoDeviceError);
  EXPECT_THROW(choose_implementation("auto", std::span(table).subspan(3)), NoDeviceError);
}

TEST(Registry, AnImplementationThatCannotRunIsRefusedWithItsReason) {
  const Implementation table[] = {{"persistent_cuda", "GPU", "a", no_gpu, nothing}};
  EXPECT_EQ(find_implementation("persistent_cuda", table).name, "persistent_cuda");
  EXPECT_EQ(message_of<NoDeviceError>([&] { choose_implementation("persistent_cuda", table); }),
            "persistent_cuda cannot run here: no CUDA device");
  EXPECT_THROW(choose_implementation("auto", table), NoDeviceError);
}

TEST(Registry, SolversAreAskedOnlyWhereTheyDependOnTheMachineAndCanRun) {
  const auto own = [] { return std::string("own LDLT: libcusolver.so.12 was not found"); };
  const auto not_asked = []() -> std::string { throw std::logic_error("no device to ask for"); };
  const Implementation table[] = {
      {.name = "staged", .unavailable_reason = no_reason, .make = nothing, .solver = own},
      {.name = "absent", .unavailable_reason = no_gpu, .make = nothing, .solver = not_asked},
      {.name = "plain", .unavailable_reason = no_reason, .make = nothing}};
  EXPECT_THAT(solvers(table), testing::ElementsAre(testing::Pair("staged", own())));
  EXPECT_TRUE(find_implementation("multikernel_cuda").solver != nullptr);
  EXPECT_EQ(solvers().contains("multikernel_cuda"),
            find_implementation("multikernel_cuda").unavailable_reason().empty());
}

}  // namespace
}  // namespace ndt::harness
