#include "run/machine_contest.hpp"

#include <gmock/gmock.h>

#include <set>
#include <stdexcept>

#include "registry/registry.hpp"

namespace ndt::harness {
namespace {

TEST(MachineContest, MeasuresWhatIsForUseSideBySide) {
  const std::vector<Workload> sizes{{200, 1}, {200, 3}};
  const Contest contest = measure_machine(implementations(), sizes, 20);
  EXPECT_THAT(contest.failed, testing::IsEmpty());
  std::set<std::string> names;
  for (const MachineTime& time : contest.times) {
    names.insert(time.implementation);
    EXPECT_GT(time.us, 0) << time.implementation;
  }
  EXPECT_TRUE(names.contains("persistent_cpu") && names.contains("multikernel_cpu"));
  EXPECT_FALSE(names.contains("cpu_pclomp_ref") || names.contains("pcl_ndt") ||
               names.contains("multikernel_transfers_cuda"));
  EXPECT_EQ(contest.times.size(), 2 * names.size());
}

TEST(MachineContest, LeavesOutWhatWouldNotFitIntoItsTime) {
  const std::vector<Workload> sizes{{1000, 1}, {100000, 1000}};
  for (const MachineTime& time : measure_machine(implementations(), sizes, 0.5).times)
    EXPECT_EQ(time.points, 1000u) << time.implementation << " would take minutes";
}

TEST(MachineContest, GoesOnWithoutOneThatFails) {
  std::vector<Implementation> table{find_implementation("persistent_cpu"),
                                    find_implementation("multikernel_cpu")};
  table[1].make = [](const AlignOptions&) -> std::unique_ptr<Aligner> { throw std::runtime_error("broken"); };
  const Contest contest = measure_machine(table, std::vector<Workload>{{1000, 1}, {1000, 2}}, 20);
  EXPECT_THAT(contest.failed, testing::ElementsAre("multikernel_cpu: broken"));
  EXPECT_EQ(contest.times.size(), 2u);
}

/// Where memory does not suffice for one size it may for the next: others have freed theirs.
TEST(MachineContest, LeavesOneOutOfTheSizeAloneAtWhichItFails) {
  std::vector<Implementation> table{find_implementation("persistent_cpu")};
  table[0].make = [](const AlignOptions& options) {
    static int made = 0;
    if (++made == 3) throw std::runtime_error("no memory");  // after warming up and the first size
    return find_implementation("persistent_cpu").make(options);
  };
  const Contest contest = measure_machine(table, std::vector<Workload>{{1000, 1}, {1000, 2}, {1000, 3}}, 20);
  EXPECT_THAT(contest.failed, testing::ElementsAre("persistent_cpu, 1000 points, 2 at once: no memory"));
  ASSERT_EQ(contest.times.size(), 2u);
  EXPECT_EQ(contest.times[0].poses, 1u);
  EXPECT_EQ(contest.times[1].poses, 3u);
}

TEST(MachineContest, GoesFromTheLeastWorkToTheMost) {
  const std::vector<Workload> sizes = contest_sizes();
  EXPECT_EQ(sizes.front().points * sizes.front().poses, 1000u);
  for (std::size_t k = 1; k < sizes.size(); ++k)
    EXPECT_LE(sizes[k - 1].points * sizes[k - 1].poses, sizes[k].points * sizes[k].poses);
}

}  // namespace
}  // namespace ndt::harness
