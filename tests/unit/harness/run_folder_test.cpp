#include "run/run_folder.hpp"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/environment.hpp"
#include "base/output_file.hpp"
#include "ndt/core/error.hpp"
#include "scratch_files.hpp"

namespace ndt::harness {
namespace {

using testing::HasSubstr;

class RunFolders : public ScratchFiles {
 protected:
  RunFolders() : ScratchFiles("run/results.jsonl") {}
  std::filesystem::path folder() const { return path("run"); }
  static Plan plan() {
    Plan plan;
    plan.run_id = "id";
    return plan;
  }
  static Measurement row(const std::string& frame, Failure failure = Failure::none) {
    Measurement row;
    row.run_id = "id";
    row.frame = frame;
    row.failure = failure;
    row.error = failure == Failure::none ? "" : "why";
    return row;
  }
};

TEST_F(RunFolders, RowsAreThereAsSoonAsTheyAreAppended) {
  RunFolder run = RunFolder::begin(folder(), plan(), "command");
  EXPECT_FALSE(run.done(row("a")));
  run.append(row("a"));
  EXPECT_TRUE(run.done(row("a")));
  EXPECT_EQ(written(), to_json_line(row("a")) + "\n");
  EXPECT_TRUE(std::filesystem::exists(folder() / "plan.json"));
  EXPECT_TRUE(std::filesystem::exists(folder() / "environment.json"));
}

TEST_F(RunFolders, AResumedRunKeepsItsRowsButForTornAndKilledOnes) {
  {
    RunFolder run = RunFolder::begin(folder(), plan(), "command");
    run.append(row("a"));
    run.append(row("b", Failure::crash));
    run.append(row("c", Failure::exception));
    run.append(row("d", Failure::timeout));
    run.append(row("e", Failure::memory));
    EXPECT_EQ(run.failed_rows(), 4u);
    std::ofstream(path(), std::ios::app) << to_json_line(row("torn")).substr(0, 40);
  }
  RunFolder run = RunFolder::resume(folder());
  EXPECT_TRUE(run.done(row("a")) && run.done(row("c")));
  EXPECT_FALSE(run.done(row("b")) || run.done(row("d")) || run.done(row("e")) || run.done(row("torn")));
  EXPECT_EQ(run.rows(), 2u);
  EXPECT_EQ(run.failed_rows(), 1u);
  run.append(row("b"));
  EXPECT_EQ(written(), to_json_line(row("a")) + "\n" + to_json_line(row("c", Failure::exception)) + "\n" +
                           to_json_line(row("b")) + "\n");
}

TEST_F(RunFolders, AFolderHoldsOneRun) {
  { RunFolder::begin(folder(), plan(), "command"); }
  EXPECT_THAT(input_error_of([&] { RunFolder::begin(folder(), plan(), "command"); }),
              HasSubstr("contains a run already"));
  EXPECT_THAT(input_error_of([&] { RunFolder::resume(path("none")); }), HasSubstr("cannot be opened"));
}

TEST_F(RunFolders, TwoProcessesDoNotWriteToOneRun) {
  const RunFolder run = RunFolder::begin(folder(), plan(), "command");
  EXPECT_THAT(input_error_of([&] { RunFolder::resume(folder()); }),
              HasSubstr("another process writes to it"));
}

TEST_F(RunFolders, RowsOfAnotherProgramOrMachineAreNotMixedIn) {
  { RunFolder::begin(folder(), plan(), "command"); }
  std::ifstream in(folder() / "environment.json");
  auto environment = nlohmann::json::parse(in);
  environment["cpu_model"] = "abacus";
  write_text(folder() / "environment.json", environment.dump());
  EXPECT_THAT(input_error_of([&] { RunFolder::resume(folder()); }),
              HasSubstr("begun with another processor"));
  environment["cpu_model"] = cpu_model();
  environment["cuda"]["devices"].push_back({{"name", "one more"}});
  write_text(folder() / "environment.json", environment.dump());
  EXPECT_THAT(input_error_of([&] { RunFolder::resume(folder()); }), HasSubstr("begun with another GPU"));
}

TEST_F(RunFolders, ADamagedRowStopsTheResumptionWithItsLine) {
  {
    RunFolder run = RunFolder::begin(folder(), plan(), "command");
    run.append(row("a"));
    std::ofstream(path(), std::ios::app) << "{}\n";
  }
  EXPECT_THAT(input_error_of([&] { RunFolder::resume(folder()); }), HasSubstr("results.jsonl: line 2"));
}

}  // namespace
}  // namespace ndt::harness
