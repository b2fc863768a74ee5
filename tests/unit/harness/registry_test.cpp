#include "registry/registry.hpp"

#include <gmock/gmock.h>

#include "base/environment.hpp"
#include "base/errors.hpp"

namespace ndt::harness {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string no_reason() { return ""; }
std::string no_gpu() { return "no CUDA device"; }
std::unique_ptr<Aligner> nothing(const AlignOptions&) { return nullptr; }

template <class Error, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Registry, ReportsTheReferenceFirstAndPeersLast) {
  std::vector<std::string_view> names;
  for (const AlignerEntry& entry : aligners()) names.push_back(entry.name);
  EXPECT_THAT(names,
              testing::ElementsAre("cpu_pclomp_ref", "multikernel_cuda", "multikernel_cpu", "multikernel_graph_cuda",
                                   "persistent_cuda", "persistent_cpu", "persistent_cluster_cuda", "pcl_ndt"));
  EXPECT_EQ(names.front(), kReference);
}

TEST(Registry, APeerIsMarkedAndSaysHowItDiffers) {
  for (const AlignerEntry& entry : aligners()) {
    EXPECT_EQ(entry.peer, entry.name == "pcl_ndt") << entry.name;
    EXPECT_EQ(entry.note.empty(), !entry.peer) << entry.name;
  }
}

TEST(Registry, ARowOfALibraryThatWasLeftOutSaysSo) {
  const std::string reason = find_aligner("pcl_ndt").unavailable_reason();
  EXPECT_EQ(reason.empty(), build_info().pcl_left_out.empty());
  if (reason.empty()) GTEST_SKIP() << "this build has PCL " << build_info().pcl_version;
  EXPECT_THAT(reason, testing::StartsWith("built without PCL: "));
  EXPECT_THROW(find_aligner("pcl_ndt").make({}), std::logic_error);
  EXPECT_THROW(choose_aligner("pcl_ndt"), NoDeviceError);
}

TEST(Registry, EveryRowSaysWhereItRunsAndHowAndMakesAnAligner) {
  for (const AlignerEntry& entry : aligners()) {
    EXPECT_FALSE(entry.runs_on.empty()) << entry.name;
    EXPECT_FALSE(entry.schedule.empty()) << entry.name;
    if (!entry.unavailable_reason().empty()) continue;
    EXPECT_NE(entry.make({}), nullptr) << entry.name;
  }
}

TEST(Registry, AnUnknownNameIsAnsweredWithTheNearestAndTheWholeList) {
  EXPECT_THAT(message_of<UsageError>([] { find_aligner("persistant_cpu"); }),
              AllOf(HasSubstr("unknown implementation 'persistant_cpu'"), HasSubstr("did you mean 'persistent_cpu'?"),
                    HasSubstr("choose from auto, cpu_pclomp_ref, multikernel_cuda, multikernel_cpu, "
                              "multikernel_graph_cuda, persistent_cuda, persistent_cpu, "
                              "persistent_cluster_cuda, pcl_ndt")));
  EXPECT_THAT(message_of<UsageError>([] { find_aligner("cpu_pclomp"); }), HasSubstr("did you mean 'cpu_pclomp_ref'?"));
}

TEST(Registry, ANameLikeNoOtherGetsTheListWithoutAGuess) {
  EXPECT_THAT(message_of<UsageError>([] { find_aligner("zzzzzzzz"); }),
              AllOf(Not(HasSubstr("did you mean")), HasSubstr("choose from")));
  EXPECT_THROW(find_aligner(""), UsageError);
}

TEST(Registry, AutoTakesTheFastestRowThatCanRun) {
  const bool gpu = find_aligner("persistent_cuda").unavailable_reason().empty();
  EXPECT_EQ(choose_aligner("auto").name, gpu ? "persistent_cuda" : "persistent_cpu");
  const AlignerEntry table[] = {{"cpu_pclomp_ref", "CPU", "a", no_reason, nothing},
                                {"persistent_cpu", "CPU", "b", no_gpu, nothing}};
  EXPECT_EQ(choose_aligner("auto", table).name, "cpu_pclomp_ref");
}

TEST(Registry, ARowThatCannotRunIsRefusedWithItsReason) {
  const AlignerEntry table[] = {{"persistent_cuda", "GPU", "a", no_gpu, nothing}};
  EXPECT_EQ(find_aligner("persistent_cuda", table).name, "persistent_cuda");
  EXPECT_EQ(message_of<NoDeviceError>([&] { choose_aligner("persistent_cuda", table); }),
            "persistent_cuda cannot run here: no CUDA device");
  EXPECT_THROW(choose_aligner("auto", table), NoDeviceError);
}

}  // namespace
}  // namespace ndt::harness
